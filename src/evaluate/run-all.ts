import { newId } from '../values/id.js'
import { nameOfTrial, type Trial } from './data/item.js'
import type { EarlyVerdict } from './deciding/decision.js'
import { EarlyStop } from './deciding/early-stop.js'
import { reachOf } from './deciding/reach.js'
import { type EvalResult, inOrder, readResults, resultOf } from './deciding/results.js'
import { unitsInOrder } from './deciding/units.js'
import { allowedErrors } from './error-policy.js'
import type { PreparedRun, RunResults } from './prepared-run.js'
import { type Progress, progressView } from './reporting/progress.js'
import { afterSeconds } from './running/after-seconds.js'
import { Concurrency } from './running/concurrency.js'
import { LeaseKeeper } from './running/lease-keeper.js'
import { exceeded, type RunBudget } from './running/limits.js'
import { ResultWriter } from './running/result-writer.js'
import { Run, trialsByUnit, trialsOf } from './running/run.js'
import { type Usage, UsageMeter } from './running/usage.js'

const CONCURRENCY = 10
const LEASE_SECONDS = 30
const MAX_UNSTORED = 500

/** Runs the items that have no result yet, together with other processes, until all have one or the run has to end. */
export const runAll = async (prepared: PreparedRun): Promise<RunResults> => {
  const { options, experimentId, isResumed, data, stepwell, repetitions, groups } = prepared
  const stopsEarly = options.decide?.stopEarly === true && prepared.base !== undefined
  const trials = stopsEarly
    ? trialsByUnit(unitsInOrder(data.items, groups, options.seed ?? 0), repetitions)
    : trialsOf(data.items, repetitions)
  const place = { datasetExperimentId: experimentId, holder: newId() }
  const { signal = new AbortController().signal, budget = {} } = options
  const concurrency = new Concurrency(options.concurrency ?? CONCURRENCY)
  const meter = new UsageMeter(stepwell, options.prices ?? {})
  const leases = new LeaseKeeper(stepwell.api, place, {
    seconds: options.leaseSeconds ?? LEASE_SECONDS,
    takesOver: options.resume === 'take over',
    signal,
  })
  const readAll = () => readResults(stepwell.api, experimentId, signal)
  const tally = new Tally(prepared, stopsEarly, readAll)
  if (isResumed && stopsEarly) tally.look(await readAll())
  const showTo = viewOf(options)
  const reach = reachOf(prepared)
  if (reach !== undefined) showTo.begin(reach)
  const begun = performance.now()
  const run: Run = new Run(
    {
      name: options.name,
      experimentId,
      stepwell,
      task: options.task,
      scorers: prepared.scorers,
      seed: options.seed ?? 0,
      limits: options.limits ?? {},
      decide: options.decide,
      retry: options.retry ?? {},
      concurrency,
      meter,
      measured: prepared.measured,
      isPriced: (options.limits?.dollars ?? budget.dollars) !== undefined,
      // An item that a rule puts into no group is its own, whatever its metadata says.
      groupOf: (key) => groups.get(key) ?? (options.cluster === undefined ? null : `item ${key}`),
      leases,
      writer: new ResultWriter(stepwell.api, place),
      // A verdict should not come after items that it makes needless.
      maxUnstored: stopsEarly ? concurrency.most : MAX_UNSTORED,
      signal,
      isOver: () => tally.isOver() ?? overBudget(budget, run.started, begun, meter.total),
      onResult: (trial, stored) => {
        if (stored === undefined) tally.addOfOther(trial)
        else tally.add(resultOf(stored))
        showTo.update({
          ...tally.progress(trials.length, performance.now() - begun),
          active: run.active,
          concurrency: concurrency.allowed,
        })
      },
    },
    trials,
  )
  const cancel = afterSeconds(budget.seconds ?? Number.POSITIVE_INFINITY, () =>
    run.giveUp(new Error('the budget of the run is used')),
  )
  try {
    const { stopped } = await run.run()
    const isWhole = tally.own.length === trials.length
    const results = isWhole ? tally.own : await readAll()
    return {
      results: inOrder(results, data.items, repetitions),
      stopped,
      early: tally.end(results),
      usage: { ...meter.total },
    }
  } finally {
    cancel()
    leases.close()
    meter.close()
    showTo.end()
  }
}

/** Counts the results of a run. */
class Tally {
  /** Results of this process. */
  readonly own: EvalResult[] = []
  readonly #early: EarlyStop | undefined
  readonly #options: PreparedRun['options']
  readonly #allowed: number
  readonly #readAll: () => Promise<EvalResult[]>
  #isReading = false
  #others = 0
  #errors = 0

  constructor(prepared: PreparedRun, stopsEarly: boolean, readAll: () => Promise<EvalResult[]>) {
    const { options, data, repetitions } = prepared
    this.#options = options
    this.#allowed = allowedErrors(options.errors, data.items.length * repetitions)
    this.#early = stopsEarly ? EarlyStop.of(prepared) : undefined
    this.#readAll = readAll
  }

  /** Adds a result of this process. */
  add(result: EvalResult): void {
    if (result.error !== null) this.#errors++
    this.own.push(result)
    this.#options.onResult?.(result)
    this.look([result])
  }

  /** Notes a result of another process. */
  addOfOther({ item, repetition }: Trial): void {
    this.#others++
    this.#early?.noteElsewhere(nameOfTrial(item.key, repetition))
    this.#readOthers()
  }

  /** Looks if results make the verdict clear. */
  look(results: readonly EvalResult[]): void {
    for (const result of results) this.#early?.add(result)
    this.#readOthers()
  }

  /** Returns the verdict of a run that was looked at, by all results that are stored. */
  end(results: readonly EvalResult[]): EarlyVerdict | undefined {
    for (const result of results) this.#early?.add(result)
    return this.#early?.end()
  }

  /** Reads the results of other processes in the background, when the next look waits for them alone. */
  #readOthers(): void {
    if (this.#isReading || this.#early?.needsOthers !== true) return
    this.#isReading = true
    this.#readAll()
      .then((results) => {
        this.#isReading = false
        this.look(results)
      })
      // The next result tries again; at the end all are read anyway.
      .catch(() => {
        this.#isReading = false
      })
  }

  isOver(): string | undefined {
    if (this.#early?.isOver === true) return 'the verdict is clear'
    return this.#options.errors?.stop === true && this.#errors > this.#allowed
      ? 'too many items failed'
      : undefined
  }

  progress(total: number, elapsedMs: number): Omit<Progress, 'active' | 'concurrency'> {
    const done = this.own.length + this.#others
    const speed = this.own.length / elapsedMs
    const remainingMs = this.own.length === 0 ? null : (total - done) / speed
    return { done, total, errors: this.#errors, remainingMs }
  }
}

const overBudget = (
  budget: RunBudget,
  started: number,
  begun: number,
  used: Usage,
): string | undefined => {
  const { items, seconds } = budget
  if (items !== undefined && started >= items) return `the budget of ${items} items is used`
  if (seconds !== undefined && performance.now() - begun >= seconds * 1000 - 1)
    return `the budget of ${seconds} seconds is used`
  const reason = exceeded(budget, used)
  return reason === undefined ? undefined : `the budget is used: ${reason}`
}

const viewOf = ({ progress = true, name }: PreparedRun['options']) => {
  if (progress === true) return progressView(name)
  const update = typeof progress === 'function' ? progress : () => {}
  return { begin: () => {}, update, end: () => {} }
}
