import { type Migration, sql } from 'kysely'

/**
 * A move of all data to another database, while this one is written to. `moves` has one row at most: in the database that
 * is left, and in the one that is moved to. `move_changes` has the keys of rows that were written since the move began.
 *
 * The functions are for triggers, which are there only during a move. The guard waits, as all writing transactions hold
 * its lock together, for nothing but the begin of the switch, which takes it alone: so once the switch has begun, no
 * transaction that may still commit has written anything.
 */
export const moves: Migration = {
  async up(db) {
    const run = (text: string) => sql.raw(text).execute(db)
    await run(`CREATE TABLE moves (
      id text COLLATE "C" PRIMARY KEY,
      role text COLLATE "C" NOT NULL,
      state text COLLATE "C" NOT NULL,
      token text COLLATE "C" NOT NULL,
      place text NOT NULL,
      until timestamptz,
      progress json
    )`)
    await run(`CREATE TABLE move_changes (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      name text COLLATE "C" NOT NULL,
      key text COLLATE "C" NOT NULL
    )`)
    await run(`CREATE FUNCTION move_guard() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(hashtext('stepwell move'));
  IF EXISTS (SELECT 1 FROM moves WHERE id = 'move' AND role = 'source'
      AND (state = 'moved' OR (state = 'switching' AND until > clock_timestamp()))) THEN
    RAISE EXCEPTION 'the data is being moved' USING ERRCODE = 'SW503';
  END IF;
  RETURN NULL;
END
$body$`)
    // The argument has the columns of the primary key, as texts.
    for (const [event, rows] of [
      ['insert', 'SELECT * FROM new_rows'],
      ['update', 'SELECT * FROM old_rows UNION ALL SELECT * FROM new_rows'],
      ['delete', 'SELECT * FROM old_rows'],
    ])
      await run(`CREATE FUNCTION move_note_${event}() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  EXECUTE format('INSERT INTO move_changes (name, key) SELECT DISTINCT %L, json_build_array(%s)::text FROM (${rows?.replaceAll('*', '%s')}) AS r',
    TG_TABLE_NAME, TG_ARGV[0]${event === 'update' ? ', TG_ARGV[1], TG_ARGV[1]' : ', TG_ARGV[1]'});
  RETURN NULL;
END
$body$`)
  },
}
