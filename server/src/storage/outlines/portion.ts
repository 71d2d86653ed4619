import { cast, type Typed } from '../../database/rows/columns.js'
import { pick, type RowOf, select, sql } from '../../database/rows/sql.js'
import { s } from '../../database/rows/tables.js'
import type { Instant } from '../../kernel/instant.js'
import { inDollars, isUnpriced } from '../prices/costs.js'
import { hasFailed } from '../reading/failures.js'
import { startOfStep } from '../reading/starts.js'

/** Steps that are read at once: two megabytes, and some milliseconds of the event loop. */
export const PORTION = 20_000

const milliseconds = (moment: Typed<Instant | null>) =>
  cast('float8 | null', sql`date_part('epoch', ${moment}) * 1000`)

const values = {
  ...pick(s, 'id', 'parentId', 'type', 'name'),
  start: milliseconds(s.startTime),
  end: milliseconds(s.endTime),
  arrived: milliseconds(s.createdAt).narrow<number>(),
  firstToken: s.genTtFirstToken,
  tokens: s.genTokens,
  cost: inDollars(s.genCost),
  isUnpriced: cast('boolean', sql`coalesce(${isUnpriced}, false)`),
  hasFailed,
  isGeneration: s.hasGeneration,
}
const row = select(values)

/** A step without its payloads. Times are milliseconds since 1970. */
export type OutlineRow = RowOf<typeof row>

/** The columns of the steps that a statement calls `s`, and the place at which the next portion begins. */
export const portionColumns = row.and(select({ moment: startOfStep }))

/** Steps as a list for each column, all in one order, which is any: far less to read than a row for each. */
export type StepColumns = { [Name in keyof OutlineRow]: OutlineRow[Name][] }

/** Steps that were read at once, and the last of them by their start. */
export type OutlinePortion = StepColumns & { last: { moment: Instant; id: string } }

const p = (name: string) => sql`p.${sql.ref(name)}`
const lists = sql.join(
  Object.keys(values).map((name) => sql`coalesce(json_agg(${p(name)}), '[]'::json)`),
)

/** The values that a statement returns of a portion that it calls `portion`. Without steps, `moment` is null. */
export const packed = select({
  lists: cast('json', sql`json_build_array(${lists})`).narrow<unknown[][]>(),
  moment: cast('timestamptz | null', sql`max(${p('moment')})`),
  id: cast(
    'text | null',
    sql`(SELECT l.id FROM portion l ORDER BY l.moment DESC, l.id DESC LIMIT 1)`,
  ),
})

/** Returns the portion of a row of `packed`; undefined without steps. */
export const unpacked = (row: RowOf<typeof packed> | undefined): OutlinePortion | undefined => {
  if (row === undefined || row.moment === null || row.id === null) return undefined
  const { moment, id } = row
  const columns = Object.fromEntries(
    Object.keys(values).map((name, place) => [name, row.lists[place] ?? []]),
  )
  return { ...columns, last: { moment, id } } as OutlinePortion
}
