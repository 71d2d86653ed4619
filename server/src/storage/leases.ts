import type { Database } from '../database/database.js'
import { cast } from '../database/rows/columns.js'
import { insertion } from '../database/rows/insertion.js'
import { pick, type RowOf, select, sql } from '../database/rows/sql.js'
import { b, x } from '../database/rows/tables.js'
import { unnest } from '../database/rows/writes.js'
import type { Instant } from '../kernel/instant.js'
import { byCodePoint } from '../lists/by-code-point.js'

const columns = select(pick(b, 'key', 'repetition', 'holder', 'leasedUntil', 'itemId'))
export type LeaseRow = RowOf<typeof columns>

/** An item of an experiment's run, in one of its repetitions. */
export interface Place {
  key: string
  repetition: number
}

/** A process that shares a run. */
export interface Holder {
  projectId: string
  experimentId: string
  holder: string
}

/** Returns the database's time, which is the same for all processes of the service, and a later time. */
export const timesOf = async (
  db: Database,
  seconds: number,
): Promise<{ now: Instant; until: Instant }> => {
  const now = cast('timestamptz', sql`clock_timestamp()`)
  const until = cast('timestamptz', sql`clock_timestamp() + make_interval(secs => ${seconds})`)
  const { rows } = await sql`SELECT ${select({ now, until })}`.execute(db)
  return rows[0] as { now: Instant; until: Instant }
}

/** Returns failed results that were leased, up to a number. */
export const findFailedResults = async (
  db: Database,
  projectId: string,
  experimentId: string,
  most: number,
): Promise<(Place & { id: string })[]> => {
  const failed = select({
    id: x.id,
    key: x.key.narrow<string>(),
    repetition: x.repetition.narrow<number>(),
  })
  const { rows } = await sql`
    SELECT ${failed} FROM experiment_items x
    WHERE x.project_id = ${projectId} AND x.experiment_id = ${experimentId} AND x.error IS NOT NULL
      AND x.key IS NOT NULL AND x.repetition IS NOT NULL LIMIT ${sql.lit(most)}`.execute(db)
  return rows
}

/** Takes the results away from locked leases, so that their items are free. */
export const freeLeases = async (
  db: Database,
  { projectId, experimentId }: Omit<Holder, 'holder'>,
  places: readonly Place[],
  now: Instant,
): Promise<void> => {
  await sql`
    UPDATE experiment_leases b SET item_id = NULL, leased_until = ${now}::timestamptz
    WHERE b.project_id = ${projectId} AND b.experiment_id = ${experimentId}
      AND (b.key, b.repetition) IN (SELECT * FROM ${placesOf(places)})`.execute(db)
}

const placesOf = (places: readonly Place[]) =>
  unnest('experiment_leases', places, 'key', 'repetition')

/** Returns the leases of some places, locked in one order, so that two transactions never wait for each other. */
export const lockLeases = async (
  db: Database,
  { projectId, experimentId }: Omit<Holder, 'holder'>,
  places: readonly Place[],
): Promise<LeaseRow[]> => {
  const { rows } = await sql`
    SELECT ${columns} FROM experiment_leases b
    WHERE b.project_id = ${projectId} AND b.experiment_id = ${experimentId}
      AND (b.key, b.repetition) IN (SELECT * FROM ${placesOf(places)})
    ORDER BY b.key, b.repetition FOR UPDATE`.execute(db)
  return rows
}

/** Inserts leases of places that have none, and changes those that the caller has locked. */
export const putLeases = async (
  db: Database,
  { projectId, experimentId, holder }: Holder,
  places: readonly Place[],
  { now, until, takesOver }: { now: Instant; until: Instant; takesOver: boolean },
): Promise<void> => {
  // Another process may insert the same ones at the same time: the later statement waits, and sees whose they are.
  const inOrder = places.toSorted(
    (a, b) => byCodePoint(a.key, b.key) || a.repetition - b.repetition,
  )
  await putting.run(
    db,
    inOrder.map(({ key, repetition }) => [projectId, experimentId, key, repetition, holder, until]),
    [now, takesOver],
  )
}

const putting = insertion({
  into: 'experiment_leases',
  columns: ['project_id', 'experiment_id', 'key', 'repetition', 'holder', 'leased_until'],
  parameters: 2,
  after: `ON CONFLICT (project_id, experiment_id, key, repetition) DO UPDATE SET
      holder = excluded.holder, leased_until = excluded.leased_until
    WHERE experiment_leases.item_id IS NULL AND (experiment_leases.holder = excluded.holder
      OR experiment_leases.leased_until <= $1::timestamptz OR $2::boolean)`,
})

/**
 * Ends the leases of a holder that have no result, of those that the caller has locked: one that was inserted since would
 * be locked in another order than by other transactions.
 */
export const endLeases = async (
  db: Database,
  { projectId, experimentId, holder }: Holder,
  locked: readonly Place[],
  now: Instant,
): Promise<void> => {
  await sql`
    UPDATE experiment_leases b SET leased_until = ${now}::timestamptz
    WHERE b.project_id = ${projectId} AND b.experiment_id = ${experimentId} AND b.holder = ${holder}
      AND b.item_id IS NULL AND (b.key, b.repetition) IN (SELECT * FROM ${placesOf(locked)})`.execute(
    db,
  )
}

/** Writes the ids of results into leases. */
export const settleLeases = async (
  db: Database,
  { projectId, experimentId }: Holder,
  results: readonly (Place & { id: string })[],
): Promise<void> => {
  const rows = results.map(({ key, repetition, id }) => ({ key, repetition, itemId: id }))
  await sql`
    UPDATE experiment_leases b SET item_id = r.item_id
    FROM ${unnest('experiment_leases', rows, 'key', 'repetition', 'itemId')} AS r (key, repetition, item_id)
    WHERE b.project_id = ${projectId} AND b.experiment_id = ${experimentId}
      AND b.key = r.key AND b.repetition = r.repetition`.execute(db)
}
