import type { Database } from '../../database/database.js'
import { cast } from '../../database/rows/columns.js'
import { pick, select, sql } from '../../database/rows/sql.js'
import { s, slabs } from '../../database/rows/tables.js'
import type { Instant } from '../../kernel/instant.js'
import { FIRST_BLOCKS, JOINED, joinSlabs, MAX_BLOCKS } from '../../lists/contents/slabs.js'

/** Earliest and latest times of steps, in microseconds. */
export interface Times {
  createdFrom: number
  createdTo: number
  startedFrom: number
  startedTo: number
}

export interface NewBlock extends Times {
  stepIds: string[]
}

export interface NewSlab {
  blocks: NewBlock[]
  signatures: Buffer
}

const timesOf = (blocks: readonly Times[]): Times => ({
  createdFrom: Math.min(...blocks.map(({ createdFrom }) => createdFrom)),
  createdTo: Math.max(...blocks.map(({ createdTo }) => createdTo)),
  startedFrom: Math.min(...blocks.map(({ startedFrom }) => startedFrom)),
  startedTo: Math.max(...blocks.map(({ startedTo }) => startedTo)),
})

const values = ({ createdFrom, createdTo, startedFrom, startedTo }: Times) =>
  sql`${createdFrom}::float8, ${createdTo}::float8, ${startedFrom}::float8, ${startedTo}::float8`

/** Inserts slabs of eight blocks: after the last ones, or before the first ones for steps of before. Needs a transaction. */
export const insertSlabs = async (
  db: Database,
  projectId: string,
  fresh: readonly NewSlab[],
  where: 'after' | 'before',
): Promise<void> => {
  const ends = select({
    low: cast('integer', sql`coalesce(min(first_block), 0)`),
    high: cast('integer', sql`coalesce(max(first_block + blocks), 0)`),
  })
  const { rows } = await sql`
    SELECT ${ends} FROM content_slabs WHERE project_id = ${projectId}`.execute(db)
  const { low = 0, high = 0 } = rows[0] ?? {}
  // Slabs that are joined lie in an aligned range, and the numbers of steps of before go down from 0.
  const firstOf = (index: number) =>
    where === 'after'
      ? Math.max(0, high) + index * FIRST_BLOCKS
      : Math.min(0, low) - (index + 1) * FIRST_BLOCKS
  for (const [index, { blocks, signatures }] of fresh.entries()) {
    const first = firstOf(index)
    await sql`
      INSERT INTO content_slabs (project_id, first_block, blocks, signatures, created_from, created_to, started_from, started_to)
      VALUES (${projectId}, ${first}::integer, ${FIRST_BLOCKS}::integer, ${signatures}::bytea, ${values(timesOf(blocks))})`.execute(
      db,
    )
    const rows = blocks.map(
      (block, place) =>
        sql`(${projectId}, ${first + place}::integer, ${block.stepIds}::text[], ${values(block)})`,
    )
    await sql`
      INSERT INTO content_blocks (project_id, number, step_ids, created_from, created_to, started_from, started_to)
      VALUES ${sql.join(rows)}`.execute(db)
  }
}

const part = select(
  pick(slabs, 'firstBlock', 'signatures', 'createdFrom', 'createdTo', 'startedFrom', 'startedTo'),
)

/** Joins eight slabs of one size to one. Returns false when there are none. */
export const joinNext = async (db: Database, projectId: string): Promise<boolean> => {
  const joinable = select({
    first: cast(
      'integer',
      sql`floor(first_block::float8 / (blocks * ${sql.lit(JOINED)})) * (blocks * ${sql.lit(JOINED)})`,
    ),
    blocks: cast('integer', sql`blocks`),
  })
  const { rows } = await sql`
    SELECT ${joinable} FROM content_slabs WHERE project_id = ${projectId} AND blocks < ${sql.lit(MAX_BLOCKS)}
    GROUP BY 1, 2 HAVING count(*) = ${sql.lit(JOINED)} LIMIT 1`.execute(db)
  const [next] = rows
  if (next === undefined) return false
  await db.transaction().execute(async (transaction) => {
    const joined = next.blocks * JOINED
    const range = sql`project_id = ${projectId} AND blocks = ${next.blocks}::integer
      AND first_block >= ${next.first}::integer AND first_block < ${next.first + joined}::integer`
    const { rows: parts } = await sql`
      DELETE FROM content_slabs slabs WHERE ${range}
      RETURNING ${part}`.execute(transaction)
    // Another process joined them.
    if (parts.length < JOINED) throw new Error('the slabs to join are gone')
    parts.sort((one, other) => one.firstBlock - other.firstBlock)
    const signatures = joinSlabs(parts.map((part) => part.signatures))
    await sql`
      INSERT INTO content_slabs (project_id, first_block, blocks, signatures, created_from, created_to, started_from, started_to)
      VALUES (${projectId}, ${next.first}::integer, ${joined}::integer, ${signatures}::bytea, ${values(timesOf(parts))})`.execute(
      transaction,
    )
  })
  return true
}

const place = select(pick(s, 'id', 'createdAt'))

/** Returns the steps before a place, newest first. */
export const findStepsBefore = async (
  db: Database,
  projectId: string,
  before: { createdAt: Instant; id: string } | undefined,
  most: number,
): Promise<{ id: string; createdAt: Instant }[]> => {
  const behind =
    before === undefined
      ? sql`true`
      : sql`(s.created_at, s.id) < (${before.createdAt}::timestamptz, ${before.id}::text)`
  const { rows } = await sql`
    SELECT ${place} FROM steps s WHERE s.project_id = ${projectId} AND s.ingested AND ${behind}
    ORDER BY s.created_at DESC, s.id DESC LIMIT ${sql.lit(most)}`.execute(db)
  return rows
}
