import { randomUUID } from 'node:crypto'
import type { Database } from '../../database/database.js'
import { isConflict, isLocked } from '../../database/failures.js'
import { limitLockWait } from '../../database/transactions/attempts.js'
import type { Clock } from '../../kernel/instant.js'
import {
  countDeletions,
  findRetentions,
  NO_DELETIONS,
  type RetentionRow,
  reserveRetention,
} from '../../storage/retention/rules.js'
import { findUnsummed } from '../../storage/rollups/kept.js'
import { type Action, SERVICE } from '../audit/entry.js'
import { concludeRun, noteInRun } from '../audit/runs.js'
import { PortionSize } from '../erasure/portion-size.js'
import type { ThreadSums } from '../threads/sums.js'
import { deletePortion } from './delete-portion.js'
import { momentsOf } from './moments.js'
import { type Portion, Walk, WITHOUT_SCORES } from './walk.js'

/** Time of a turn. The next one goes on where it ended. */
const TURN_MS = 500
/** Time after which a project is walked through again that had nothing left to delete. */
const REST_MS = 600_000
/** Time that a portion waits for a locked row. Then it lets go, and the rows wait for the next walk. */
const LOCK_MS = 100
/** Requests wait for a portion, on the embedded engine all of them. */
const PORTION = { most: 50, least: 10, shortMs: 10, longMs: 30 }
/** To keep figures costs the same for few steps and for many, so that shorter portions would delete far less in all. */
const KEEPING_PORTION = { most: 50, least: 10, shortMs: 25, longMs: 60 }

const CLEANING: Action = { action: 'DELETE_OLD_DATA', on: 'PROJECT' }

interface Progress {
  walk: Walk
  /** The id of the walk, under which the audit log has what it deletes. */
  run: string
  /** The rules of the walk, as text: with others it begins anew. */
  rules: string
  keepMetrics: boolean
  restUntil: number
  /** A portion of which more is left. */
  left?: Portion | undefined
}

/** Deletes what projects no longer keep, in small transactions, so that everybody else gets a turn in between. */
export class Cleaner {
  readonly #db: Database
  readonly #clock: Clock
  readonly #sums: ThreadSums
  readonly #progress = new Map<string, Progress>()
  readonly #size: PortionSize
  readonly #keepingSize: PortionSize

  constructor(
    db: Database,
    clock: Clock,
    sums: ThreadSums,
    portions = { plain: PORTION, keeping: KEEPING_PORTION },
  ) {
    this.#size = new PortionSize(portions.plain)
    this.#keepingSize = new PortionSize(portions.keeping)
    this.#db = db
    this.#sums = sums
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
    const newWalk = () =>
      new Walk(this.#db, projectId, retention.keep.includes('scored') ? WITHOUT_SCORES : undefined)
    let progress = this.#progress.get(projectId)
    if (progress?.rules !== rules) {
      if (progress !== undefined) await concludeRun(this.#db, projectId, progress.run)
      progress = {
        walk: newWalk(),
        run: randomUUID(),
        rules,
        keepMetrics: retention.keepMetrics ?? false,
        restUntil: 0,
      }
      this.#progress.set(projectId, progress)
    }
    if (performance.now() < progress.restUntil) return false
    while (performance.now() < Math.min(share, until)) {
      const portion =
        progress.left ?? (await progress.walk.next(moments, this.#sizeOf(progress).most))
      if (portion === undefined) {
        await concludeRun(this.#db, projectId, progress.run)
        progress.walk = newWalk()
        progress.run = randomUUID()
        progress.restUntil = performance.now() + REST_MS
        break
      }
      if (portion.ids.length === 0) continue
      const outcome = await this.#delete(projectId, progress, portion)
      progress.left = outcome === 'done' ? undefined : portion
      if (outcome === 'stopped') break
    }
    return true
  }

  #sizeOf({ keepMetrics }: Progress): PortionSize {
    return keepMetrics ? this.#keepingSize : this.#size
  }

  /** Brings up to date the sums of threads, which their figures are taken from. */
  async #sumUp(projectId: string, ids: readonly string[]): Promise<void> {
    const behind = await findUnsummed(this.#db, projectId, ids)
    await this.#sums.update(projectId, behind)
  }

  /** Deletes a portion, unless another process deletes, or the rules are others by now. */
  async #delete(
    projectId: string,
    progress: Progress,
    portion: Portion,
  ): Promise<'done' | 'more' | 'stopped'> {
    const { rules, run, keepMetrics } = progress
    const size = this.#sizeOf(progress)
    try {
      if (keepMetrics && portion.kind === 'threads') await this.#sumUp(projectId, portion.ids)
      const begin = performance.now()
      const outcome = await this.#db.transaction().execute(async (db) => {
        await limitLockWait(db, LOCK_MS)
        const row = await reserveRetention(db, projectId)
        if (row?.retention == null || JSON.stringify(row.retention) !== rules) return 'stopped'
        // Now, as what is looked at may have changed since the walk came past it.
        const moments = momentsOf(row.retention, new Date(this.#clock()))
        if (moments === undefined) return 'stopped'
        const { keep, keepMetrics } = row.retention
        const due = { moments, keep, keepMetrics, most: size.most }
        const gone = await deletePortion(db, projectId, portion, due)
        const { threads, steps } = row.deletions ?? NO_DELETIONS
        if (gone.threads + gone.steps > 0) {
          await countDeletions(db, projectId, {
            threads: threads + gone.threads,
            steps: steps + gone.steps,
            at: this.#clock(),
          })
        }
        const { isMore, ...counts } = gone
        await noteInRun(db, { projectId, id: run, actor: SERVICE, action: CLEANING }, counts)
        return isMore ? 'more' : 'done'
      })
      size.took(performance.now() - begin)
      return outcome
    } catch (error) {
      if (!isLocked(error) && !isConflict(error)) throw error
      size.shrink()
      return 'done'
    }
  }
}
