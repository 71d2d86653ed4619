import { Turn } from '../../kernel/sharing/turn.js'
import type { OrderedSteps } from './ordered-steps.js'

/** Steps after which others may have their turn. */
const AT_ONCE = 4096

/** A run of steps that follow each other: their place in the outline of before, or NEW, and their number. */
export type Run = [from: number, count: number]

export const NEW = -1

/**
 * Returns the steps of an outline as runs of those of an outline that was read before, and of those that are new there
 * or have changed. Takes linear time, and lets others work in between.
 */
export const runsSince = async (now: OrderedSteps, before: OrderedSteps): Promise<Run[]> => {
  const turn = new Turn()
  const isSame = now.comparedWith(before)
  const placeBefore = await placesBefore(now, before, turn)
  const runs: Run[] = []
  for (let place = 0; place < now.count; place++) {
    if (place % AT_ONCE === 0 && turn.isOver()) await turn.next()
    const found = placeBefore(place)
    const from = found !== undefined && isSame(place, found) ? found : NEW
    const last = runs.at(-1)
    if (last !== undefined && from === (last[0] === NEW ? NEW : last[0] + last[1])) last[1]++
    else runs.push([from, 1])
  }
  return runs
}

/** Returns true when nothing changed. Takes linear time, and lets others work in between. */
export const isSame = async (now: OrderedSteps, before: OrderedSteps): Promise<boolean> => {
  const runs = await runsSince(now, before)
  return runs.length === 1 && runs[0]?.[0] === 0 && now.count === before.count
}

/**
 * Returns a function that finds the place that a step had. Steps that come first and last in both need no table: of a thread
 * that grows at its end, that is nearly everything.
 */
const placesBefore = async (now: OrderedSteps, before: OrderedSteps, turn: Turn) => {
  const shared = Math.min(now.count, before.count)
  let first = 0
  while (first < shared && now.idAt(first) === before.idAt(first))
    if (++first % AT_ONCE === 0 && turn.isOver()) await turn.next()
  const shift = before.count - now.count
  let end = now.count
  while (end > first && end + shift > first && now.idAt(end - 1) === before.idAt(end - 1 + shift))
    if (--end % AT_ONCE === 0 && turn.isOver()) await turn.next()
  const between = new Map<string, number>()
  for (let place = first; place < end + shift; place++) {
    if (place % AT_ONCE === 0 && turn.isOver()) await turn.next()
    between.set(before.idAt(place), place)
  }
  return (place: number): number | undefined =>
    place < first ? place : place >= end ? place + shift : between.get(now.idAt(place))
}
