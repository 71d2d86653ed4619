import { type Migration, sql } from 'kysely'

/** Holds when rows are marked as they are written: not in a distributed database, whose tables have no triggers. */
const IS_MARKED = `EXISTS (SELECT 1 FROM pg_trigger WHERE tgrelid = 'steps'::regclass AND tgname = 'rollup_steps_update')`

/**
 * Ten minutes, six hours and days are measured too: of the rows that are there in the background, the newest first. The
 * triggers get other names, so that a process of the version before stops measuring: it would take marks of minutes, and
 * not mark these.
 */
export const longerRollups: Migration = {
  async up(db) {
    const { rows } = await sql<{ isMarked: boolean }>`
      SELECT ${sql.raw(IS_MARKED)} AS "isMarked"`.execute(db)
    if (!rows[0]?.isMarked) return
    for (const table of ['steps', 'threads'])
      for (const event of ['insert', 'update', 'delete'])
        await sql
          .raw(
            `ALTER TRIGGER rollup_${table}_${event} ON ${table} RENAME TO mark_${table}_${event}`,
          )
          .execute(db)
    await sql`
      INSERT INTO rollup_fills (project_id, source)
      SELECT p.id, s.source FROM projects p CROSS JOIN (VALUES ('steps'), ('threads')) AS s (source)
      ON CONFLICT (project_id, source) DO UPDATE SET reached = NULL`.execute(db)
  },
}
