import { randomUUID } from 'node:crypto'
import { limitLockWait } from '../../database/attempts.js'
import type { Database } from '../../database/database.js'
import { isConflict, isLocked } from '../../database/failures.js'
import { sql } from '../../database/rows/sql.js'
import type { Clock } from '../../kernel/instant.js'
import { deleteStepsWhere } from '../../storage/erasure/portions.js'
import {
  type DueBefore,
  findDueSteps,
  findKeptThreads,
  lockDueThreads,
} from '../../storage/retention/due.js'
import {
  countDeletions,
  findRetentions,
  NO_DELETIONS,
  type Retention,
  type RetentionRow,
  reserveRetention,
} from '../../storage/retention/rules.js'
import { deleteThreads } from '../../storage/threads.js'
import { type Action, SERVICE } from '../audit/entry.js'
import { concludeRun, noteInRun } from '../audit/runs.js'
import { handOnFromSteps } from '../erasure/handing-on.js'
import { PortionSize } from '../erasure/portion-size.js'
import { momentsOf } from './moments.js'
import { type Portion, Walk } from './walk.js'

/** Time of a turn. The next one goes on where it ended. */
const TURN_MS = 500
/** Time after which a project is walked through again that had nothing left to delete. */
const REST_MS = 600_000
/** Time that a portion waits for a locked row. Then it lets go, and the rows wait for the next walk. */
const LOCK_MS = 100
/** Requests wait for a portion, on the embedded engine all of them. */
const PORTION = { most: 50, shortMs: 10, longMs: 30 }

const CLEANING: Action = { action: 'DELETE_OLD_DATA', on: 'PROJECT' }

interface Progress {
  walk: Walk
  /** The id of the walk, under which the audit log has what it deletes. */
  run: string
  /** The rules of the walk, as text: with others it begins anew. */
  rules: string
  restUntil: number
  /** A portion of which more is left. */
  left?: Portion | undefined
}

interface Gone {
  threads: number
  steps: number
}

/** Deletes what projects no longer keep, in small transactions, so that everybody else gets a turn in between. */
export class Cleaner {
  readonly #db: Database
  readonly #clock: Clock
  readonly #progress = new Map<string, Progress>()
  readonly #size = new PortionSize(PORTION)

  constructor(db: Database, clock: Clock) {
    this.#db = db
    this.#clock = clock
  }

  /** Deletes for a while. Returns false when nothing was to do. */
  async work(): Promise<boolean> {
    const rows = await findRetentions(this.#db)
    const known = new Set(rows.map(({ projectId }) => projectId))
    for (const id of this.#progress.keys()) if (!known.has(id)) this.#progress.delete(id)
    const until = performance.now() + TURN_MS
    let hasWorked = false
    for (const row of rows)
      if (await this.#project(row, performance.now() + TURN_MS / rows.length, until))
        hasWorked = true
    return hasWorked
  }

  /** Deletes a project's old data until its share of the turn is over. */
  async #project(
    { projectId, retention }: RetentionRow,
    share: number,
    until: number,
  ): Promise<boolean> {
    if (retention === null) return false
    const moments = momentsOf(retention, new Date(this.#clock()))
    if (moments === undefined) return false
    const rules = JSON.stringify(retention)
    let progress = this.#progress.get(projectId)
    if (progress?.rules !== rules) {
      if (progress !== undefined) await concludeRun(this.#db, projectId, progress.run)
      progress = { walk: new Walk(this.#db, projectId), run: randomUUID(), rules, restUntil: 0 }
      this.#progress.set(projectId, progress)
    }
    if (performance.now() < progress.restUntil) return false
    while (performance.now() < Math.min(share, until)) {
      const portion = progress.left ?? (await progress.walk.next(moments, this.#size.most))
      if (portion === undefined) {
        await concludeRun(this.#db, projectId, progress.run)
        progress.walk = new Walk(this.#db, projectId)
        progress.run = randomUUID()
        progress.restUntil = performance.now() + REST_MS
        break
      }
      const outcome = await this.#delete(projectId, progress, portion)
      progress.left = outcome === 'done' ? undefined : portion
      if (outcome === 'stopped') break
    }
    return true
  }

  /** Deletes a portion, unless another process deletes, or the rules are others by now. */
  async #delete(
    projectId: string,
    { rules, run }: Progress,
    portion: Portion,
  ): Promise<'done' | 'more' | 'stopped'> {
    const begin = performance.now()
    try {
      const outcome = await this.#db.transaction().execute(async (db) => {
        await limitLockWait(db, LOCK_MS)
        const row = await reserveRetention(db, projectId)
        if (row?.retention == null || JSON.stringify(row.retention) !== rules) return 'stopped'
        // Now, as what is looked at may have changed since the walk came past it.
        const moments = momentsOf(row.retention, new Date(this.#clock()))
        if (moments === undefined) return 'stopped'
        const gone = await this.#deleteIn(db, projectId, row.retention, moments, portion)
        const { threads, steps } = row.deletions ?? NO_DELETIONS
        if (gone.threads + gone.steps > 0) {
          await countDeletions(db, projectId, {
            threads: threads + gone.threads,
            steps: steps + gone.steps,
            at: this.#clock(),
          })
          const counts = { threads: gone.threads, steps: gone.steps }
          await noteInRun(db, { projectId, id: run, actor: SERVICE, action: CLEANING }, counts)
        }
        return gone.isMore ? 'more' : 'done'
      })
      this.#size.took(performance.now() - begin)
      return outcome
    } catch (error) {
      if (!isLocked(error) && !isConflict(error)) throw error
      this.#size.shrink()
      return 'done'
    }
  }

  async #deleteIn(
    db: Database,
    projectId: string,
    { keep }: Retention,
    moments: DueBefore,
    portion: Portion,
  ): Promise<Gone & { isMore: boolean }> {
    if (portion.kind === 'steps') {
      const ids = await findDueSteps(db, projectId, portion.ids, moments, keep)
      const test = sql`s.id = ANY(${ids}::text[]) AND s.thread_id IS NULL`
      const { steps } = await deleteStepsWhere(db, projectId, test, ids.length)
      await handOnFromSteps(db, projectId, steps)
      return { threads: 0, steps: steps.length, isMore: false }
    }
    const locked = await lockDueThreads(db, projectId, portion.ids, moments)
    const kept = await findKeptThreads(db, projectId, locked, keep)
    const ids = locked.filter((id) => !kept.has(id))
    if (ids.length === 0) return { threads: 0, steps: 0, isMore: false }
    // Of one huge thread some steps first, and the rest in further portions.
    const isHuge = portion.steps > 2 * this.#size.most
    const first = isHuge ? await this.#someSteps(db, projectId, ids) : 0
    if (isHuge && first === this.#size.most) return { threads: 0, steps: first, isMore: true }
    const deleted = await deleteThreads(db, projectId, ids)
    await handOnFromSteps(db, projectId, deleted.steps)
    const steps = first + deleted.steps.length
    return { threads: deleted.ids.length, steps, isMore: false }
  }

  async #someSteps(db: Database, projectId: string, threadIds: readonly string[]): Promise<number> {
    const test = sql`s.thread_id = ANY(${threadIds}::text[])`
    const { steps } = await deleteStepsWhere(db, projectId, test, this.#size.most)
    await handOnFromSteps(db, projectId, steps)
    return steps.length
  }
}
