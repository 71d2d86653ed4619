import { type ComponentType, useEffect } from 'react'
import { ProblemView } from '../problem-view.js'
import { Top } from '../top.js'
import { codeOf, useCode } from './use-code.js'

export interface LoadedPage {
  (): React.ReactNode
  /** Begins to load, so that the page is there when it is shown. */
  preload: () => void
}

/** A page that was loaded since is not loaded anew: processes of two builds behind one address would have it do so for ever. */
const LEAST_AGE_MS = 10_000

/**
 * Loads a page when it is first shown. React's own `lazy` would keep its placeholder for a third of a second, however
 * soon the page is there.
 */
export const loadedPage = (load: () => Promise<ComponentType>): LoadedPage => {
  const code = codeOf(load)
  const Shown = () => {
    const { value: Page, problem, isOutdated, retry } = useCode(code)
    const isReloaded = isOutdated && performance.now() > LEAST_AGE_MS
    useEffect(() => {
      // Nothing of the new page is there yet that could be lost.
      if (isReloaded) window.location.reload()
    }, [isReloaded])
    if (Page !== undefined) return <Page />
    if (problem === undefined || isReloaded) return <div className="top" />
    return (
      <>
        <Top title="This page can't be loaded" />
        <ProblemView problem={problem} retry={retry} />
      </>
    )
  }
  return Object.assign(Shown, { preload: () => void code.load().catch(() => undefined) })
}
