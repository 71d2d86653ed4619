import { conclude } from '../../../src/evaluate/conclude.js'
import { EarlyStop } from '../../../src/evaluate/deciding/early-stop.js'
import type { EvalResult } from '../../../src/evaluate/deciding/results.js'
import { unitsInOrder } from '../../../src/evaluate/deciding/units.js'
import type { PreparedRun } from '../../../src/evaluate/prepared-run.js'
import { StepwellClient } from '../../../src/index.js'
import type { Observation } from '../../../src/statistics/index.js'
import type { Runs } from './worlds.js'

/** The exit code of a run, and the number of items that it took. */
export interface Exit {
  code: 0 | 1 | 2 | 3
  items: number
}

// It reaches no service: the outcome of a run is concluded without one.
const stepwell = new StepwellClient({ apiKey: 'none', fetch: () => Promise.reject(new Error()) })

/** The results of a run in the order in which it begins them, and what looks at them. */
export interface LookedAt {
  early: EarlyStop
  results: EvalResult[]
}

/** Returns the run of a world as `evaluate` looks at it while it goes on. */
export const lookedAt = (runs: Runs, margin = 0): LookedAt => {
  const { run, results } = runOf(runs, { margin, stopEarly: true })
  const byKey = new Map(results.map((one) => [one.key, one]))
  const units = unitsInOrder(run.data.items, run.groups, 0)
  return {
    early: EarlyStop.of(run) as EarlyStop,
    results: units.flat().map(({ key }) => byKey.get(key) as EvalResult),
  }
}

/** Returns the exit code that `evaluate` ends with when the runs of a world had these results: by its own functions. */
export const exitOf = (runs: Runs, decide: { margin: number; stopEarly?: boolean }): Exit => {
  const { run, results } = runOf(runs, decide)
  const usage = { tokens: 0, steps: 0, dollars: 0 }
  if (decide.stopEarly !== true) {
    const { exitCode } = conclude(run, { results, stopped: undefined, early: undefined, usage })
    return { code: exitCode, items: results.length }
  }
  const looked = lookedAt(runs, decide.margin)
  const seen: EvalResult[] = []
  for (const result of looked.results) {
    if (looked.early.isOver) break
    seen.push(result)
    looked.early.add(result)
  }
  const outcome = { results: seen, stopped: undefined, early: looked.early.end(), usage }
  return { code: conclude(run, outcome).exitCode, items: seen.length }
}

const runOf = (runs: Runs, decide: { margin: number; stopEarly?: boolean }) => {
  const [[metric, { base, candidate }] = ['', { base: [], candidate: [] }]] = Object.entries(runs)
  const results = resultsOf(metric, candidate)
  return { run: preparedRun(metric, base, results, decide), results }
}

const preparedRun = (
  metric: string,
  base: readonly Observation[],
  results: readonly EvalResult[],
  decide: { margin: number; stopEarly?: boolean },
): PreparedRun => {
  const items = results.map(({ key }) => ({ key, input: key, metadata: {} }))
  const groups = base.flatMap(({ item, group }) => (group === undefined ? [] : [[item, group]]))
  return {
    options: { name: 'simulated', decide: { metric, ...decide } },
    experimentId: 'candidate',
    isResumed: false,
    data: { items },
    stepwell,
    scorers: [],
    groups: new Map(groups as [string, string][]),
    base: { id: 'base', name: 'simulated', results: resultsOf(metric, base) },
    confidence: 0.95,
    repetitions: 1,
    begun: performance.now(),
  } as unknown as PreparedRun
}

const resultsOf = (name: string, observations: readonly Observation[]): EvalResult[] =>
  observations.map(({ item, value }) => ({
    key: item,
    repetition: 1,
    error: null,
    durationMs: 0,
    tokens: 0,
    cost: null,
    scores: [{ name, value, label: null, reason: null, scorer: null }],
  }))
