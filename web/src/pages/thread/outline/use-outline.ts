import { useCallback, useEffect, useState } from 'react'
import { OutlineRevisionDocument, ThreadOutlineDocument } from '../../../../generated/operations.js'
import { plainClient } from '../../../data/client.js'
import type { Problem } from '../../../data/problem.js'
import { ProblemError, read } from '../../../data/use-data.js'
import { Outline, type OutlineColumns } from './outline.js'

export type OutlineState =
  | { is: 'loading' }
  | { is: 'failed'; problem: Problem }
  | { is: 'gone' }
  | { is: 'there'; outline: Outline; revision: string; errorCount: number; runningCount: number }

const POLL_MS = 2000
/** Threads in which nothing runs are polled less often; they may continue. */
const QUIET_POLL_MS = 10_000

/** The outline of a thread or run, read again after changes. */
export const useOutline = (threadId: string | undefined, rootStepId: string | undefined) => {
  const [state, setState] = useState<OutlineState>({ is: 'loading' })
  const load = useCallback(async () => {
    const subject = threadId === undefined ? { rootStepId } : { threadId }
    try {
      const { outline } = await read(ThreadOutlineDocument, subject as object, plainClient)
      if (outline === null) return setState({ is: 'gone' })
      const { skeleton, startedAt, endedAt, revision, errorCount, runningCount } = outline
      setState({
        is: 'there',
        outline: new Outline(skeleton as OutlineColumns, outline, startedAt, endedAt),
        revision,
        errorCount,
        runningCount,
      })
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error
      const { problem } = error
      // The last outline stays; the next poll may reach the service again.
      setState((before) => (before.is === 'there' ? before : { is: 'failed', problem }))
    }
  }, [threadId, rootStepId])
  useEffect(() => {
    setState({ is: 'loading' })
    void load()
  }, [load])
  const revision = state.is === 'there' ? state.revision : undefined
  const isRunning = state.is === 'there' && (state.runningCount > 0 || state.outline.count === 0)
  useEffect(() => {
    if (revision === undefined) return
    const subject = threadId === undefined ? { rootStepId } : { threadId }
    let isOver = false
    let timer: ReturnType<typeof setTimeout>
    const look = async () => {
      if (document.visibilityState === 'visible') {
        const answer = await read(OutlineRevisionDocument, subject as object, plainClient).catch(
          () => null,
        )
        if (answer !== null && answer.outline?.revision !== revision && !isOver) await load()
      }
      // Polls one after the other, however long one takes.
      if (!isOver) timer = setTimeout(look, isRunning ? POLL_MS : QUIET_POLL_MS)
    }
    timer = setTimeout(look, isRunning ? POLL_MS : QUIET_POLL_MS)
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [revision, isRunning, load, threadId, rootStepId])
  return { state, reload: load }
}
