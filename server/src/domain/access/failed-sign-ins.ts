import { LRUCache } from 'lru-cache'
import type { Database } from '../../database/database.js'
import { inTransaction } from '../../database/transactions/attempts.js'

/** Somebody who fails again within this time adds to a number, not to the log. */
const NOTED_EVERY_MS = 60_000
const MAX_REMEMBERED = 10_000

/**
 * Notes attempts to sign in that failed: with a key that was revoked or has expired, as somebody has it who should not, and
 * by people without a role. Keys that never existed name no project, and so have no log. Each key and person has at most
 * one entry a minute in this process, which says how many attempts there were since the one before.
 */
export class FailedSignIns {
  readonly #db: Database
  readonly #noted = new LRUCache<string, { at: number; since: number }>({ max: MAX_REMEMBERED })

  constructor(db: Database) {
    this.#db = db
  }

  /** @param name - Names the key or the person. */
  async note(
    name: string,
    write: (transaction: Database, attempts: number) => Promise<void>,
  ): Promise<void> {
    const last = this.#noted.get(name)
    const now = Date.now()
    const age = now - (last?.at ?? 0)
    // A time in the future was noted before the clock was set back.
    if (last !== undefined && age >= 0 && age < NOTED_EVERY_MS) {
      last.since++
      return
    }
    const attempts = (last?.since ?? 0) + 1
    // Set before the entry is written, so that attempts at once leave one.
    this.#noted.set(name, { at: now, since: 0 })
    await inTransaction(this.#db, (transaction) => write(transaction, attempts))
  }
}
