import type { Database } from '../../database/database.js'
import { cast } from '../../database/rows/columns.js'
import { type RowOf, type Sql, select, sql } from '../../database/rows/sql.js'
import { c, e, i, s, x } from '../../database/rows/tables.js'
import { hasFailed } from '../reading/failures.js'
import { startOfStep } from '../reading/starts.js'
import { isMeasurable } from './measurable.js'

const sums = select({
  name: c.name,
  count: cast('integer', sql`count(*)`),
  mean: cast('float8', sql`avg(${c.value})`),
  deviation: cast('float8 | null', sql`stddev_samp(${c.value})`),
})

/** Scores of one name, summed up; `of` is the id of what they belong to. */
export type ScoreSummaryRow = RowOf<typeof sums> & { of: string }

/** Sums up the scores of the results of experiments, by experiment and name. */
export const summarizeExperiments = async (
  db: Database,
  projectId: string,
  experimentIds: readonly string[],
): Promise<ScoreSummaryRow[]> => {
  const { rows } = await sql`
    SELECT ${select({ of: x.experimentId })}, ${sums}
    FROM scores c JOIN experiment_items x ON x.project_id = c.project_id AND x.id = c.dataset_experiment_item_id
    WHERE c.project_id = ${projectId} AND ${isMeasurable(c.value)} AND x.experiment_id = ANY(${experimentIds}::text[])
    GROUP BY x.experiment_id, c.name ORDER BY c.name`.execute(db)
  return rows
}

/** Sums up the measures of the results of experiments that did not fail, and the failures of all, by experiment. */
export const summarizeMeasures = async (
  db: Database,
  projectId: string,
  experimentIds: readonly string[],
): Promise<ScoreSummaryRow[]> => {
  const row = select({
    of: x.experimentId,
    name: cast('text', sql`m.name`),
    count: cast('integer', sql`count(m.value)`),
    mean: cast('float8', sql`avg(m.value)`),
    deviation: cast('float8 | null', sql`stddev_samp(m.value)`),
  })
  const { rows } = await sql`
    SELECT ${row} FROM experiment_items x CROSS JOIN LATERAL (VALUES
      (1, 'durationMs', CASE WHEN x.error IS NULL THEN x.duration_ms END),
      (2, 'tokens', CASE WHEN x.error IS NULL THEN x.tokens::float8 END),
      (3, 'cost', CASE WHEN x.error IS NULL THEN x.cost END),
      (4, 'errors', CASE WHEN x.error IS NULL THEN 0.0::float8 ELSE 1.0::float8 END)) AS m (place, name, value)
    WHERE x.project_id = ${projectId} AND x.experiment_id = ANY(${experimentIds}::text[])
      AND (m.value IS NULL OR ${isMeasurable(sql`m.value`)})
    GROUP BY x.experiment_id, m.place, m.name HAVING count(m.value) > 0 ORDER BY m.place`.execute(
    db,
  )
  return rows
}

/** Sums up the scores of some steps, by name. */
const summarizeSteps = async (
  db: Database,
  projectId: string,
  stepIds: readonly string[],
): Promise<ScoreSummaryRow[]> => {
  const { rows } = await sql`
    SELECT ${select({ of: cast('text', sql`''`) })}, ${sums} FROM scores c
    WHERE c.project_id = ${projectId} AND ${isMeasurable(c.value)} AND c.step_id = ANY(${stepIds}::text[])
    GROUP BY c.name ORDER BY c.name`.execute(db)
  return rows
}

const count = cast('integer', sql`count(*)`)

const counts = async (
  db: Database,
  projectId: string,
  table: Sql,
  id: Sql<string>,
  ids: readonly string[],
): Promise<CountRow[]> => {
  const row = select({ id, count })
  const { rows } = await sql`
    SELECT ${row} FROM ${table}
    WHERE project_id = ${projectId} AND ${id} = ANY(${ids}::text[]) GROUP BY ${id}`.execute(db)
  return rows
}

export type CountRow = { id: string; count: number }

export const countItemsOfDatasets = (db: Database, projectId: string, ids: readonly string[]) =>
  counts(db, projectId, sql`dataset_items i`, i.datasetId, ids)
export const countExperimentsOfDatasets = (
  db: Database,
  projectId: string,
  ids: readonly string[],
) => counts(db, projectId, sql`experiments e`, e.datasetId.narrow<string>(), ids)
export const countItemsOfExperiments = (db: Database, projectId: string, ids: readonly string[]) =>
  counts(db, projectId, sql`experiment_items x`, x.experimentId, ids)

export const countFailuresOfExperiments = async (
  db: Database,
  projectId: string,
  ids: readonly string[],
): Promise<CountRow[]> => {
  const row = select({ id: x.experimentId, count })
  const { rows } = await sql`
    SELECT ${row} FROM experiment_items x WHERE x.project_id = ${projectId}
      AND x.experiment_id = ANY(${ids}::text[]) AND x.error IS NOT NULL GROUP BY x.experiment_id`.execute(
    db,
  )
  return rows
}

export interface UseRow {
  generationCount: number
  errorCount: number
  meanTokens: number | null
  meanDuration: number | null
}

/** Sums up the newest generations of a prompt version and their scores. */
export const summarizeUse = async (
  db: Database,
  projectId: string,
  promptId: string,
  since: string | null,
  most: number,
): Promise<UseRow & { scores: ScoreSummaryRow[] }> => {
  const use = select({
    id: s.id,
    hasFailed,
    tokens: s.genTokens,
    duration: s.genDuration,
  })
  const { rows } = await sql`
    SELECT ${use} FROM steps s WHERE s.project_id = ${projectId} AND s.gen_prompt_id = ${promptId} AND s.ingested
      ${since === null ? sql`` : sql`AND ${startOfStep} >= ${since}::timestamptz`}
    ORDER BY ${startOfStep} DESC, s.id DESC LIMIT ${sql.lit(most)}`.execute(db)
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
