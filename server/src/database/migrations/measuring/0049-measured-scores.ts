import { type Migration, sql } from 'kysely'
import { isDistributed } from '../../distribution/cluster.js'
import { TRANSITIONS } from './0028-rollups.js'

const START = `date_bin('10 minutes', c.created_at, '0001-01-01 00:00:00+00')`
const MARK = `INSERT INTO rollup_marks (project_id, source, seconds, start, marked_at)
  SELECT DISTINCT c.project_id, 'scores', 600, ${START}, now()`

/** Marks the ten minutes of all scores: an index leads from each one to the next that has any, however many scores it has. */
export const MARK_STORED = `WITH RECURSIVE found AS (
    SELECT p.id AS project_id, first.start FROM projects p CROSS JOIN LATERAL (
      SELECT ${START} AS start FROM scores c WHERE c.project_id = p.id ORDER BY c.created_at LIMIT 1) AS first
    UNION ALL
    SELECT f.project_id, next.start FROM found f CROSS JOIN LATERAL (
      SELECT ${START} AS start FROM scores c
      WHERE c.project_id = f.project_id AND c.created_at >= f.start + interval '10 minutes' ORDER BY c.created_at LIMIT 1) AS next)
  INSERT INTO rollup_marks (project_id, source, seconds, start, marked_at)
  SELECT project_id, 'scores', 600, start, now() FROM found`

/** The rows of `scores` that a statement writes, before and after. */
const WRITTEN = {
  insert: 'new_rows',
  update: `(SELECT project_id, created_at FROM old_rows UNION ALL SELECT project_id, created_at FROM new_rows)`,
  delete: 'old_rows',
}

/** The columns of what is scored that decide how its scores are measured. */
const READ = {
  steps: ['environment', 'metadata', 'gen_model', 'gen_prompt_id'],
  threads: ['environment', 'metadata'],
}

type Scored = keyof typeof READ

const tuple = (table: Scored, row: string) =>
  `(${READ[table].map((column) => `${row}.${column}${column === 'metadata' ? '::text' : ''}`).join(', ')})`

/** Looks up the scores of a row `n`, one row after the other: few have any. */
const scoresOf = (table: Scored, bound: string) => `CROSS JOIN LATERAL (
    SELECT c.created_at FROM scores c
    WHERE c.project_id = n.project_id AND c.${table === 'steps' ? 'step_id' : 'thread_id'} = n.id ${bound}) AS c`

/**
 * Reads the scores of the rows that a statement writes, and that count otherwise than before. Of rows that stay as they were one
 * score is read: a step may have a hundred thousand.
 */
const changedScores = (table: Scored, event: 'insert' | 'update') =>
  event === 'insert'
    ? `(SELECT n.project_id, c.created_at FROM new_rows n ${scoresOf(table, 'OFFSET 0')}) AS c`
    : `(WITH scored AS MATERIALIZED (
          SELECT n.project_id, n.id, ${READ[table].map((column) => `n.${column}`).join(', ')} FROM new_rows n ${scoresOf(table, 'LIMIT 1')}),
        n AS MATERIALIZED (
          SELECT s.project_id, s.id FROM scored s JOIN old_rows o ON o.project_id = s.project_id AND o.id = s.id
          WHERE ${tuple(table, 'o')} IS DISTINCT FROM ${tuple(table, 's')})
        SELECT n.project_id, c.created_at FROM n ${scoresOf(table, 'OFFSET 0')}) AS c`

/**
 * Marks of the ten minutes of scores whose measurement is out of date: when a score is written, and when the step or thread is
 * that it belongs to. That may come after its score, so that inserts mark too. Projects without scores pay for a single look.
 */
export const measuredScores: Migration = {
  async up(db) {
    // Triggers of distributed tables are the workers' own, and a score lies on another one than its step.
    if (await isDistributed(db)) return
    const run = (text: string) => sql.raw(text).execute(db)
    const trigger = async (table: string, event: keyof typeof TRANSITIONS, name: string) => {
      await run(`CREATE TRIGGER ${name} AFTER ${event} ON ${table} REFERENCING ${TRANSITIONS[event]}
        FOR EACH STATEMENT EXECUTE FUNCTION ${name}()`)
    }
    for (const table of ['steps', 'threads'] as const)
      for (const event of ['insert', 'update'] as const) {
        const name = `mark_scores_of_${table}_${event}`
        // The plan is kept while the tables grow: a row's scores are found by the index, whatever they were when it was made, and
        // rows of before and after are not compared each with all. Such plans look dear enough to be compiled.
        await run(`CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql
SET enable_seqscan = off SET enable_nestloop = off SET jit = off AS $body$
BEGIN
  IF NOT EXISTS (SELECT FROM (SELECT DISTINCT project_id FROM new_rows) AS p
    CROSS JOIN LATERAL (SELECT FROM scores c WHERE c.project_id = p.project_id LIMIT 1) AS c) THEN
    RETURN NULL;
  END IF;
  ${MARK} FROM ${changedScores(table, event)};
  RETURN NULL;
END
$body$`)
        await trigger(table, event, name)
      }
    for (const event of ['insert', 'delete', 'update'] as const) {
      const name = `mark_scores_${event}`
      await run(`CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  ${MARK} FROM ${WRITTEN[event]} AS c;
  RETURN NULL;
END
$body$`)
      // That of updates is the last one: measuring begins with it.
      await trigger('scores', event, name)
    }
    await sql`SET LOCAL statement_timeout = 0`.execute(db)
    await run(MARK_STORED)
  },
}
