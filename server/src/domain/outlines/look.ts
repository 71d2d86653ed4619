import type { Instant } from '../../kernel/instant.js'
import { Turn } from '../../kernel/sharing/turn.js'
import type { PartSum } from '../../storage/outlines/look.js'
import { instantOf, type OrderedSteps } from './ordered-steps.js'

/** Milliseconds since 1970 up to which numbers tell microseconds apart: until the year 2109. */
const MAX_BOUND_MS = 2 ** 42
/** Steps after which others may have their turn. */
const AT_ONCE = 4096

/**
 * A look at the steps of a thread, in parts by their start. A part with the same sum in two looks is as it was, so that
 * its steps that were read after the first one need not be read after the second.
 */
export interface Look {
  threadId: string
  /** Each begins half a millisecond after this whole one, since 1970, as few clients tell such moments. */
  bounds: readonly number[]
  parts: readonly PartSum[]
}

/** Steps as they were read after a look. */
export interface Known {
  look: Look
  steps: OrderedSteps
  /** The bounds of the next look. All bounds of this one are among them, so that sums can be compared. */
  bounds: readonly number[]
}

/** A time whose steps changed, and the ranks that known steps have outside of such times. */
export interface Changed {
  times: { from: Instant | undefined; to: Instant | undefined }[]
  /** The number of its steps. */
  count: number
  kept: [from: number, to: number][]
}

/** Returns a text that changes with anything that an outline tells. */
export const revisionOf = ({ parts }: Look): string => {
  const sum = parts.reduce((all, part) => all + part.sum, 0n)
  return `${countOf({ parts })}-${sum}`
}

export const countOf = ({ parts }: Pick<Look, 'parts'>): number =>
  parts.reduce((all, part) => all + part.count, 0)

export const instantOfBound = (bound: number): Instant => `${instantOf(bound).slice(0, -4)}500Z`

/** The start of a part, in microseconds, as moments are told. */
const startOf = (bound: number | undefined): number =>
  bound === undefined ? Number.POSITIVE_INFINITY : bound * 1000 + 500

/** Divides steps that were read after a look into parts of some steps. Lets others work in between. */
export const dividedFurther = async (
  look: Look,
  steps: OrderedSteps,
  partSteps: number,
): Promise<number[]> => {
  const turn = new Turn()
  const bounds: number[] = []
  let held = 0
  let given = 0
  for (let rank = 0; rank < steps.count; rank++) {
    if (rank % AT_ONCE === 0 && turn.isOver()) await turn.next()
    const moment = steps.momentAt(rank)
    while (moment >= startOf(look.bounds[given])) {
      bounds.push(look.bounds[given++] as number)
      held = 0
    }
    const next = Math.floor(moment / 1000) - 1
    const isFree =
      next > (bounds.at(-1) ?? Number.NEGATIVE_INFINITY) && Math.abs(next) < MAX_BOUND_MS
    if (held >= partSteps && isFree) {
      bounds.push(next)
      held = 0
    }
    held++
  }
  return [...bounds, ...look.bounds.slice(given)]
}

/** Finds the parts of known steps that are others in a look with their bounds. Lets others work in between. */
export const changedSince = async (known: Known, look: Look): Promise<Changed> => {
  const turn = new Turn()
  const changed: Changed = { times: [], count: 0, kept: [] }
  let part = 0
  let rank = 0
  for (const [at, before] of known.look.parts.entries()) {
    const bound = known.look.bounds[at]
    const sum = { count: 0, sum: 0n }
    do {
      sum.count += look.parts[part]?.count ?? 0
      sum.sum += look.parts[part]?.sum ?? 0n
    } while (look.bounds[part++] !== bound)
    const first = rank
    const end = startOf(bound)
    while (rank < known.steps.count && known.steps.momentAt(rank) < end)
      if (++rank % AT_ONCE === 0 && turn.isOver()) await turn.next()
    if (sum.count === before.count && sum.sum === before.sum) {
      if (rank > first) changed.kept.push([first, rank])
      continue
    }
    changed.count += sum.count
    const from = at === 0 ? undefined : instantOfBound(known.look.bounds[at - 1] as number)
    const to = bound === undefined ? undefined : instantOfBound(bound)
    const last = changed.times.at(-1)
    if (last !== undefined && last.to === from) last.to = to
    else changed.times.push({ from, to })
  }
  return changed
}
