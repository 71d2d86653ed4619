import { LRUCache } from 'lru-cache'
import type { Database } from '../database/database.js'
import { keepParticipants } from '../storage/erasure/notes.js'
import {
  findMarkedUsers,
  forgetUsage,
  marksUsers,
  reserveUsage,
  storeUsage,
  takeUserMarks,
  type UserRef,
} from '../storage/usage/marks.js'

interface Rules {
  /** Seconds after which a user whose threads have changed is summed up anew: the threads of one who writes change all the time. */
  quietSeconds: number
  /** Time that a transaction may take: on the embedded engine requests wait for it. More users are summed up at once while it takes less. */
  transactionMs: number
  /** Time for which a user who takes longer alone is left alone, as a multiple of it. */
  restFactor: number
}

const RULES: Rules = { quietSeconds: 60, transactionMs: 20, restFactor: 9 }
/** Time that a turn takes before it leaves the rest to the next one. */
const TURN_MS = 500
/** Users that a transaction sums up at most. */
const MAX_AT_ONCE = 200
/** Users that are remembered as resting: each took long, so that there are never many. */
const MAX_RESTING = 1000

/** Keeps the sums of users' threads in the background. Several processes may do so at once: one at a time has a project's. */
export class UserSums {
  readonly #db: Database
  readonly #rules: Rules
  readonly #resting = new LRUCache<string, true>({ max: MAX_RESTING })
  #atOnce = 1
  #last: UserRef | undefined

  constructor(db: Database, rules: Partial<Rules> = {}) {
    this.#db = db
    this.#rules = { ...RULES, ...rules }
  }

  /** Sums up marked users for a while, from where the last turn ended. Returns false when none is left that is due. */
  async work(): Promise<boolean> {
    if (!(await marksUsers(this.#db))) return false
    const deadline = performance.now() + TURN_MS
    let isFromStart = this.#last === undefined
    while (performance.now() < deadline) {
      const found = await findMarkedUsers(
        this.#db,
        this.#last,
        this.#rules.quietSeconds,
        this.#atOnce,
      )
      const [first] = found
      if (first === undefined) {
        if (isFromStart) return false
        this.#last = undefined
        isFromStart = true
        continue
      }
      const some = found.filter(({ projectId }) => projectId === first.projectId)
      this.#last = some.at(-1)
      const ids = some.map(({ participantId }) => participantId)
      const due = ids.filter((id) => !this.#resting.has(keyOf(first.projectId, id)))
      if (due.length > 0) await this.#sumUp(first.projectId, due)
    }
    return true
  }

  async #sumUp(projectId: string, ids: readonly string[]): Promise<void> {
    const begin = performance.now()
    await this.#db.transaction().execute(async (db) => {
      if (!(await reserveUsage(db, projectId))) return
      const kept = await keepParticipants(db, projectId, ids)
      await takeUserMarks(db, projectId, ids)
      await storeUsage(db, projectId, kept)
      // Its threads have been read, so that their triggers stay until the transaction ends, if they are there still.
      if (!(await marksUsers(db))) await forgetUsage(db, projectId, kept)
    })
    const tookMs = performance.now() - begin
    const [only, other] = ids
    if (tookMs <= this.#rules.transactionMs) this.#atOnce = Math.min(2 * this.#atOnce, MAX_AT_ONCE)
    else {
      this.#atOnce = Math.max(1, this.#atOnce >> 1)
      if (only !== undefined && other === undefined) this.#rest(projectId, only, tookMs)
    }
  }

  #rest(projectId: string, id: string, tookMs: number): void {
    const ttl = Math.floor(tookMs * this.#rules.restFactor)
    // The cache takes none as "for ever".
    if (ttl > 0) this.#resting.set(keyOf(projectId, id), true, { ttl })
  }
}

const keyOf = (projectId: string, id: string) => JSON.stringify([projectId, id])
