import { type Migration, sql } from 'kysely'

/**
 * A mark may name one of the rows that it was made for: a distributed database keeps it on the worker that has the row, which
 * marks it by itself. Where marks were distributed before, there are none, and they are made anew.
 */
export const marksBesideRows: Migration = {
  async up(db) {
    const run = (text: string) => sql.raw(text).execute(db)
    if (!(await areDistributed(db))) {
      await run(`ALTER TABLE rollup_marks
        ADD COLUMN row_id text COLLATE "C" NOT NULL DEFAULT '', DROP CONSTRAINT rollup_marks_pkey`)
      await run(
        `ALTER TABLE rollup_marks ADD PRIMARY KEY (project_id, source, seconds, start, id, row_id)`,
      )
      return
    }
    await run('DROP TABLE rollup_marks')
    await run(`CREATE TABLE rollup_marks (
      project_id text COLLATE "C" NOT NULL,
      source text COLLATE "C" NOT NULL,
      seconds integer NOT NULL,
      start timestamptz NOT NULL,
      id bigint GENERATED ALWAYS AS IDENTITY,
      marked_at timestamptz NOT NULL,
      row_id text COLLATE "C" NOT NULL DEFAULT '',
      PRIMARY KEY (project_id, source, seconds, start, id, row_id)
    )`)
  },
}

const areDistributed = async (db: Parameters<Migration['up']>[0]): Promise<boolean> => {
  const { rows: extensions } =
    await sql`SELECT 1 FROM pg_extension WHERE extname = 'citus'`.execute(db)
  if (extensions.length === 0) return false
  const { rows } = await sql`
    SELECT 1 FROM pg_dist_partition WHERE logicalrelid = 'rollup_marks'::regclass`.execute(db)
  return rows.length > 0
}
