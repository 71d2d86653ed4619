import { type Sql, sql } from '../../database/rows/sql.js'
import type { Instant } from '../../kernel/instant.js'

/**
 * Holds for a moment that has come, and for one further ahead than any that is set for an alert, its lease or its next call: it
 * was noted before the clock was put back.
 */
export const hasCome = (moment: Sql, now: Instant) =>
  sql`(${moment} <= ${now}::timestamptz OR ${moment} > ${now}::timestamptz + interval '1 hour')`
