import { cast } from '../../database/rows/columns.js'
import type { Sql } from '../../database/rows/sql.js'
import { sql } from '../../database/rows/sql.js'
import type { Subject } from '../metrics.js'

/**
 * The ratio of the limits of neighbouring classes of durations. A class is shown by the value that differs from both of its
 * limits by the same share, (ratio - 1) / (ratio + 1) = 0.99 %: DDSketch, Masson, Rim and Lee, VLDB 2019.
 */
export const RATIO = 1.02
/** The class of one second. Class 0 has durations of zero; negative ones are those of the opposite sign. */
export const ONE_SECOND = 40_000

/** Returns the class of a duration; null for one that is unknown, or no number. */
const classOf = (seconds: Sql<number | null>) => {
  const size = sql`(${sql.lit(ONE_SECOND)} + ceil(ln(abs(${seconds}::float8)) / ln(${sql.lit(RATIO)}::float8)))`
  return cast(
    'integer | null',
    sql`CASE WHEN ${seconds} IS NULL OR abs(${seconds}::float8) >= 'Infinity'::float8 THEN NULL
      WHEN ${seconds}::float8 = 0 THEN 0
      ELSE sign(${seconds}::float8) * ${size} END`,
  )
}

/** The columns of a subject's rows that are grouped into cells. */
export const measuredColumns = (subject: Subject) => sql`
  ${subject.environment} AS env, ${subject.hasFailed} AS failed, ${classOf(subject.duration)} AS class,
  ${subject.inputTokens} AS input, ${subject.outputTokens} AS output, ${subject.tokens} AS tokens, ${subject.cost} AS cost,
  ${subject.unpriced} AS unpriced`

/** The sums of a cell: rows with one class of durations. Whole numbers of any size, so that sums of sums are exact. */
export const cellSums = sql`
  count(*) AS n, count(*) FILTER (WHERE failed) AS failed, sum(input) AS input, sum(output) AS output,
  sum(tokens) AS tokens, sum(cost) AS cost, sum(unpriced) AS unpriced`

/** A series as JSON: the cells of one environment and key added up, with the classes of their durations and how many are in each. */
export const seriesItem = sql`json_build_array(env, key, sum(n), sum(failed), sum(input)::text, sum(output)::text,
  sum(tokens)::text, sum(cost)::text, coalesce(sum(unpriced), 0),
  coalesce(json_agg(class ORDER BY class) FILTER (WHERE class IS NOT NULL), '[]'),
  coalesce(json_agg(n ORDER BY class) FILTER (WHERE class IS NOT NULL), '[]'))`

/** A series as it is stored; whole numbers that may exceed 2^53 are texts. */
export type SeriesItem = [
  environment: string | null,
  key: string | null,
  count: number,
  errorCount: number,
  inputTokens: string | null,
  outputTokens: string | null,
  tokens: string | null,
  cost: string | null,
  unpriced: number,
  classes: number[],
  sizes: number[],
]
