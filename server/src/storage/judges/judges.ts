import type { JudgeSubject } from '../../../generated/resolvers.js'
import type { Database } from '../../database/database.js'
import { cast } from '../../database/rows/columns.js'
import { pick, type RowOf, select, sql } from '../../database/rows/sql.js'
import { h, m } from '../../database/rows/tables.js'
import type { Instant } from '../../kernel/instant.js'

/** Judges that a list has at most, and waiting items that are counted. */
const MAX_LISTED = 200
const MAX_COUNTED = 10_000

const columns = select({
  ...pick(h, 'id', 'name', 'version', 'sample', 'quietSeconds', 'scoreNames', 'createdAt'),
  ...pick(h, 'lastSeenAt', 'judged', 'failed', 'expired', 'tokens', 'dollars', 'lastError'),
  ...pick(h, 'budgetJudgements', 'budgetTokens', 'budgetDollars', 'spentOn'),
  subject: h.subject.narrow<JudgeSubject>(),
})
export type JudgeRow = RowOf<typeof columns>

const usageColumns = select(pick(m, 'judgements', 'tokens', 'dollars'))
export type JudgeUsageRow = RowOf<typeof usageColumns>

/** A judge as a worker knows it. */
export interface JudgeWrite {
  projectId: string
  id: string
  name: string
  version: string
  subject: JudgeSubject
  sample: number
  quietSeconds: number
  scoreNames: readonly string[]
  budget: { [Limit in keyof JudgeUsageRow]: number | null }
}

/** Writes a judge that a worker asks for, and locks it: requests for one judge take turns. */
export const touchJudge = async (
  db: Database,
  { projectId, id, name, version, subject, sample, quietSeconds, scoreNames, budget }: JudgeWrite,
  now: Instant,
  activeUntil: Instant,
): Promise<void> => {
  await sql`
    INSERT INTO judges AS h (project_id, id, name, version, subject, sample, quiet_seconds, score_names,
      budget_judgements, budget_tokens, budget_dollars, created_at, last_seen_at, active_until)
    VALUES (${projectId}, ${id}, ${name}, ${version}, ${subject}, ${sample}::float8, ${quietSeconds}::integer,
      ${[...scoreNames]}::text[], ${budget.judgements}::integer, ${budget.tokens}::float8, ${budget.dollars}::float8,
      ${now}::timestamptz, ${now}::timestamptz, ${activeUntil}::timestamptz)
    ON CONFLICT (project_id, id) DO UPDATE SET
      sample = excluded.sample, quiet_seconds = excluded.quiet_seconds, score_names = excluded.score_names,
      budget_judgements = excluded.budget_judgements, budget_tokens = excluded.budget_tokens,
      budget_dollars = excluded.budget_dollars, last_seen_at = excluded.last_seen_at, active_until = excluded.active_until`.execute(
    db,
  )
}

/** Notes the day on which a judge's budget is used up; null while some of it is left. */
export const noteSpent = async (
  db: Database,
  projectId: string,
  id: string,
  day: string | null,
): Promise<void> => {
  await sql`
    UPDATE judges SET spent_on = ${day}::text WHERE project_id = ${projectId} AND id = ${id}`.execute(
    db,
  )
}

/** Returns a judge, locked until the end of the transaction. */
export const lockJudge = async (
  db: Database,
  projectId: string,
  id: string,
): Promise<JudgeRow | undefined> => {
  const { rows } = await sql`
    SELECT ${columns} FROM judges h WHERE h.project_id = ${projectId} AND h.id = ${id} FOR UPDATE`.execute(
    db,
  )
  return rows[0]
}

/** Returns the things that a judge judges; undefined when it is not known. */
export const findSubject = async (
  db: Database,
  projectId: string,
  id: string,
): Promise<JudgeSubject | undefined> => {
  const { rows } = await sql`
    SELECT ${select({ subject: h.subject.narrow<JudgeSubject>() })} FROM judges h
    WHERE h.project_id = ${projectId} AND h.id = ${id}`.execute(db)
  return rows[0]?.subject
}

