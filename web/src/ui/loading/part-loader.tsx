import type { ComponentType, ReactNode } from 'react'
import { ProblemView } from '../problem-view.js'
import { codeOf, useCode } from './use-code.js'

/**
 * Loads a part of a page when it is first shown. React's own `lazy` would take a failure for good, and the whole page with
 * it, with what is typed there.
 */
export const loadedPart = <Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  /** Keeps its room until it is there. */
  placeholder: (props: Props) => ReactNode = () => null,
) => {
  const code = codeOf(load)
  return (props: Props) => {
    const { value: Part, problem, retry } = useCode(code)
    if (Part !== undefined) return <Part {...props} />
    if (problem === undefined) return placeholder(props)
    return (
      <ProblemView problem={problem} retry={retry} note="This part of the page can't be shown." />
    )
  }
}
