import { useEffect, useRef, useState } from 'react'
import { startWorker } from '../../../browser/start-worker.js'
import type { Problem } from '../../../data/problem.js'
import { ProblemError } from '../../../data/use-data.js'
import engineUrl from './engine.ts?worker&url'
import { type Experiment, readResults } from './load.js'
import type { FromEngine, Shown, ToEngine, View } from './messages.js'
import { statedIn } from './stated.js'

/** The results that were read so far. */
export interface Loading {
  read: number
  total: number
}

interface State {
  key: string
  experiments?: (Experiment | undefined)[]
  loading?: Loading
  shown?: Shown
  problem?: Problem
}

/** Reads all results of some experiments and compares them, in a thread of its own; the first is the base. */
export const useComparison = (ids: readonly string[], view: View | undefined) => {
  const key = ids.join(' ')
  const [state, setState] = useState<State>({ key })
  const [attempt, setAttempt] = useState(0)
  const engine = useRef<Worker>(undefined)
  const ticket = useRef(0)
  useEffect(() => {
    if (ids.length < 2) return setState({ key })
    let isCancelled = false
    const worker = startWorker('comparison', engineUrl)
    engine.current = worker
    const fail = (problem: Problem) =>
      !isCancelled && setState((before) => ({ ...before, problem }))
    worker.addEventListener('message', ({ data }: MessageEvent<FromEngine>) => {
      if (isCancelled) return
      if (data.tells === 'failed') fail({ code: 'INTERNAL', message: data.message })
      else if (data.shown.ticket === ticket.current)
        setState((before) => ({ ...before, shown: data.shown }))
    })
    worker.addEventListener('error', () =>
      fail({ code: 'INTERNAL', message: 'The comparison could not be started.' }),
    )
    const read = ids.map(() => 0)
    const totals = ids.map(() => 0)
    const load = async (id: string, place: number): Promise<Experiment | undefined> => {
      let found: Experiment | undefined
      for await (const { experiment, ...page } of readResults(id)) {
        if (isCancelled) return found
        found = experiment
        read[place] = (read[place] ?? 0) + page.results.length
        totals[place] = Math.max(experiment.itemCount, read[place] ?? 0)
        tell(worker, { ask: 'add', place, ...page })
        const loading = { read: sum(read), total: sum(totals) }
        setState((before) => (before.key === key ? { ...before, loading } : { key, loading }))
      }
      // Each has its place, also one that was deleted.
      if (found === undefined)
        tell(worker, { ask: 'add', place, results: [], groups: [], stated: statedIn(null) })
      return found
    }
    setState({ key })
    Promise.all(ids.map(load)).then(
      (experiments) => !isCancelled && setState({ key, experiments }),
      (error) => error instanceof ProblemError && fail(error.problem),
    )
    return () => {
      isCancelled = true
      worker.terminate()
    }
  }, [key, attempt])
  // Results of another choice would stand below the names of this one.
  const own: State = state.key === key ? state : { key }
  const { experiments, problem, shown, loading } = own
  const isReady = experiments !== undefined
  const asked = view === undefined ? undefined : JSON.stringify(view)
  useEffect(() => {
    if (!isReady || asked === undefined || engine.current === undefined) return
    ticket.current++
    tell(engine.current, { ask: 'view', ticket: ticket.current, view: JSON.parse(asked) as View })
  }, [isReady, asked, key, attempt])
  return {
    experiments,
    loading,
    problem,
    shown,
    retry: () => setAttempt((before) => before + 1),
  }
}

const tell = (worker: Worker, message: ToEngine) => worker.postMessage(message)
const sum = (values: readonly number[]) => values.reduce((all, value) => all + value, 0)
