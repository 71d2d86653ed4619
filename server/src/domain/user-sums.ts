import type { Database } from '../database/database.js'
import { isTooSlow } from '../database/failures.js'
import { withStatementLimit } from '../database/task.js'
import { Resting } from '../kernel/sharing/resting.js'
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
import { PortionSize } from './erasure/portion-size.js'

interface Rules {
  /** Seconds after which a user whose threads have changed is summed up anew: the threads of one who writes change all the time. */
  quietSeconds: number
  /** Time that a transaction should take: on the embedded engine requests wait for it. More users are summed up at once while it takes less. */
  transactionMs: number
  /** Time after which a statement is ended. A user whose threads take longer has no kept sums. */
  statementMs: number
  /** Time for which a user who takes longer alone is left alone, as a multiple of it. */
  restFactor: number
}

const RULES: Rules = { quietSeconds: 60, transactionMs: 20, statementMs: 250, restFactor: 9 }
/** Time that a turn takes before it leaves the rest to the next one. */
const TURN_MS = 500
/** Times that a user rests longer who took too long, as nothing came of it. */
const IN_VAIN = 100

/** Keeps the sums of users' threads in the background. Several processes may do so at once: one at a time has a project's. */
export class UserSums {
  readonly #db: Database
  readonly #rules: Rules
  readonly #resting: Resting<UserRef>
  readonly #size: PortionSize
  #last: UserRef | undefined

  constructor(db: Database, rules: Partial<Rules> = {}) {
    this.#db = db
    this.#rules = { ...RULES, ...rules }
    const { transactionMs, restFactor } = this.#rules
    this.#resting = new Resting(restFactor)
    this.#size = new PortionSize({
      most: 1,
      least: 1,
      shortMs: transactionMs,
      longMs: transactionMs,
    })
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
        this.#size.most,
      )
      const [first] = found
      if (first === undefined) {
        if (isFromStart) return false
        this.#last = undefined
        isFromStart = true
        continue
      }
      const some = found.filter(({ projectId }) => projectId === first.projectId)
      const due = some.filter((user) => !this.#resting.has(user))
      // Of users who took too long together, fewer are tried at once: one of them may have most of the threads.
      if (due.length === 0 || (await this.#sumUp(first.projectId, due))) this.#last = some.at(-1)
    }
    return true
  }

  /** Returns false when nothing came of it, and fewer are to be tried. */
  async #sumUp(projectId: string, users: readonly UserRef[]): Promise<boolean> {
    const ids = users.map(({ participantId }) => participantId)
    const begin = performance.now()
    const isKept = await withStatementLimit(this.#rules.statementMs, () =>
      this.#keep(projectId, ids),
    ).then(
      () => true,
      (error: unknown) => {
        if (!isTooSlow(error)) throw error
        return false
      },
    )
    const tookMs = performance.now() - begin
    if (isKept) this.#size.took(tookMs)
    else this.#size.shrink()
    const [only, other] = users
    if (only === undefined || other !== undefined) return isKept
    if (!isKept) this.#resting.rest(only, tookMs * IN_VAIN)
    else if (tookMs > this.#rules.transactionMs) this.#resting.rest(only, tookMs)
    return true
  }

  #keep(projectId: string, ids: readonly string[]): Promise<void> {
    return this.#db.transaction().execute(async (db) => {
      if (!(await reserveUsage(db, projectId))) return
      const kept = await keepParticipants(db, projectId, ids)
      await takeUserMarks(db, projectId, ids)
      await storeUsage(db, projectId, kept)
      // Its threads have been read, so that their triggers stay until the transaction ends, if they are there still.
      if (!(await marksUsers(db))) await forgetUsage(db, projectId, kept)
    })
  }
}
