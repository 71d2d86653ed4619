import { type ComponentType, useEffect, useState } from 'react'
import { ProblemError } from '../data/use-data.js'
import { ProblemView } from './problem-view.js'
import { Top } from './top.js'

export interface LoadedPage {
  (): React.ReactNode
  /** Begins to load, so that the page is there when it is shown. */
  preload: () => void
}

/**
 * Loads a page when it is first shown. React's own `lazy` would keep its placeholder for a third of a second, however
 * soon the page is there.
 */
export const loadedPage = (load: () => Promise<ComponentType>): LoadedPage => {
  let loaded: ComponentType | undefined
  let loading: Promise<ComponentType> | undefined
  const start = () => {
    loading ??= load().then(
      (component) => {
        loaded = component
        return component
      },
      (error) => {
        loading = undefined
        throw error
      },
    )
    return loading
  }
  const Shown = () => {
    const [Page, setPage] = useState<ComponentType | undefined>(() => loaded)
    const [problem, setProblem] = useState<string>()
    const [attempt, setAttempt] = useState(0)
    // Another attempt is a reason to load again.
    useEffect(() => {
      if (Page !== undefined) return
      let isCancelled = false
      start().then(
        (component) => !isCancelled && setPage(() => component),
        (error) =>
          !isCancelled && setProblem(error instanceof ProblemError ? error.message : String(error)),
      )
      return () => {
        isCancelled = true
      }
    }, [Page, attempt])
    if (Page !== undefined) return <Page />
    if (problem === undefined) return <div className="top" />
    return (
      <>
        <Top title="This page can't be loaded" />
        <ProblemView
          problem={{ message: problem, code: 'NETWORK' }}
          retry={() => {
            setProblem(undefined)
            setAttempt(attempt + 1)
          }}
        />
      </>
    )
  }
  return Object.assign(Shown, { preload: () => void start().catch(() => undefined) })
}
