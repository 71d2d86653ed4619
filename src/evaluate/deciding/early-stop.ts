import { createSequentialDecision } from '../../statistics/index.js'
import type { EvalItem } from '../data/item.js'
import type { PreparedRun } from '../prepared-run.js'
import type { Base } from './base.js'
import { isHigherBetter } from './compare-runs.js'
import type { DecideOptions } from './decide-options.js'
import type { EarlyVerdict } from './decision.js'
import { scoresOf } from './observations.js'
import type { EvalResult } from './results.js'

/** Looks at a run while it goes on: an item with all its repetitions, or a group of items, at a time. */
export class EarlyStop {
  readonly #metric: string
  readonly #units = new Map<string, { keys: string[]; results: EvalResult[]; missing: number }>()
  readonly #unitOf = new Map<string, string>()
  readonly #base = new Map<string, EvalResult[]>()
  readonly #groups: ReadonlyMap<string, string>
  readonly #decision: ReturnType<typeof createSequentialDecision>

  constructor(
    { metric, margin = 0, range }: DecideOptions,
    run: {
      base: Base
      items: readonly EvalItem[]
      groups: ReadonlyMap<string, string>
      repetitions: number
      confidence: number
      higherIsBetter: boolean
    },
  ) {
    const { items, groups, repetitions, confidence, higherIsBetter } = run
    this.#metric = metric
    this.#groups = groups
    for (const one of run.base.results)
      if (one.scores.some(({ name }) => name === metric))
        this.#base.set(one.key, [...(this.#base.get(one.key) ?? []), one])
    const shared = items.filter(({ key }) => this.#base.has(key))
    for (const { key } of shared) {
      const name = groups.has(key) ? `group ${groups.get(key)}` : `item ${key}`
      const unit = this.#units.get(name) ?? { keys: [], results: [], missing: 0 }
      unit.keys.push(key)
      unit.missing += repetitions
      this.#units.set(name, unit)
      this.#unitOf.set(key, name)
    }
    this.#decision = createSequentialDecision({
      confidence,
      margin,
      higherIsBetter,
      items: Math.max(1, shared.length),
      groupSize: Math.max(1, ...[...this.#units.values()].map(({ keys }) => keys.length)),
      ...(range === undefined ? {} : { range }),
    })
  }

  /** Creates one for a run that has a base and a rule. */
  static of({ options, base, data, groups, repetitions, confidence, scorers }: PreparedRun) {
    if (options.decide === undefined || base === undefined) return undefined
    const { metric } = options.decide
    const higherIsBetter = isHigherBetter(base.results, metric, scorers)
    const run = { base, items: data.items, groups, repetitions, confidence, higherIsBetter }
    return new EarlyStop(options.decide, run)
  }

  /** Adds a result. Returns the verdict once it is clear; `undefined` before. */
  observe(result: EvalResult): EarlyVerdict | undefined {
    const unit = this.#units.get(this.#unitOf.get(result.key) ?? '')
    if (unit === undefined) return this.verdict
    unit.results.push(result)
    if (--unit.missing > 0) return this.verdict
    // Items without a score of the candidate are left out, as they are in the end.
    const scored = new Set(
      unit.results
        .filter(({ scores }) => scores.some(({ name }) => name === this.#metric))
        .map(({ key }) => key),
    )
    const earlier = [...scored].flatMap((key) => this.#base.get(key) ?? [])
    if (earlier.length > 0)
      this.#decision.observe({
        base: scoresOf(earlier, this.#metric, this.#groups),
        candidate: scoresOf(unit.results, this.#metric, this.#groups),
      })
    return this.verdict
  }

  get verdict(): EarlyVerdict | undefined {
    const { verdict, difference, items } = this.#decision
    if (verdict === 'cannot tell') return undefined
    return { verdict, difference, interval: this.#decision.interval, items }
  }
}
