import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../../database/database.js'

/** Scores of one name, summed up. */
export interface ScoreSummaryRow {
  /** What the scores belong to. */
  of: string
  name: string
  count: number
  mean: number
  deviation: number | null
}

/** Values beyond every scale can't be squared, and are left out. */
const isMeasurable = sql`abs(c.value) < 1e150`
const sums = sql`
  c.name, count(*)::integer AS count, avg(c.value)::float8 AS mean, stddev_samp(c.value)::float8 AS deviation`

/** The scores of the results of experiments, by experiment and name. */
export const summarizeExperiments = async (
  db: Database,
  projectId: string,
  experimentIds: readonly string[],
): Promise<ScoreSummaryRow[]> => {
  const { rows } = await sql<ScoreSummaryRow>`
    SELECT i.experiment_id AS of, ${sums}
    FROM scores c JOIN experiment_items i ON i.project_id = c.project_id AND i.id = c.dataset_experiment_item_id
    WHERE c.project_id = ${projectId} AND ${isMeasurable} AND i.experiment_id = ANY(${experimentIds}::text[])
    GROUP BY i.experiment_id, c.name ORDER BY c.name`.execute(db)
  return rows
}

/** The scores of some steps, by name. */
const summarizeSteps = async (
  db: Database,
  projectId: string,
  stepIds: readonly string[],
): Promise<ScoreSummaryRow[]> => {
  const { rows } = await sql<ScoreSummaryRow>`
    SELECT '' AS of, ${sums} FROM scores c
    WHERE c.project_id = ${projectId} AND ${isMeasurable} AND c.step_id = ANY(${stepIds}::text[])
    GROUP BY c.name ORDER BY c.name`.execute(db)
  return rows
}

export interface CountRow {
  id: string
  count: number
}

const counts = async (
  db: Database,
  projectId: string,
  table: RawBuilder<unknown>,
  column: RawBuilder<unknown>,
  ids: readonly string[],
): Promise<CountRow[]> => {
  const { rows } = await sql<CountRow>`
    SELECT ${column} AS id, count(*)::integer AS count FROM ${table}
    WHERE project_id = ${projectId} AND ${column} = ANY(${ids}::text[]) GROUP BY ${column}`.execute(
    db,
  )
  return rows
}

export const countItemsOfDatasets = (db: Database, projectId: string, ids: readonly string[]) =>
  counts(db, projectId, sql`dataset_items`, sql`dataset_id`, ids)
export const countExperimentsOfDatasets = (
  db: Database,
  projectId: string,
  ids: readonly string[],
) => counts(db, projectId, sql`experiments`, sql`dataset_id`, ids)
export const countItemsOfExperiments = (db: Database, projectId: string, ids: readonly string[]) =>
  counts(db, projectId, sql`experiment_items`, sql`experiment_id`, ids)

export interface UseRow {
  generationCount: number
  errorCount: number
  meanTokens: number | null
  meanDuration: number | null
}

/** The newest generations of a prompt version, and what came of them. */
export const summarizeUse = async (
  db: Database,
  projectId: string,
  promptId: string,
  since: string | null,
  most: number,
): Promise<UseRow & { scores: ScoreSummaryRow[] }> => {
  const { rows } = await sql<{
    id: string
    hasFailed: boolean
    tokens: number | null
    duration: number | null
  }>`
    SELECT s.id, (s.gen_error IS NOT NULL OR s.error IS NOT NULL) AS "hasFailed", s.gen_tokens::float8 AS tokens,
      s.gen_duration AS duration
    FROM steps s WHERE s.project_id = ${projectId} AND s.gen_prompt_id = ${promptId} AND s.ingested
      ${since === null ? sql`` : sql`AND s.created_at >= ${since}::timestamptz`}
    ORDER BY s.created_at DESC, s.id DESC LIMIT ${sql.lit(most)}`.execute(db)
  const mean = (values: (number | null)[]): number | null => {
    const known = values.filter((value) => value !== null)
    return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length
  }
  return {
    generationCount: rows.length,
    errorCount: rows.filter(({ hasFailed }) => hasFailed).length,
    meanTokens: mean(rows.map(({ tokens }) => tokens)),
    meanDuration: mean(rows.map(({ duration }) => duration)),
    scores: await summarizeSteps(
      db,
      projectId,
      rows.map(({ id }) => id),
    ),
  }
}
