// Rows of every table that archives have, with values that are hard to keep.
import { sql } from 'kysely'
import { TABLES } from '../../generated/tables.js'
import type { Database } from '../../src/database/database.js'
import { EscapedText } from '../../src/database/parameters.js'
import type { Definition, TableName } from '../../src/database/rows/columns.js'
import { MOVED } from '../../src/storage/moving/plan.js'

const TEXTS = [
  '',
  'a',
  'two\nlines\r\n and a \u2028separator',
  'NUL \0 in the middle, \0\0',
  'lone \ud800 and \udc00 surrogates',
  'the escape itself \ufdd0 \ufdd00000',
  '𝄞 🧑‍🚀 مرحبا हिन्दी',
  `quotes " ' \\ \\u0000 {"json_nulls":["input"]} $$`,
  '\t\b\f\u007f\u0001',
]
/** JSON texts that reading and writing again would change. */
const JSON_TEXTS = [
  'null',
  ' null ',
  '1.0',
  '12345678901234567890.10',
  '1e400',
  '{"b":1,"a":2,"b":3,"2":0,"1":0}',
  '{"json_nulls":["input"],"x":null}',
  '[ 1 , 2,\n3 ]',
  '{"__proto__":{"a":1}}',
  '""',
  JSON.stringify({ text: 'x'.repeat(300_000), deep: [[[[[1]]]]] }),
  JSON.stringify('two\nlines \u2028'),
]
const FLOATS = [
  '0',
  '-0',
  '0.1',
  '5e-324',
  '1.7976931348623157e308',
  'NaN',
  'Infinity',
  '-Infinity',
]
const MOMENTS = [
  '2026-11-21 10:00:00.5+00',
  '1969-12-31 23:59:59.999999+00',
  '0001-01-01 00:00:00+00',
  '0044-03-15 10:00:00+00 BC',
  '9999-12-31 23:59:59.123456+00',
]
const MULTIRANGES = ['{}', '{[0,1),[5,9)}']

const pick = <Value>(values: readonly Value[], at: number): Value =>
  values[at % values.length] as Value

/** Columns that indexes hold whole, or that triggers and rules of the service compute with. */
const PLAIN = /^(id|name|identifier|identity|.*_id|.*key|day|version|model|provider|subject|type)$/

const hostileValue = ({ column, type }: Definition, row: number, at: number, isKey: boolean) => {
  switch (type) {
    case 'text': {
      const text = pick(TEXTS, row + at)
      return PLAIN.test(column) || isKey ? `${text.slice(0, 40)} ${row}` : text
    }
    case 'integer':
      return sql`${isKey || column === 'version' ? row : pick([0, -1, 2 ** 31 - 1], row + at)}::integer`
    case 'bigint':
      return sql`${pick(['0', '-1', '9007199254740993', '9223372036854775807'], row + at)}::bigint`
    case 'float8':
      return sql`${pick(FLOATS, row + at)}::float8`
    case 'boolean':
      return (row + at) % 2 === 0
    case 'timestamptz':
      return sql`${pick(MOMENTS, row + at)}::timestamptz`
    case 'json':
      return sql`${new EscapedText(pick(JSON_TEXTS, row + at))}::json`
    case 'text[]':
      return sql`${[pick(TEXTS, row), `${row}`, pick(TEXTS, row + at)]}::text[]`
    case 'int4multirange':
      return sql`${pick(MULTIRANGES, row)}::int4multirange`
    case 'bytea':
      throw new Error(`there is no hostile value for ${column}`)
  }
}

/** Inserts rows of every table of an archive into a project: one with all values, and others without some. */
export const insertHostileRows = async (
  db: Database,
  projectId: string,
  count = 24,
): Promise<void> => {
  for (const { name, key } of MOVED) {
    const all = Object.values<Definition>(TABLES[name]).filter(({ isGenerated }) => !isGenerated)
    if (name === 'projects') continue
    const keys = new Set(key.map(({ column }) => column))
    for (let row = 0; row < (key.length === 0 ? 1 : count); row++) {
      const columns = all.filter(
        ({ isNullable }, at) => isNullable !== true || (row + at) % 3 !== 0,
      )
      const values = columns.map((one, at) =>
        one.column === 'project_id' ? projectId : valueFor(name, one, row, at, keys),
      )
      await sql`INSERT INTO ${sql.table(name)} (${sql.join(columns.map(({ column }) => sql.ref(column)))})
        VALUES (${sql.join(values)})`.execute(db)
    }
  }
}

const valueFor = (
  table: TableName,
  one: Definition,
  row: number,
  at: number,
  keys: ReadonlySet<string>,
) =>
  // Bounds that indexes and triggers of these tables have.
  table === 'steps' && /token|cost/.test(one.column)
    ? hostileValue(
        { ...one, type: one.type === 'bigint' ? 'integer' : one.type },
        row,
        at,
        keys.has(one.column),
      )
    : hostileValue(one, row, at, keys.has(one.column))
