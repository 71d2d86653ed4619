import type { Database } from '../../database/database.js'
import type { Instant } from '../../kernel/instant.js'
import { type StaleThread, sumSteps, type ThreadFigures } from '../../storage/sums.js'
import type { ThreadRow } from '../../storage/threads.js'
import { figuresOf } from './small-sums.js'

/** Things that are held and found one by one. After these, all count as held that are tried with one that is. */
const MOST_FOUND = 8

/** Does work on groups of things. Returns those that others hold: what is not held must not wait for them. */
export const exceptHeld = async <Thing>(
  groups: readonly (readonly Thing[])[],
  work: (some: readonly Thing[]) => Promise<void>,
  isHeld: (error: unknown) => boolean,
): Promise<Thing[]> => {
  const held: Thing[] = []
  const search = async (some: readonly Thing[]): Promise<void> => {
    try {
      await work(some)
      return
    } catch (error) {
      if (!isHeld(error)) throw error
    }
    if (some.length === 1 || held.length >= MOST_FOUND) {
      held.push(...some)
      return
    }
    const middle = Math.ceil(some.length / 2)
    await search(some.slice(0, middle))
    await search(some.slice(middle))
  }
  for (const group of groups) await search(group)
  return held
}

/**
 * Reads the figures of threads that others hold, as nothing of them can be stored: they have all steps that there are. Calls that
 * wait for their price count as without one. Returns none for a thread whose calls may be in one another, as what these have told
 * would count twice.
 */
export const readFigures = async (
  db: Database,
  projectId: string,
  held: readonly StaleThread[],
): Promise<ThreadFigures[]> => {
  if (held.length === 0) return []
  const sums = await sumSteps(db, projectId, { threadIds: held.map(({ id }) => id) })
  const nested = new Set(sums.flatMap(({ id, mayBeNested }) => (mayBeNested ? [id] : [])))
  const threads = held.filter(({ id }) => !nested.has(id))
  return threads.length === 0 ? [] : figuresOf(db, projectId, threads, sums)
}

/** Returns a thread with figures that could not be stored. */
export const withFigures = (
  thread: ThreadRow,
  { sums, firstMessage, lastMessage, firstError }: ThreadFigures,
): ThreadRow => ({
  ...thread,
  startedAt: sums?.started ?? null,
  tokenCount: sums?.tokens ?? null,
  cost: sums?.cost ?? null,
  unpricedCount: sums?.unpriced ?? 0,
  duration: sums?.isOver && sums.begin && sums.end ? between(sums.begin, sums.end) : null,
  stepCount: sums?.steps ?? 0,
  errorCount: sums?.errors ?? 0,
  firstMessage,
  lastMessage,
  firstError,
})

const between = (begin: Instant, end: Instant): number => (micros(end) - micros(begin)) / 1e6

/** Returns microseconds: an instant has more digits than a date has. */
const micros = (instant: Instant): number =>
  Date.parse(instant) * 1000 + Number(instant.slice(23, 26))
