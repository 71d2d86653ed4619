import type { Database } from '../database/database.js'
import { cast } from '../database/rows/columns.js'
import { pick, type RowOf, type Sql, select, sql } from '../database/rows/sql.js'
import { p } from '../database/rows/tables.js'
import { assignments, type Changes, unnest, valuesOf } from '../database/rows/writes.js'
import type { Instant } from '../kernel/instant.js'
import type { Condition, Kind } from '../lists/conditions.js'
import {
  atMost,
  byValue,
  creation,
  type Field,
  indexed,
  instant,
  json as jsonField,
  number,
  type OwnField,
  oneOf,
  orLowest,
  positive,
  related,
  string,
  type Value,
} from '../lists/fields.js'
import { contains } from '../lists/letter-case.js'
import {
  fieldsOf,
  type Listing,
  type Order,
  type OrdersOf,
  type SummedOrder,
} from '../lists/listing.js'
import { keepParticipants } from './erasure/notes.js'
import { findUsersInOrder } from './usage/in-order.js'
import { readUsage, usageOfUser } from './usage/usage.js'

const columns = select(pick(p, 'id', 'identifier', 'metadata', 'createdAt'))

const usage = select(usageOfUser)

export type ParticipantRow = RowOf<typeof columns>
export type Usage = RowOf<typeof usage>

/** Selects participants that have one of these names: identifiers, whose index is on their hash, or ids. */
const named = (names: readonly string[]) => sql`(
  (md5(p.identifier) = ANY(ARRAY(SELECT md5(name) FROM unnest(${names}::text[]) AS name))
    AND p.identifier = ANY(${names}::text[]))
  OR p.id = ANY(${names}::text[]))`

const identifier: Field<'list'> = {
  kind: 'list',
  criterion: (given) => {
    const { condition, isNegated } = positive(given)
    // Every participant has a value.
    if (condition.operator === 'is') return { test: isNegated ? sql`true` : sql`false` }
    if (condition.operator === 'ilike') {
      const test = contains(p.identifier, condition.value)
      return { test: isNegated ? sql`NOT ${test}` : test }
    }
    const test = named(condition.value as string[])
    return isNegated ? { test: sql`NOT ${test}` } : { test, indexHint: { test, isExact: true } }
  },
}

/**
 * Returns the ids of the participants with one of these identifiers (or ids); undefined when any participant passes.
 */
export const participantIds =
  (projectId: string) =>
  async (db: Database, { value }: Condition): Promise<string[] | undefined> => {
    if (value === null) return undefined
    const { rows } = await sql`
      SELECT ${select(pick(p, 'id'))} FROM participants p WHERE p.project_id = ${projectId} AND ${named(value as string[])}`.execute(
      db,
    )
    return rows.map(({ id }) => id)
  }

/** Returns those of some participants whose identifier contains the text of a condition. */
export const containing = async (
  db: Database,
  projectId: string,
  condition: Condition,
  { among, most }: { among?: readonly string[]; most?: number },
): Promise<string[]> => {
  const { rows } = await sql`
    SELECT ${select(pick(p, 'id'))} FROM participants p WHERE p.project_id = ${projectId}
      AND ${among === undefined ? sql`true` : sql`p.id = ANY(${among}::text[])`} AND ${contains(p.identifier, String(condition.value))}
      ${most === undefined ? sql`` : sql`LIMIT ${sql.lit(most)}`}`.execute(db)
  return rows.map(({ id }) => id)
}

/** Filters rows by the identifier of their participant, whole or a part of it. */
export const ofUser = (projectId: string, id: Value<string | null>): Field<'list'> => {
  const whole = oneOf(id, 'list', participantIds(projectId))
  const part = related(
    'list',
    (condition, db) => ({
      link: id,
      passing: (among) => containing(db, projectId, condition, { among }),
      candidates: async (most) =>
        atMost(most, await containing(db, projectId, condition, { most: most + 1 })),
    }),
    { opposites: 'none' },
  )
  return {
    kind: 'list',
    criterion: (condition, db) =>
      (positive(condition).condition.operator === 'ilike' ? part : whole).criterion(condition, db),
  }
}

/**
 * Orders rows by the identifier of their participant. A scalar subquery for each row, as participants are few and it
 * costs nothing when the order is not asked for.
 */
export const byParticipant = (projectId: Sql, id: Sql): Order => ({
  value: sql`coalesce((SELECT p.identifier FROM participants p
    WHERE p.project_id = ${projectId} AND p.id = ${id}), '')`,
  type: 'text',
  isIndexed: false,
})

/** Filters participants by a sum over their threads. */
const ofThreads = <Held extends Kind>(
  projectId: string,
  { kind, test }: OwnField<Held>,
): Field<Held> =>
  related(
    kind,
    (condition, db) => ({
      link: p.id,
      passing: async (ids) => {
        const passes = cast('boolean', sql`(${test(condition)}) IS TRUE`)
        const rows = await readUsage(db, projectId, ids, select({ passes }))
        return rows.filter((row) => row.passes).map(({ id }) => id)
      },
    }),
    { opposites: 'some' },
  )

/** Orders participants by a sum over their threads. */
const byThreads = (projectId: string, value: Value<number | null>): SummedOrder => {
  const sum = orLowest(value)
  const summed = select({ sum })
  return {
    kept: (db, range, most) => findUsersInOrder(db, projectId, sum, range, most),
    sumsOf: (db, ids) => readUsage(db, projectId, ids, summed),
    type: 'float8',
    isIndexed: false,
  }
}

