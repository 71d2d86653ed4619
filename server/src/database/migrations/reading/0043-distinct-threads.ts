import { type Migration, sql } from 'kysely'

/**
 * The share of steps with a value of their own. A sample of a large table finds some thousand threads among hundreds of
 * thousands, so that the planner expects a thread to have thousands of steps, and avoids the index that has twenty.
 */
const DISTINCT = { thread_id: 0.05, root_run_id: 0.05, parent_id: 0.2 }

export const distinctThreads: Migration = {
  async up(db) {
    await sql`SET LOCAL statement_timeout = 0`.execute(db)
    // A distributed table refuses it, and does without.
    for (const [column, share] of Object.entries(DISTINCT))
      await sql
        .raw(
          `DO $$ BEGIN
            ALTER TABLE steps ALTER COLUMN ${column} SET (n_distinct = ${-share});
          EXCEPTION WHEN feature_not_supported THEN NULL; END $$`,
        )
        .execute(db)
    await sql.raw(`ANALYZE steps (${Object.keys(DISTINCT).join(', ')})`).execute(db)
  },
}
