import { type Migration, sql } from 'kysely'

type Source = 'steps' | 'threads'
type Event = 'insert' | 'update' | 'delete'

export const SOURCES: readonly Source[] = ['steps', 'threads']
export const EVENTS: readonly Event[] = ['insert', 'update', 'delete']

/** The moments of rows, and those of them that metrics count. */
const ROWS = {
  steps: { moment: 'coalesce(start_time, created_at)', counted: 'ingested' },
  threads: { moment: 'coalesce(started_at, created_at)', counted: 'true' },
}

/** The columns of threads that metrics read: sums mark a thread as stale far more often than they change these. */
const read = (row: string) => `(coalesce(${row}.started_at, ${row}.created_at), ${row}.environment,
  ${row}.metadata::text, ${row}.error_count, ${row}.duration, ${row}.token_count, ${row}.cost, ${row}.unpriced_count)`

const minutes = (source: Source, rows: string) => {
  const { moment, counted } = ROWS[source]
  return `SELECT project_id, date_bin('1 minute', ${moment}, '0001-01-01 00:00:00+00') AS start
    FROM ${rows} WHERE ${counted}`
}

const changedThreads = (wanted: 'o' | 'n') => `(
  SELECT ${wanted}.* FROM old_rows o JOIN new_rows n ON n.project_id = o.project_id AND n.id = o.id
  WHERE ${read('o')} IS DISTINCT FROM ${read('n')}) AS changed`

/** Reads the minutes of the rows that a statement changes, before and after. */
export const changedMinutes = (source: Source, event: Event): string => {
  const [before, after] =
    source === 'threads' && event === 'update'
      ? [changedThreads('o'), changedThreads('n')]
      : ['old_rows', 'new_rows']
  if (event === 'insert') return minutes(source, after)
  if (event === 'delete') return minutes(source, before)
  return `${minutes(source, before)} UNION ALL ${minutes(source, after)}`
}

/** The tables in which a trigger finds the rows of its statement. */
export const TRANSITIONS = {
  insert: 'NEW TABLE AS new_rows',
  update: 'OLD TABLE AS old_rows NEW TABLE AS new_rows',
  delete: 'OLD TABLE AS old_rows',
}

/**
 * Measurements of minutes and hours, and marks of those that are out of date. Triggers mark the minutes of all rows that
 * a statement writes, before and after, in its transaction: so no way of writing can forget to. A trigger costs once for
 * a statement. Marks are only ever added by requests, which so never wait for each other.
 */
export const rollups: Migration = {
  async up(db) {
    const run = (text: string) => sql.raw(text).execute(db)
    await run(`CREATE TABLE rollups (
      project_id text COLLATE "C" NOT NULL,
      subject text COLLATE "C" NOT NULL,
      dimension text COLLATE "C" NOT NULL,
      seconds integer NOT NULL,
      start timestamptz NOT NULL,
      series json NOT NULL,
      PRIMARY KEY (project_id, subject, dimension, seconds, start)
    )`)
    await run(`CREATE TABLE rollup_marks (
      project_id text COLLATE "C" NOT NULL,
      source text COLLATE "C" NOT NULL,
      seconds integer NOT NULL,
      start timestamptz NOT NULL,
      id bigint GENERATED ALWAYS AS IDENTITY,
      marked_at timestamptz NOT NULL,
      PRIMARY KEY (project_id, source, seconds, start, id)
    )`)
    // Progress back in time through the rows of before; a row goes when there are none left.
    await run(`CREATE TABLE rollup_fills (
      project_id text COLLATE "C" NOT NULL,
      source text COLLATE "C" NOT NULL,
      reached timestamptz,
      PRIMARY KEY (project_id, source)
    )`)
    for (const source of SOURCES) {
      await run(
        `INSERT INTO rollup_fills (project_id, source) SELECT id, '${source}' FROM projects`,
      )
      for (const event of EVENTS) {
        const name = `rollup_${source}_${event}`
        await run(`CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  INSERT INTO rollup_marks (project_id, source, seconds, start, marked_at)
  SELECT DISTINCT r.project_id, '${source}', 60, r.start, now() FROM (${changedMinutes(source, event)}) AS r;
  RETURN NULL;
END
$body$`)
        await run(`CREATE TRIGGER ${name} AFTER ${event} ON ${source} REFERENCING ${TRANSITIONS[event]}
          FOR EACH STATEMENT EXECUTE FUNCTION ${name}()`)
      }
    }
  },
}