/** Lists judges, those that were active last first. */
export const listJudges = async (db: Database, projectId: string): Promise<JudgeRow[]> => {
  const { rows } = await sql`
    SELECT ${columns} FROM judges h WHERE h.project_id = ${projectId}
    ORDER BY h.last_seen_at DESC, h.id LIMIT ${sql.lit(MAX_LISTED)}`.execute(db)
  return rows
}

const active = select({
  ...pick(h, 'projectId', 'id', 'sample', 'quietSeconds'),
  subject: h.subject.narrow<JudgeSubject>(),
})
export type ActiveJudge = RowOf<typeof active>

/** Returns the judges of some projects that had a worker lately. */
export const findActiveJudges = async (
  db: Database,
  projectIds: readonly string[],
): Promise<ActiveJudge[]> => {
  const { rows } = await sql`
    SELECT ${active} FROM judges h
    WHERE h.project_id = ANY(${projectIds}::text[]) AND h.active_until > clock_timestamp()`.execute(
    db,
  )
  return rows
}

/** Adds to the counters of a judge that the caller has locked. */
export const countJudgements = async (
  db: Database,
  projectId: string,
  id: string,
  added: Pick<JudgeRow, 'judged' | 'failed' | 'expired' | 'tokens' | 'dollars' | 'lastError'>,
): Promise<void> => {
  await sql`
    UPDATE judges SET judged = judged + ${added.judged}::integer, failed = failed + ${added.failed}::integer,
      expired = expired + ${added.expired}::integer, tokens = tokens + ${added.tokens}::float8,
      dollars = dollars + ${added.dollars}::float8, last_error = coalesce(${added.lastError}::text, last_error)
    WHERE project_id = ${projectId} AND id = ${id}`.execute(db)
}

/** Deletes the errors of all judges of a project: a scorer's message may quote what it judged. */
export const forgetErrors = async (db: Database, projectId: string): Promise<void> => {
  await sql`
    UPDATE judges SET last_error = NULL
    WHERE project_id = ${projectId} AND last_error IS NOT NULL`.execute(db)
}

/** Adds to the usage of a day, and locks it: all versions of a judge share its budget. Returns the sums. */
export const useDay = async (
  db: Database,
  projectId: string,
  name: string,
  day: string,
  { judgements, tokens, dollars }: JudgeUsageRow,
): Promise<JudgeUsageRow> => {
  const { rows } = await sql`
    INSERT INTO judge_days AS m (project_id, name, day, judgements, tokens, dollars)
    VALUES (${projectId}, ${name}, ${day}, ${judgements}::integer, ${tokens}::float8, ${dollars}::float8)
    ON CONFLICT (project_id, name, day) DO UPDATE SET judgements = m.judgements + excluded.judgements,
      tokens = m.tokens + excluded.tokens, dollars = m.dollars + excluded.dollars
    RETURNING ${usageColumns}`.execute(db)
  return rows[0] as JudgeUsageRow
}

const dayColumns = usageColumns.and(select(pick(m, 'name')))

/** Returns the usage of judges on a day, by their names. */
export const findDays = async (
  db: Database,
  projectId: string,
  names: readonly string[],
  day: string,
): Promise<RowOf<typeof dayColumns>[]> => {
  const { rows } = await sql`
    SELECT ${dayColumns} FROM judge_days m
    WHERE m.project_id = ${projectId} AND m.name = ANY(${names}::text[]) AND m.day = ${day}`.execute(
    db,
  )
  return rows
}

/** Returns the number of items that wait for a judge, at most 10,000. */
export const countWaiting = async (
  db: Database,
  projectId: string,
  judgeId: string,
): Promise<number> => {
  const { rows } = await sql`
    SELECT ${select({ count: cast('integer', sql`count(*)`) })} FROM (
      SELECT 1 FROM judge_items WHERE project_id = ${projectId} AND judge_id = ${judgeId} AND due_at IS NOT NULL
      LIMIT ${sql.lit(MAX_COUNTED)}) w`.execute(db)
  return rows[0]?.count ?? 0
}