/** Orders participants by a number of their threads. */
const byCount = (projectId: string, count: Value<number>): SummedOrder =>
  byThreads(projectId, cast('float8', sql`${count}::float8`))

/** Orders participants by a moment of their threads. */
const byMoment = (projectId: string, moment: Value<Instant | null>): SummedOrder =>
  byThreads(
    projectId,
    cast('float8 | null', sql`extract(epoch FROM ${moment} AT TIME ZONE 'UTC')::float8`),
  )

export const participantListing = (projectId: string): Listing<ParticipantRow> => ({
  name: 'participants',
  table: sql`participants`,
  alias: sql`p`,
  columns,
  id: p.id,
  projectId: p.projectId,
  createdAt: p.createdAt,
  list: 'participants',
  fields: fieldsOf('participants', {
    id: indexed(string(p.id), byValue(p.id)),
    createdAt: creation(p.createdAt),
    identifier,
    lastEngaged: ofThreads(projectId, instant(usageOfUser.lastEngaged)),
    threadCount: ofThreads(projectId, number(usageOfUser.threadCount)),
    tokenCount: ofThreads(projectId, number(usageOfUser.tokenCount)),
    errorCount: ofThreads(projectId, number(usageOfUser.errorCount)),
    cost: ofThreads(projectId, number(usageOfUser.cost)),
    metadata: jsonField(p.metadata),
  }),
  orders: {
    createdAt: { value: p.createdAt, type: 'timestamptz', isIndexed: true },
    lastEngaged: byMoment(projectId, usageOfUser.lastEngaged),
    firstEngaged: byMoment(projectId, usageOfUser.firstEngaged),
    threadCount: byCount(projectId, usageOfUser.threadCount),
    tokenCount: byCount(projectId, usageOfUser.tokenCount),
    errorCount: byCount(projectId, usageOfUser.errorCount),
    cost: byThreads(projectId, usageOfUser.cost),
    identifier: { value: p.identifier, type: 'text', isIndexed: false },
  } satisfies OrdersOf<'participants'>,
})

export const findParticipants = async (
  db: Database,
  projectId: string,
  ids: readonly string[],
): Promise<ParticipantRow[]> => {
  const { rows } = await sql`
    SELECT ${columns} FROM participants p
    WHERE p.project_id = ${projectId} AND p.id = ANY(${ids}::text[])`.execute(db)
  return rows
}

export const findParticipantByIdentifier = async (
  db: Database,
  projectId: string,
  identifier: string,
): Promise<ParticipantRow | undefined> => {
  // The index is on the hash.
  const { rows } = await sql`
    SELECT ${columns} FROM participants p WHERE p.project_id = ${projectId}
      AND md5(p.identifier) = md5(${identifier}) AND p.identifier = ${identifier}`.execute(db)
  return rows[0]
}

/**
 * Returns the ids of participants by names, which are ids or else identifiers, and keeps them from being deleted until
 * the transaction ends, as its rows are about to refer to them. Unknown names are left out.
 */
export const keepParticipantsByNames = async (
  db: Database,
  projectId: string,
  names: readonly string[],
): Promise<Map<string, string>> => {
  const { rows } = await sql`
    SELECT ${select(pick(p, 'id', 'identifier'))} FROM participants p
    WHERE p.project_id = ${projectId} AND ${named(names)}`.execute(db)
  if (rows.length === 0) return new Map()
  const ids = rows.map(({ id }) => id)
  const kept = new Set(await keepParticipants(db, projectId, ids))
  const present = rows.filter(({ id }) => kept.has(id))
  // Ids come last, so that a name which is an identifier too means the participant with that id.
  const byName = new Map(present.map(({ id, identifier }) => [identifier, id]))
  for (const id of kept) byName.set(id, id)
  return byName
}

/** Creates participants without metadata, except those whose identifiers are taken. */
export const insertParticipants = async (
  db: Database,
  projectId: string,
  participants: readonly { id: string; identifier: string; createdAt: Instant }[],
): Promise<void> => {
  await sql`
    INSERT INTO participants (project_id, id, identifier, metadata, created_at)
    SELECT ${projectId}, r.id, r.identifier, '{}'::json, r.created_at
    FROM ${unnest('participants', participants, 'id', 'identifier', 'createdAt')} AS r (id, identifier, created_at)
    ON CONFLICT DO NOTHING`.execute(db)
}

/** Returns the sums of participants' threads. Leaves out those without threads. */
export const findUsage = async (
  db: Database,
  projectId: string,
  ids: readonly string[],
): Promise<Usage[]> => {
  const rows = await readUsage(db, projectId, ids, usage)
  return rows.filter(({ threadCount }) => threadCount > 0)
}

/** Creates a participant. Returns undefined when the identifier is taken. */
export const insertParticipant = async (
  db: Database,
  projectId: string,
  participant: { id: string; identifier: string; metadata: unknown; createdAt: Instant },
): Promise<ParticipantRow | undefined> => {
  const { rows } = await sql`
    INSERT INTO participants AS p ${valuesOf('participants', { projectId, ...participant })}
    ON CONFLICT DO NOTHING RETURNING ${columns}`.execute(db)
  return rows[0]
}

/** Updates the given columns. */
export const updateParticipant = async (
  db: Database,
  projectId: string,
  id: string,
  changes: Changes<'participants'>,
): Promise<void> => {
  const set = assignments('participants', changes)
  if (set !== undefined)
    await sql`UPDATE participants SET ${set} WHERE project_id = ${projectId} AND id = ${id}`.execute(
      db,
    )
}
