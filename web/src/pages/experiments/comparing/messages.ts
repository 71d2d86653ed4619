import type { Measure, RunDifferences } from '../../../stats/statistics.js'
import type { RuleDecision } from './decisions.js'
import type { Better } from './direction.js'
import type { ComparedResult, Counts, Only, Order, Row } from './rows.js'
import type { Stated } from './stated.js'

/** The quantity by which items are ordered. */
export type Chosen = { readonly score: string } | { readonly measure: Measure }

/** A part of the comparison, as a page shows it. */
export interface View {
  /** Undefined: the score that most results have. */
  chosen: Chosen | undefined
  /** The good directions of scores that have a definition. */
  better: Readonly<Record<string, Better>>
  /** The loss of the chosen score that is accepted. Undefined: that of the rule of the last run that has one. */
  margin: number | undefined
  order: Order
  only: Only
  from: number
  count: number
}

/** Messages to the engine. Experiments are named by their places; 0 is the base. */
export type ToEngine =
  | {
      ask: 'add'
      place: number
      results: ComparedResult[]
      /** The groups of items that have one. */
      groups: [key: string, group: string][]
      stated: Stated
    }
  | { ask: 'view'; ticket: number; view: View }

/** The answer to a question for a view. */
export interface Shown {
  ticket: number
  /** Names of scores, the most frequent first. */
  names: string[]
  chosen: Chosen | undefined
  better: Readonly<Record<string, Better>>
  /** The loss of the chosen score that is accepted. */
  margin: number
  /** The share of pages on which no verdict is wrong, as the last run stated it. */
  confidence: number
  /** Of each experiment but the base. */
  differences: RunDifferences[]
  /** The verdicts of their rules; undefined of those without one, or whose score can't be compared. */
  decisions: (RuleDecision | undefined)[]
  rows: Row[]
  counts: Counts
  /** Numbers of results, by the place of the experiment. */
  results: number[]
}

export type FromEngine = { tells: 'shown'; shown: Shown } | { tells: 'failed'; message: string }
