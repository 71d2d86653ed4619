import type { Database } from '../../database/database.js'
import type { Position } from '../../lists/cursor.js'
import { type DueBefore, findStepsByAge, findThreadsByAge } from '../../storage/retention/due.js'
import { findScoresByAge } from '../../storage/retention/scores.js'

/** Rows that a statement reads. */
const WINDOW = 500

/**
 * Rows that go together: threads, with the number of their steps as it was last summed up, steps without one, or scores of
 * nothing.
 */
export type Portion =
  | { kind: 'threads'; ids: string[]; steps: number }
  | { kind: 'steps'; ids: string[] }
  | { kind: 'scores'; ids: string[] }

type Kinds = readonly Portion['kind'][]
const KINDS: Kinds = ['threads', 'steps', 'scores']
export const WITHOUT_SCORES: Kinds = ['threads', 'steps']

/**
 * Walks through what is old, once from the oldest on: first threads, then steps without one, then scores whose step or
 * thread is not there. Exceptions stay where they are, so a walk that began anew after each portion would never come past
 * them.
 */
export class Walk {
  readonly #db: Database
  readonly #projectId: string
  readonly #kinds: Kinds
  #kind: Portion['kind'] = 'threads'
  #after: Position | undefined
  #found: { id: string; steps: number }[] = []

  constructor(db: Database, projectId: string, kinds = KINDS) {
    this.#db = db
    this.#projectId = projectId
    this.#kinds = kinds
  }

  /**
   * Returns the next rows that are due, with up to so many steps; undefined at the end. A portion is empty where much is old
   * and nothing of it is due: the caller may have no more time.
   */
  async next(moments: DueBefore, mostSteps: number): Promise<Portion | undefined> {
    while (this.#found.length === 0) {
      if (await this.#read(moments)) break
      const next = this.#kinds[this.#kinds.indexOf(this.#kind) + 1]
      if (next === undefined) return undefined
      this.#kind = next
      this.#after = undefined
    }
    let steps = 0
    let count = 0
    for (const row of this.#found) {
      if (count > 0 && steps + row.steps > mostSteps) break
      steps += row.steps
      count++
    }
    const ids = this.#found.splice(0, count).map(({ id }) => id)
    return this.#kind === 'threads' ? { kind: 'threads', ids, steps } : { kind: this.#kind, ids }
  }

  /** Reads the next window. Returns false when there was none. */
  async #read(moments: DueBefore): Promise<boolean> {
    const args = [this.#db, this.#projectId, moments, this.#after, WINDOW] as const
    const rows =
      this.#kind === 'threads'
        ? (await findThreadsByAge(...args)).map((row) => ({ ...row, steps: row.stepCount + 1 }))
        : (await (this.#kind === 'steps' ? findStepsByAge : findScoresByAge)(...args)).map(
            (row) => ({ ...row, steps: 1 }),
          )
    const last = rows.at(-1)
    if (last === undefined) return false
    this.#after = { key: last.key, id: last.id }
    this.#found = rows.filter(({ isDue }) => isDue).map(({ id, steps }) => ({ id, steps }))
    return true
  }
}
