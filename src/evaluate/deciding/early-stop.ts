import { createSequentialDecision, type SequentialDecision } from '../../statistics/index.js'
import { nameOfTrial } from '../data/item.js'
import type { PreparedRun } from '../prepared-run.js'
import type { Base } from './base.js'
import { isHigherBetter } from './compare-runs.js'
import type { EarlyVerdict } from './decision.js'
import { scoresOf } from './observations.js'
import type { EvalResult } from './results.js'
import { unitsInOrder } from './units.js'

/** An item with all its repetitions, or a group of such items. */
interface Unit {
  /** Results that are not there yet, by the names of their trials. */
  readonly missing: Set<string>
  readonly results: EvalResult[]
}

/**
 * Looks at a run while it goes on. Units are looked at in the order in which they begin and not as they end: quick items often
 * are those that fail. So all processes of a run come to the same verdict after the same items.
 */
export class EarlyStop {
  readonly #metric: string
  readonly #units: Unit[] = []
  readonly #unitOf = new Map<string, Unit>()
  /** Trials with a result of another process, which this one has not read. */
  readonly #elsewhere = new Set<string>()
  readonly #base = new Map<string, EvalResult[]>()
  readonly #groups: ReadonlyMap<string, string>
  readonly #decision: SequentialDecision
  readonly #planned: number
  #next = 0

  private constructor(run: PreparedRun, base: Base, metric: string) {
    const { options, data, groups, repetitions, confidence, scorers } = run
    this.#metric = metric
    this.#groups = groups
    for (const one of base.results)
      if (one.scores.some(({ name }) => name === metric))
        this.#base.set(one.key, [...(this.#base.get(one.key) ?? []), one])
    let planned = 0
    for (const items of unitsInOrder(data.items, groups, options.seed ?? 0)) {
      const unit: Unit = { missing: new Set(), results: [] }
      for (const { key } of items) {
        if (!this.#base.has(key)) continue
        planned++
        for (let repetition = 1; repetition <= repetitions; repetition++)
          unit.missing.add(nameOfTrial(key, repetition))
      }
      for (const trial of unit.missing) this.#unitOf.set(trial, unit)
      if (unit.missing.size > 0) this.#units.push(unit)
    }
    this.#planned = planned
    const { margin = 0, range } = options.decide ?? {}
    this.#decision = createSequentialDecision({
      confidence,
      margin,
      higherIsBetter: isHigherBetter(base.results, metric, scorers),
      items: Math.max(1, planned),
      ...(range === undefined ? {} : { range }),
    })
  }

  /** Creates one for a run that has a base and a rule. */
  static of(run: PreparedRun): EarlyStop | undefined {
    const { options, base } = run
    if (options.decide === undefined || base === undefined) return undefined
    return new EarlyStop(run, base, options.decide.metric)
  }

  /** Adds a result; one that is known already changes nothing. */
  add(result: EvalResult): void {
    const trial = nameOfTrial(result.key, result.repetition)
    const unit = this.#unitOf.get(trial)
    if (unit === undefined || !unit.missing.delete(trial)) return
    unit.results.push(result)
    for (;;) {
      const first = this.#units[this.#next]
      if (first === undefined || first.missing.size > 0) return
      this.#next++
      this.#observe(first)
    }
  }

  /** Notes that another process has stored a result. */
  noteElsewhere(trial: string): void {
    if (this.#unitOf.has(trial)) this.#elsewhere.add(trial)
  }

  /** True when the results of other processes are all that the next look waits for. */
  get needsOthers(): boolean {
    if (this.isOver || this.#elsewhere.size === 0) return false
    let items = this.#decision.items
    for (const { missing, results } of this.#units.slice(this.#next)) {
      if ([...missing].some((trial) => !this.#elsewhere.has(trial))) return false
      items += missing.size + results.length
      if (items >= this.#decision.nextLook) return true
    }
    return this.#next < this.#units.length
  }

  /** True once the rest of the items is needless. */
  get isOver(): boolean {
    return this.#decision.isOver
  }

  /** Takes the last look, at all units that are there. Returns the verdict; `undefined` when no unit is. */
  end(): EarlyVerdict | undefined {
    // By the items that were looked at, which are the same for all processes; later results of others are not.
    const isEarly = this.isOver && this.#decision.items < this.#planned
    if (!this.isOver) {
      for (const unit of this.#units.slice(this.#next))
        if (unit.missing.size === 0) this.#observe(unit)
      this.#decision.end()
    }
    const { comparison, items } = this.#decision
    if (comparison === undefined) return undefined
    const { verdict, difference, interval, reason, moreItems } = comparison
    return { verdict, difference, interval, reason, moreItems, items, isEarly }
  }

  #observe({ results }: Unit): void {
    // Items without a score of the candidate are left out, as they are in the end.
    const scored = new Set(
      results
        .filter(({ scores }) => scores.some(({ name }) => name === this.#metric))
        .map(({ key }) => key),
    )
    const earlier = [...scored].flatMap((key) => this.#base.get(key) ?? [])
    if (earlier.length > 0)
      this.#decision.observe({
        base: scoresOf(earlier, this.#metric, this.#groups),
        candidate: scoresOf(results, this.#metric, this.#groups),
      })
  }
}
