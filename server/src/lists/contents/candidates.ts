import type { Database } from '../../database/database.js'
import { cast } from '../../database/rows/columns.js'
import { select, sql } from '../../database/rows/sql.js'
import { states } from '../../database/rows/tables.js'
import { foldCase } from '../letter-case.js'
import { bucketsOf } from './grams.js'
import { placesIn } from './slabs.js'
import { findUnindexed, type ReadTexts } from './unindexed.js'

/** Steps that may contain a text, and the bound of the times of those that follow. */
export interface Candidates {
  ids: string[]
  /** Steps that follow are not beyond this, in the order of the search; undefined while nothing is known. */
  bound: number | undefined
  /** Blocks that were looked at for these. */
  blocks: number
}

/** The order in which a search reads, and from where. */
export interface Walk {
  /** The columns of times; undefined when the order is another one. */
  times: 'created' | 'started' | undefined
  isAscending: boolean
  /** Rows up to this time were read before. */
  from: number | undefined
  /** Reads the texts of steps. */
  texts?: ReadTexts | undefined
}

const FIRST_SLABS = 16
const MOST_SLABS = 256
const STEPS_AT_ONCE = 500
/** Such characters are written otherwise in JSON, so the index knows only the pieces between them. */
const ESCAPED = /["\\\p{Cc}\ufdd0]+/u

/** Returns the hashes to look up; undefined when the texts are too short, or the index of the project is not complete. */
export const hashesOf = async (
  db: Database,
  projectId: string,
  texts: readonly string[],
): Promise<number[] | undefined> => {
  const folded = sql.join(texts.map((text) => foldCase(sql`${text}::text`)))
  const { rows } = await sql`
    SELECT ${select({ isComplete: states.isComplete, folded: cast('text[]', sql`ARRAY[${folded}]`) })}
    FROM content_states states WHERE states.project_id = ${projectId}`.execute(db)
  const [row] = rows
  if (row?.isComplete !== true) return undefined
  const hashes = bucketsOf(row.folded.flatMap((text) => text.split(ESCAPED)))
  return hashes.length === 0 ? undefined : hashes
}

interface Slab {
  firstBlock: number
  blocks: number
  bits: Buffer
}

interface Block {
  number: number
  low: number
  high: number
}

/**
 * Yields the steps that may contain a text, those of the next times first as far as blocks keep them together. Those that
 * are not indexed yet come first of all: a step that is indexed meanwhile is then not missed.
 */
export async function* candidates(
  db: Database,
  projectId: string,
  hashes: readonly number[],
  walk: Walk,
  deadline: number,
): AsyncGenerator<Candidates> {
  const seen = new Set<string>()
  const fresh = (ids: readonly string[]) => {
    const some = ids.filter((id) => !seen.has(id))
    for (const id of some) seen.add(id)
    return some
  }
  const unindexed = await findUnindexed(db, projectId, hashes, walk.texts, deadline)
  for (const ids of inParts(fresh(unindexed), STEPS_AT_ONCE))
    yield { ids: [...ids], bound: undefined, blocks: 0 }
  let last: Slab | undefined
  for (let size = FIRST_SLABS; ; size = Math.min(size * 2, MOST_SLABS)) {
    const { slabs, bound } = await readSlabs(db, projectId, hashes, walk, last, size)
    last = slabs.at(-1) ?? last
    const found = slabs.flatMap(({ firstBlock, blocks, bits }) =>
      placesIn(bits, blocks).map((place) => firstBlock + place),
    )
    const blocks = slabs.reduce((sum, slab) => sum + slab.blocks, 0)
    const isLast = slabs.length < size
    const sorted = await readTimes(db, projectId, found, walk)
    // The farthest time of all blocks from one on.
    const bounds = boundsOf(sorted, isLast ? undefined : bound, walk)
    let from = 0
    while (from < sorted.length) {
      let ids: string[] = []
      let to = from
      while (to < sorted.length && ids.length < STEPS_AT_ONCE) {
        const part = sorted.slice(to, to + 32)
        ids = [...ids, ...fresh(await readSteps(db, projectId, part))]
        to += part.length
      }
      from = to
      yield { ids, bound: bounds[to], blocks: from >= sorted.length ? blocks : 0 }
    }
    if (sorted.length === 0) yield { ids: [], bound: bounds[0], blocks }
    if (isLast) return
  }
}

const inParts = function* <Item>(items: readonly Item[], size: number) {
  for (let from = 0; from < items.length; from += size) yield items.slice(from, from + size)
}

/** Reads the bits of the next slabs, newest first unless the walk ascends, and the bound of those after them. */
const readSlabs = async (
  db: Database,
  projectId: string,
  hashes: readonly number[],
  { times, isAscending }: Walk,
  last: Slab | undefined,
  size: number,
) => {
  // Slabs that are joined meanwhile may overlap with those that were read.
  const rest =
    last === undefined
      ? sql`true`
      : isAscending
        ? sql`first_block + blocks > ${last.firstBlock + last.blocks}::integer`
        : sql`first_block < ${last.firstBlock}::integer`
  const bits = sql.join(
    hashes.map(
      (hash) => sql`substring(signatures FROM ${sql.lit(hash)} * (blocks / 8) + 1 FOR blocks / 8)`,
    ),
    sql` || `,
  )
  const direction = isAscending ? sql`ASC` : sql`DESC`
  const columns = select({
    firstBlock: cast('integer', sql`first_block`),
    blocks: cast('integer', sql`blocks`),
    bits: cast('bytea', bits),
  })
  const slabs = await sql`
    SELECT ${columns} FROM content_slabs
    WHERE project_id = ${projectId} AND ${rest}
    ORDER BY first_block ${direction} LIMIT ${sql.lit(size)}`.execute(db)
  const end = slabs.rows.at(-1)
  if (times === undefined || end === undefined) return { slabs: slabs.rows, bound: undefined }
  const extreme = isAscending
    ? sql`min(${sql.ref(`${times}_from`)})`
    : sql`max(${sql.ref(`${times}_to`)})`
  const after = isAscending
    ? sql`first_block + blocks > ${end.firstBlock + end.blocks}::integer`
    : sql`first_block < ${end.firstBlock}::integer`
  const { rows } = await sql`
    SELECT ${select({ bound: cast('float8 | null', extreme) })} FROM content_slabs
    WHERE project_id = ${projectId} AND ${after}`.execute(db)
  return { slabs: slabs.rows, bound: rows[0]?.bound ?? undefined }
}

/** Reads the times of blocks, and sorts those that a walk has not passed by the first time that it meets. */
const readTimes = async (
  db: Database,
  projectId: string,
  numbers: readonly number[],
  { times = 'created', isAscending, from }: Walk,
): Promise<Block[]> => {
  if (numbers.length === 0) return []
  const columns = select({
    number: cast('integer', sql`number`),
    low: cast('float8', sql.ref(`${times}_from`)),
    high: cast('float8', sql.ref(`${times}_to`)),
  })
  const { rows } = await sql`
    SELECT ${columns} FROM content_blocks
    WHERE project_id = ${projectId} AND number = ANY(${numbers}::integer[])`.execute(db)
  const left =
    from === undefined
      ? rows
      : rows.filter(({ low, high }) => (isAscending ? high >= from : low <= from))
  return left.sort((one, other) => (isAscending ? one.low - other.low : other.high - one.high))
}

const boundsOf = (sorted: readonly Block[], after: number | undefined, walk: Walk) => {
  const bounds: (number | undefined)[] = new Array(sorted.length + 1)
  if (walk.times === undefined) return bounds
  const [nothing, farther] = walk.isAscending
    ? [Number.POSITIVE_INFINITY, Math.min]
    : [Number.NEGATIVE_INFINITY, Math.max]
  const rest = after ?? nothing
  bounds[sorted.length] = rest
  for (const [index, { low, high }] of sorted.entries())
    bounds[index] = farther(rest, walk.isAscending ? low : high)
  return bounds
}

const readSteps = async (
  db: Database,
  projectId: string,
  blocks: readonly Block[],
): Promise<string[]> => {
  const { rows } = await sql`
    SELECT ${select({ stepIds: cast('text[]', sql`step_ids`) })} FROM content_blocks
    WHERE project_id = ${projectId} AND number = ANY(${blocks.map(({ number }) => number)}::integer[])`.execute(
    db,
  )
  return rows.flatMap(({ stepIds }) => stepIds)
}
