import { useCallback, useEffect, useRef, useState } from 'react'
import { OutlineRevisionDocument } from '../../../../generated/operations.js'
import type { Problem } from '../../../data/problem.js'
import { ProblemError, read } from '../../../data/use-data.js'
import { type ReadOutline, readAgain, readOutline, type Subject } from './read-outline.js'

export type OutlineState =
  | { is: 'loading' }
  | { is: 'failed'; problem: Problem }
  | { is: 'gone' }
  | ({ is: 'there' } & ReadOutline)

const POLL_MS = 2000
/** Threads in which nothing runs are polled less often; they may continue. */
const QUIET_POLL_MS = 10_000
/** A look takes at most a fifth of the time of the service, however large the thread is. */
const PAUSE_FACTOR = 4

/** The outline of a thread or run, read again after changes; `behind` is the reason why nothing is known of later ones. */
export const useOutline = (threadId: string | undefined, rootStepId: string | undefined) => {
  const [state, setState] = useState<OutlineState>({ is: 'loading' })
  const [behind, setBehind] = useState<Problem>()
  const shown = useRef<Subject>(undefined)
  /** The whole outline as it was read last. */
  const known = useRef<ReadOutline>(undefined)
  const load = useCallback(
    async (revision?: string) => {
      const subject = subjectOf(threadId, rootStepId)
      shown.current = subject
      // An answer may come when another thread is shown, or be older than one that was asked for later.
      const set: typeof setState = (next) => shown.current === subject && setState(next)
      try {
        const found =
          known.current === undefined
            ? await readOutline(subject, (beginning) => set({ is: 'there', ...beginning }))
            : await readAgain(subject, known.current, revision)
        if (shown.current === subject) known.current = found ?? undefined
        set(found === null ? { is: 'gone' } : { is: 'there', ...found })
        if (shown.current === subject) setBehind(undefined)
      } catch (error) {
        if (!(error instanceof ProblemError)) throw error
        const { problem } = error
        // The last outline stays; the next poll may reach the service again.
        set((before) => (isWhole(before) ? before : { is: 'failed', problem }))
        if (shown.current === subject) setBehind(problem)
      }
    },
    [threadId, rootStepId],
  )
  // Buttons call it with their event.
  const reload = useCallback(() => load(), [load])
  const tookMs = useRef(0)
  const timed = useCallback(async <Result>(work: () => Promise<Result>): Promise<Result> => {
    const begin = performance.now()
    const result = await work()
    tookMs.current = performance.now() - begin
    return result
  }, [])
  useEffect(() => {
    setState({ is: 'loading' })
    known.current = undefined
    setBehind(undefined)
    void timed(load)
  }, [load, timed])
  const revision = state.is === 'there' ? state.revision : undefined
  const isRunning = state.is === 'there' && (state.runningCount > 0 || state.outline.count === 0)
  useEffect(() => {
    if (revision === undefined) return
    const pollMs = isRunning ? POLL_MS : QUIET_POLL_MS
    const pauseMs = () => Math.max(pollMs, tookMs.current * PAUSE_FACTOR)
    let isOver = false
    let timer: ReturnType<typeof setTimeout>
    const look = async () => {
      if (document.visibilityState === 'visible')
        await timed(async () => {
          const answer = await read(OutlineRevisionDocument, subjectOf(threadId, rootStepId)).catch(
            (error: Error) => error,
          )
          if (isOver) return
          if (answer instanceof Error)
            setBehind(answer instanceof ProblemError ? answer.problem : undefined)
          else if (answer.outline?.revision !== revision) await load(answer.outline?.revision)
          else setBehind(undefined)
        })
      // Polls one after the other, however long one takes.
      if (!isOver) timer = setTimeout(look, pauseMs())
    }
    timer = setTimeout(look, pauseMs())
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [revision, isRunning, load, timed, threadId, rootStepId])
  return { state, behind: isWhole(state) ? behind : undefined, reload }
}

const isWhole = (state: OutlineState): boolean =>
  state.is === 'there' && state.revision !== undefined

const subjectOf = (threadId: string | undefined, rootStepId: string | undefined): Subject =>
  threadId === undefined ? { rootStepId: rootStepId ?? '' } : { threadId }
