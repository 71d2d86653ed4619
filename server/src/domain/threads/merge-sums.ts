import type { StepSums } from '../../storage/sums.js'

/** Returns the sums over all steps of a thread, from those over parts of them; undefined without any. */
export const mergeSums = (parts: readonly StepSums[]): StepSums | undefined =>
  parts.length === 0 ? undefined : parts.reduce(merge)

const merge = (a: StepSums, b: StepSums): StepSums => ({
  id: a.id,
  steps: a.steps + b.steps,
  errors: a.errors + b.errors,
  tokens: plus(a.tokens, b.tokens),
  cost: plus(a.cost, b.cost),
  unpriced: a.unpriced + b.unpriced,
  isWaiting: a.isWaiting || b.isWaiting,
  isOver: a.isOver || b.isOver,
  begin: least(a.begin, b.begin),
  end: greatest(a.end, b.end),
  started: least(a.started, b.started),
  last: greatest(a.last, b.last),
  lastActivity: greatest(a.lastActivity, b.lastActivity),
  lastTurn: greatest(a.lastTurn, b.lastTurn),
  mayCallTools: a.mayCallTools || b.mayCallTools,
  mayBeNested: a.mayBeNested || b.mayBeNested,
})

/** As SQL adds up: what is not known counts nothing. */
const plus = (a: number | null, b: number | null) => (a === null || b === null ? (a ?? b) : a + b)
const least = (a: string | null, b: string | null) =>
  a === null || b === null ? (a ?? b) : a < b ? a : b
const greatest = (a: string | null, b: string | null) =>
  a === null || b === null ? (a ?? b) : a > b ? a : b
