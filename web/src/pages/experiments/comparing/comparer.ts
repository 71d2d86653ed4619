import {
  compareRuns,
  type Quantity,
  type RunDifferences,
  scoreNamesOf,
  scorersOf,
} from '../../../stats/statistics.js'
import { type Better, directionOf } from './direction.js'
import type { Chosen, Shown, View } from './messages.js'
import { type ComparedResult, countRows, type Row, rowsOf, selectRows } from './rows.js'

/** Results of several experiments, and the views of them. A view of what was computed before costs little. */
export class Comparer {
  readonly #runs: ComparedResult[][] = []
  /** By the places of the experiments. */
  readonly #groups: Map<string, string>[] = []
  readonly #lower = new Set<string>()
  #differences: { key: string; found: RunDifferences[] } | undefined
  #rows: { key: string; found: Row[] } | undefined

  /** Adds results of an experiment; those of the base at place 0. */
  add(
    place: number,
    results: readonly ComparedResult[],
    groups: readonly [key: string, group: string][] = [],
    lower: readonly string[] = [],
  ): void {
    while (this.#runs.length <= place) {
      this.#runs.push([])
      this.#groups.push(new Map())
    }
    const run = this.#runs[place] ?? []
    for (const result of results) run.push(result)
    for (const [key, group] of groups) this.#groups[place]?.set(key, group)
    for (const name of lower) this.#lower.add(name)
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
    const differences = this.#compare(
      JSON.stringify([shown, margin, directions]),
      isHigherBetter,
      (score) => (shown !== undefined && 'score' in shown && shown.score === score ? margin : 0),
    )
    const quantity: Quantity = shown ?? { measure: 'errors' }
    const isHigher = 'score' in quantity && isHigherBetter(quantity.score)
    const rows = this.#laidOut(quantity, isHigher)
    const selected = selectRows(rows, { order, only, isHigherBetter: isHigher })
    return {
      names,
      chosen: shown,
      better: directions,
      differences,
      rows: selected.slice(from, from + count),
      counts: countRows(rows),
      results: this.#runs.map(({ length }) => length),
    }
  }

  #compare(
    key: string,
    isHigherBetter: (score: string) => boolean,
    marginOf: (score: string) => number,
  ): RunDifferences[] {
    if (this.#differences?.key !== key) {
      const [base = [], ...candidates] = this.#runs
      // The last experiment that states a group, as a candidate's run groups the base, too.
      const groups = new Map(this.#groups.flatMap((own) => [...own]))
      const groupOf = (item: string) => groups.get(item)
      const found = compareRuns(base, candidates, { groupOf, isHigherBetter, marginOf })
      this.#differences = { key, found }
    }
    return this.#differences.found
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
