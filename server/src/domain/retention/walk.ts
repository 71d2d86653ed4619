import type { Database } from '../../database/database.js'
import type { Position } from '../../lists/cursor.js'
import { type DueBefore, findStepsByAge, findThreadsByAge } from '../../storage/retention/due.js'

/** Rows that a statement reads. */
const WINDOW = 500

/** Rows that go together: threads, with the number of their steps as it was last summed up, or steps without one. */
export type Portion =
  | { kind: 'threads'; ids: string[]; steps: number }
  | { kind: 'steps'; ids: string[] }

/**
 * Walks through what is old, once from the oldest on: first threads, then steps without one. Exceptions stay where they
 * are, so a walk that began anew after each portion would never come past them.
 */
export class Walk {
  readonly #db: Database
  readonly #projectId: string
  #kind: 'threads' | 'steps' = 'threads'
  #after: Position | undefined
  #found: { id: string; steps: number }[] = []

  constructor(db: Database, projectId: string) {
    this.#db = db
    this.#projectId = projectId
  }

  /** Returns the next rows that are due, with up to so many steps; undefined at the end. */
  async next(moments: DueBefore, mostSteps: number): Promise<Portion | undefined> {
    while (this.#found.length === 0) {
      const isMore = await this.#read(moments)
      if (isMore || this.#found.length > 0) continue
      if (this.#kind === 'steps') return undefined
      this.#kind = 'steps'
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
    return this.#kind === 'threads' ? { kind: 'threads', ids, steps } : { kind: 'steps', ids }
  }

  /** Reads the next window. Returns false when there was none. */
  async #read(moments: DueBefore): Promise<boolean> {
    const args = [this.#db, this.#projectId, moments, this.#after, WINDOW] as const
    const rows =
      this.#kind === 'threads'
        ? (await findThreadsByAge(...args)).map((row) => ({ ...row, steps: row.stepCount + 1 }))
        : (await findStepsByAge(...args)).map((row) => ({ ...row, steps: 1 }))
    const last = rows.at(-1)
    if (last === undefined) return false
    this.#after = { key: last.key, id: last.id }
    this.#found = rows.filter(({ isDue }) => isDue).map(({ id, steps }) => ({ id, steps }))
    return true
  }
}
