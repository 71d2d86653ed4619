import {
  compareRuns,
  type Quantity,
  type RunDifferences,
  scoreNamesOf,
  scorersOf,
} from '../../../stats/statistics.js'
import { decideByRule, type RuleDecision, rangeThatHolds } from './decisions.js'
import { type Better, directionOf } from './direction.js'
import type { Chosen, Shown, View } from './messages.js'
import { type ComparedResult, countRows, type Row, rowsOf, selectRows } from './rows.js'
import type { Rule, Stated } from './stated.js'

const CONFIDENCE = 0.95
const NOTHING: Stated = { lower: [], confidence: undefined, rule: undefined }

/** The terms of a comparison. */
interface Terms {
  directions: Readonly<Record<string, Better>>
  chosen: Chosen | undefined
  margin: number
  confidence: number
}

/** Results of several experiments, and the views of them. A view of what was computed before costs little. */
export class Comparer {
  readonly #runs: ComparedResult[][] = []
  /** By the places of the experiments. */
  readonly #groups: Map<string, string>[] = []
  readonly #lower = new Set<string>()
  /** By the places of the experiments. */
  readonly #stated: Stated[] = []
  #differences:
    | {
        key: string
        found: { differences: RunDifferences[]; decisions: (RuleDecision | undefined)[] }
      }
    | undefined
  #rows: { key: string; found: Row[] } | undefined

  /** Adds results of an experiment; those of the base at place 0. */
  add(
    place: number,
    results: readonly ComparedResult[],
    groups: readonly [key: string, group: string][] = [],
    stated: Stated = NOTHING,
  ): void {
    while (this.#runs.length <= place) {
      this.#runs.push([])
      this.#groups.push(new Map())
    }
    const run = this.#runs[place] ?? []
    for (const result of results) run.push(result)
    for (const [key, group] of groups) this.#groups[place]?.set(key, group)
    for (const name of stated.lower) this.#lower.add(name)
    this.#stated[place] = stated
    this.#differences = undefined
    this.#rows = undefined
  }

  view({ chosen, better, margin, order, only, from, count }: View): Omit<Shown, 'ticket'> {
    const names = this.#names()
    const [most] = names
    const shown: Chosen | undefined = chosen ?? (most === undefined ? undefined : { score: most })
    // Assigned one by one, a score with the name __proto__ would be lost.
    const directions = Object.fromEntries(
      names.map((name): [string, Better] => [
        name,
        !Object.hasOwn(better, name) && this.#isLower(name) ? 'LOWER' : directionOf(better, name),
      ]),
    )
    const isHigherBetter = (score: string) => directionOf(directions, score) !== 'LOWER'
    const rule = shown !== undefined && 'score' in shown ? this.#lastRuleOn(shown.score) : undefined
    const terms: Terms = {
      directions,
      chosen: shown,
      margin: margin ?? rule?.margin ?? 0,
      confidence: this.#confidence,
    }
    const { differences, decisions } = this.#compare(terms)
    const quantity: Quantity = shown ?? { measure: 'errors' }
    const isHigher = 'score' in quantity && isHigherBetter(quantity.score)
    const rows = this.#laidOut(quantity, isHigher)
    const selected = selectRows(rows, { order, only, isHigherBetter: isHigher })
    return {
      names,
      chosen: shown,
      better: directions,
      margin: terms.margin,
      confidence: terms.confidence,
      differences,
      decisions,
      rows: selected.slice(from, from + count),
      counts: countRows(rows),
      results: this.#runs.map(({ length }) => length),
    }
  }

  #compare(terms: Terms) {
    const key = JSON.stringify(terms)
    if (this.#differences?.key !== key) {
      const { directions, chosen, margin, confidence } = terms
      const [base = [], ...candidates] = this.#runs
      // The last experiment that states a group, as a candidate's run groups the base, too.
      const groups = new Map(this.#groups.flatMap((own) => [...own]))
      const groupOf = (item: string) => groups.get(item)
      const isHigherBetter = (score: string) => directionOf(directions, score) !== 'LOWER'
      const differences = compareRuns(base, candidates, {
        groupOf,
        isHigherBetter,
        marginOf: (score) =>
          chosen !== undefined && 'score' in chosen && chosen.score === score ? margin : 0,
        rangeOf: (score) => rangeThatHolds(this.#runs, score, this.#lastRuleOn(score)?.range),
        confidence,
      })
      const decisions = candidates.map((candidate, index) => {
        const { rule, confidence: own = CONFIDENCE } = this.#stated[index + 1] ?? NOTHING
        if (rule === undefined || Object.hasOwn(differences[index]?.refused ?? {}, rule.metric))
          return undefined
        const higherIsBetter = isHigherBetter(rule.metric)
        return decideByRule(rule, base, candidate, { groupOf, higherIsBetter, confidence: own })
      })
      this.#differences = { key, found: { differences, decisions } }
    }
    return this.#differences.found
  }

  /** The one that the last run states. */
  get #confidence(): number {
    return this.#stated.findLast((one) => one?.confidence !== undefined)?.confidence ?? CONFIDENCE
  }

  #lastRuleOn(score: string): Rule | undefined {
    return this.#stated.findLast((one) => one?.rule?.metric === score)?.rule
  }

  #laidOut(quantity: Quantity, isHigherBetter: boolean): Row[] {
    const key = JSON.stringify([quantity, isHigherBetter])
    if (this.#rows?.key !== key)
      this.#rows = { key, found: rowsOf(this.#runs, quantity, isHigherBetter) }
    return this.#rows.found
  }

  /** Returns the names of scores, the most frequent first. */
  #names(): string[] {
    const uses = new Map<string, number>()
    for (const name of scoreNamesOf(this.#runs.flat())) uses.set(name, 0)
    for (const results of this.#runs)
      for (const { scores } of results)
        for (const { name } of scores) uses.set(name, (uses.get(name) ?? 0) + 1)
    return [...uses].sort(([, a], [, b]) => b - a).map(([name]) => name)
  }

  #isLower(score: string): boolean {
    return this.#runs.some((results) =>
      scorersOf(results, score).some((scorer) => this.#lower.has(scorer.replace(/@[^@]*$/, ''))),
    )
  }
}
