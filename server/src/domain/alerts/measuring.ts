import type { AlertMetric } from '../../../generated/resolvers.js'
import type { Database } from '../../database/database.js'
import { DomainError } from '../../kernel/errors.js'
import type { Instant } from '../../kernel/instant.js'
import type { Limits } from '../../kernel/limits.js'
import { askedFields, queryCriteria } from '../../lists/query.js'
import type { AlertRow } from '../../storage/alerts/alerts.js'
import { measureWatched, type WatchedSums } from '../../storage/alerts/measure.js'
import { type Ending, findConversationEnd } from '../../storage/conversations/ending.js'
import { generationListing } from '../../storage/generations.js'
import { scoreListing } from '../../storage/scores/scores.js'
import { stepListing } from '../../storage/steps.js'
import { threadListing } from '../../storage/threads.js'
import type { Pricer } from '../prices/pricer.js'
import type { Threads } from '../threads/threads.js'
import { LISTS } from './definition.js'
import { later } from './time.js'

/** Rows of a window for which conditions on other tables can be looked up. */
const MAX_RELATED = 50_000
/** Time in which calls that wait for their costs get them before an evaluation. */
const PRICING_MS = 1000

export interface Measuring {
  db: Database
  limits: Limits
  threads: Threads
  pricer: Pricer
}

/** Computes the value of an alert at a moment; null when there is no data. */
export const measureAlert = async (
  { db, limits, threads, pricer }: Measuring,
  alert: AlertRow,
  now: Instant,
): Promise<number | null> => {
  const { projectId, subject, query, environment, metric, windowMinutes } = alert
  if (subject !== 'SCORES') {
    // Those that are left count as without a price.
    await pricer.priceWaiting(projectId, performance.now() + PRICING_MS)
    // Starts, errors and tokens of threads are known with their sums.
    await threads.sumUpAll({ projectId })
  }
  const listing = await listingOf(db, alert, now)
  const sums = await measureWatched(
    db,
    {
      projectId,
      subject,
      from: later(now, -windowMinutes * 60_000),
      to: now,
      environment,
      criteria: await queryCriteria(db, projectId, listing, query),
    },
    { related: Math.min(MAX_RELATED, limits.searchRows), rows: limits.searchRows },
  )
  if (sums === undefined)
    throw new DomainError(
      'TOO_LARGE',
      'the window has too many rows; choose a shorter window or a narrower query',
    )
  return pickValue(sums, metric)
}

const listingOf = async (db: Database, { projectId, subject, query }: AlertRow, now: Instant) => {
  if (subject === 'STEPS') return stepListing(projectId, 'light')
  if (subject === 'GENERATIONS') return generationListing(projectId, 'light')
  if (subject === 'SCORES') return scoreListing(projectId)
  const ending: Ending | undefined = askedFields(LISTS.THREADS, { query }).has('endedAt')
    ? { rule: await findConversationEnd(db, projectId), now }
    : undefined
  return threadListing(projectId, ending)
}

const pickValue = (sums: WatchedSums, metric: AlertMetric): number | null => {
  const { count, errorCount, percentiles, tokens, cost, mean } = sums
  switch (metric) {
    case 'COUNT':
      return count
    case 'ERROR_COUNT':
      return errorCount
    case 'ERROR_RATE':
      return count === 0 ? null : errorCount / count
    case 'DURATION_P50':
      return finite(percentiles?.[0])
    case 'DURATION_P95':
      return finite(percentiles?.[1])
    case 'DURATION_P99':
      return finite(percentiles?.[2])
    case 'COST':
      return cost
    case 'TOKENS':
      return tokens
    case 'SCORE_MEAN':
      return finite(mean)
  }
}

const finite = (value: number | null | undefined): number | null =>
  value != null && Number.isFinite(value) ? value : null
