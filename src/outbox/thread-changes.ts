import { isPlain } from '../values/fit.js'
import { sizeOfThread, type ThreadChange, type ThreadItem, threadItem } from './batch.js'
import type { ThreadRecord } from './records.js'

/** Changes of threads that wait to be sent. Those of one thread are merged if that has the same effect. */
export class ThreadChanges {
  /** In the order of their first change; the list of one thread, too. */
  readonly #waiting = new Map<string, ThreadItem[]>()
  #size = 0

  get isEmpty(): boolean {
    return this.#waiting.size === 0
  }

  /** Their approximate total size. */
  get size(): number {
    return this.#size
  }

  add(change: ThreadChange): void {
    const { id } = change.record
    this.#size += change.size
    this.#waiting.set(id, withChange(this.#waiting.get(id) ?? [], change))
  }

  /** Takes the first change of each thread that is not busy. */
  take(busy: ReadonlySet<string>): ThreadItem[] {
    const taken: ThreadItem[] = []
    for (const [id, items] of this.#waiting) {
      const [first] = items
      if (busy.has(id) || first === undefined) continue
      if (items.length === 1) this.#waiting.delete(id)
      else items.shift()
      this.#size -= sizeOfThread(first)
      taken.push(first)
    }
    return taken
  }

  /** Returns true when a change up to this place waits, of a thread that is not busy. */
  hasUpTo(order: number, busy: ReadonlySet<string> = NONE): boolean {
    for (const [id, [first]] of this.#waiting)
      if (first !== undefined && first.changes[0].order <= order && !busy.has(id)) return true
    return false
  }

  /** Returns true when the change at this place waits. */
  has(order: number): boolean {
    for (const items of this.#waiting.values())
      if (items.some(({ changes }) => changes.some((change) => change.order === order))) return true
    return false
  }
}

/** Adds a change to those of its thread, merged with the last one if possible. */
export const withChange = (items: ThreadItem[], change: ThreadChange): ThreadItem[] => {
  const last = items.at(-1)
  const record = last && mergedChanges(last.record, change.record)
  if (last === undefined || record === undefined) items.push(threadItem(change))
  else items[items.length - 1] = { record, changes: [...last.changes, change] }
  return items
}

const NONE: ReadonlySet<string> = new Set()

/** Scores of one thread that the service takes at once. */
const MAX_SCORES = 1000

const scoresOf = ({ scores }: ThreadRecord): unknown[] => (Array.isArray(scores) ? scores : [])

/**
 * Merges two changes into one with the same effect on any thread, by the service's rules: an absent field keeps the
 * stored one, metadata is merged key by key, scores are added, and the first environment stays. Returns undefined when one change cannot
 * express it: metadata that is cleared and then set, or too many scores.
 */
export const mergedChanges = (
  earlier: ThreadRecord,
  later: ThreadRecord,
): ThreadRecord | undefined => {
  const [before, after] = [earlier.metadata, later.metadata]
  const isLaid = isPlain(before) && isPlain(after)
  // Metadata of another form is refused, and must not take the change beside it along.
  if (after != null && before !== undefined && !isLaid) return undefined
  const scores = [...scoresOf(earlier), ...scoresOf(later)]
  if (scores.length > MAX_SCORES) return undefined
  const both: Record<string, unknown> = { ...earlier }
  for (const [key, value] of Object.entries(later)) if (value !== undefined) both[key] = value
  if (isLaid) both.metadata = { ...before, ...after }
  if (scores.length > 0) both.scores = scores
  if (earlier.environment !== undefined) both.environment = earlier.environment
  return both as unknown as ThreadRecord
}
