import type {
  MutationSetRetentionArgs,
  QueryRetentionPreviewArgs,
} from '../../../generated/resolvers.js'
import type { Database } from '../../database/database.js'
import { type Caller, ENVIRONMENTS, parseEnvironment } from '../../kernel/caller.js'
import { invalid } from '../../kernel/errors.js'
import type { Clock } from '../../kernel/instant.js'
import { findDueSteps, findKeptThreads } from '../../storage/retention/due.js'
import {
  type Deletions,
  findRetention,
  NO_DELETIONS,
  type Retention as Rules,
  updateRetention,
} from '../../storage/retention/rules.js'
import { changedFields, noteFor } from '../audit/entry.js'
import { momentsOf } from './moments.js'
import { Walk, WITHOUT_SCORES } from './walk.js'

/** A hundred years. */
const MAX_DAYS = 36_500
/** A preview counts until there are so many threads and steps, or until its time is over. */
const MAX_COUNTED = 10_000
const COUNT_MS = 2000
const COUNTED_AT_ONCE = 500

/** The rules for the age of a project's data, and the numbers of rows that were deleted because of them so far. */
export interface RetentionState extends Required<Rules> {
  deletions: Deletions
}

export class Retention {
  readonly #db: Database
  readonly #clock: Clock

  constructor(db: Database, clock: Clock) {
    this.#db = db
    this.#clock = clock
  }

  /** Returns no rules for a project that keeps everything. */
  async of({ projectId }: Caller): Promise<RetentionState> {
    const row = await findRetention(this.#db, projectId)
    const { rules = [], keep = [], keepMetrics = false } = row?.retention ?? {}
    return { rules, keep, keepMetrics, deletions: row?.deletions ?? NO_DELETIONS }
  }

  /** Replaces the rules. */
  async set(caller: Caller, given: MutationSetRetentionArgs): Promise<RetentionState> {
    const rules = read(given)
    const { projectId } = caller
    await this.#db.transaction().execute(async (transaction) => {
      const before = await findRetention(transaction, projectId)
      const keepMetrics = given.keepMetrics ?? before?.retention?.keepMetrics ?? false
      const isEmpty = rules.rules.length === 0 && !keepMetrics
      const stored = isEmpty ? null : { ...rules, ...(keepMetrics ? { keepMetrics } : {}) }
      await updateRetention(transaction, projectId, stored)
      await noteFor(transaction, caller, {
        action: 'SET_RETENTION',
        on: 'PROJECT',
        id: projectId,
        fields: changedFields(before?.retention, stored),
      })
    })
    return this.of(caller)
  }

  /** Counts what would be deleted now with some rules. */
  async preview(
    { projectId }: Caller,
    given: QueryRetentionPreviewArgs,
  ): Promise<{ threads: number; steps: number; isComplete: boolean }> {
    const retention = read(given)
    const moments = momentsOf(retention, new Date(this.#clock()))
    const counted = { threads: 0, steps: 0 }
    if (moments === undefined) return { ...counted, isComplete: true }
    const walk = new Walk(this.#db, projectId, WITHOUT_SCORES)
    const until = performance.now() + COUNT_MS
    for (;;) {
      const portion = await walk.next(moments, COUNTED_AT_ONCE)
      if (portion === undefined) return { ...counted, isComplete: true }
      if (portion.kind === 'threads') {
        const kept = await findKeptThreads(this.#db, projectId, portion.ids, retention.keep)
        counted.threads += portion.ids.filter((id) => !kept.has(id)).length
      } else {
        const { ids } = portion
        const due = await findDueSteps(this.#db, projectId, ids, moments, retention.keep)
        counted.steps += due.length
      }
      if (counted.threads + counted.steps >= MAX_COUNTED || performance.now() > until)
        return { ...counted, isComplete: false }
    }
  }
}

const read = ({ rules, keep }: MutationSetRetentionArgs): Rules => {
  const known = rules.map(({ environment, days }, index) => {
    const field = `rules[${index}]`
    if (days < 1 || days > MAX_DAYS)
      throw invalid(`${field}.days: expected 1 to ${MAX_DAYS.toLocaleString('en')}, got ${days}`)
    if (environment == null) return { environment: null, days }
    if (environment === '')
      throw invalid(`${field}.environment: expected one of ${ENVIRONMENTS.join(', ')}, got ""`)
    return { environment: parseEnvironment(`${field}.environment`, environment), days }
  })
  for (const [index, { environment }] of known.entries())
    if (known.findIndex((rule) => rule.environment === environment) !== index)
      throw invalid(
        `rules[${index}]: expected one rule for ${environment ?? 'all environments'}, got two`,
      )
  return { rules: known, keep: [...new Set(keep ?? [])] }
}
