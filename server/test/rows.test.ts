import { afterAll, beforeAll, expect, test } from 'vitest'
import { readTables } from '../../scripts/codegen/read-tables.js'
import { TABLES } from '../generated/tables.js'
import { type Database, openDatabase } from '../src/database/database.js'
import { cast } from '../src/database/rows/columns.js'
import { type RowOf, type Sql, select, sql } from '../src/database/rows/sql.js'
import { d, s, t } from '../src/database/rows/tables.js'
import { assignments, unnest, valuesOf } from '../src/database/rows/writes.js'
import { number, string, tags } from '../src/lists/fields.js'
import { newDatabase } from './support/new-database.js'

let db: Database
let drop: () => Promise<void>
beforeAll(async () => {
  const database = await newDatabase()
  db = await openDatabase(database.location)
  drop = database.drop
})
afterAll(async () => {
  await db.destroy()
  await drop()
})

const textOf = (statement: { compile: (db: Database) => { sql: string } }) =>
  statement.compile(db).sql.replace(/\s+/g, ' ')

test('the generated tables equal the migrated schema', async () => {
  const tables = Object.entries(await readTables(db)).map(([table, columns]) => [
    table,
    Object.fromEntries(columns.map(({ name, ...column }) => [name, column])),
  ])
  expect(Object.fromEntries(tables)).toEqual(TABLES)
})

test('a row holds the columns that its statement selects, under their names and with their types', async () => {
  const row = { id: 'a', name: 'tests', createdAt: '2026-11-22T10:00:00.123456Z' }
  await sql`INSERT INTO datasets ${valuesOf('datasets', {
    ...row,
    projectId: 'p',
    metadata: { first: 1, '0': null },
    type: 'key_value',
  })}`.execute(db)
  const columns = select({ key: d.id, metadata: d.metadata, at: d.createdAt, note: d.description })
  const { rows } = await sql`
    SELECT ${columns}, ${select({ count: cast('integer', sql`count(*) OVER ()`) })} FROM datasets d
    WHERE d.project_id = 'p'`.execute(db)
  const at: string | undefined = rows[0]?.at
  const count: number | undefined = rows[0]?.count
  expect({ at, count }).toEqual({ at: row.createdAt, count: 1 })
  expect(rows).toEqual([
    { key: 'a', metadata: { first: 1, '0': null }, at: row.createdAt, note: null, count: 1 },
  ])
})

test('a text that PostgreSQL cannot store comes back unchanged, also in a list', async () => {
  const text = 'a\0b\uD800'
  await sql`INSERT INTO threads ${valuesOf('threads', {
    projectId: 'p',
    id: 'unusual',
    name: text,
    tags: [text, ''],
    createdAt: '2026-11-22T10:00:00Z',
  })}`.execute(db)
  const { rows } = await sql`
    SELECT ${select({ name: t.name, tags: t.tags })} FROM threads t
    WHERE t.project_id = 'p' AND t.id = 'unusual'`.execute(db)
  expect(rows).toEqual([{ name: text, tags: [text, ''] }])
})

test('undefined leaves a column out of an update, null clears it', () => {
  expect(
    textOf(sql`UPDATE threads SET ${assignments('threads', { name: undefined, tags: null })}`),
  ).toBe('UPDATE threads SET "tags" = $1::text[]')
  expect(assignments('threads', { name: undefined })).toBeUndefined()
})

test('a member that is not a column is rejected, and never silently left out', () => {
  const changes = { name: 'x', nam: 'y' }
  // @ts-expect-error
  expect(() => assignments('threads', changes)).toThrow('threads has no column nam')
  // @ts-expect-error
  expect(() => valuesOf('secrets', { ...changes, value: '' })).toThrow('secrets has no column nam')
})

/** Checked by the compiler only: `npm run check` fails when one of them compiles, or when a line above does not. */
export const isRefused = (threads: { id: string; createdAt: number }[]) => {
  // A column that does not exist.
  // @ts-expect-error
  select({ id: t.idd })
  // @ts-expect-error
  assignments('threads', { thread_id: 'x' })
  // A type other than the column's.
  // @ts-expect-error
  assignments('threads', { name: 1 })
  // @ts-expect-error
  assignments('threads', { createdAt: null })
  // @ts-expect-error
  unnest('threads', threads, 'id', 'createdAt')
  // @ts-expect-error
  const name: RowOf<typeof named>['name'] = 1
  const named = select({ name: t.name })
  // @ts-expect-error
  t.name.narrow<number>()
  // A column that the database computes.
  // @ts-expect-error
  assignments('steps', { genTokens: 1 })
  // A new row without a required column.
  // @ts-expect-error
  valuesOf('threads', { projectId: 'p', id: 'x' })
  // Reads a member of a row that was not selected.
  const read = (rows: { name: string | null }[]) => rows.map(({ name }) => name)
  // @ts-expect-error
  sql`SELECT ${select({ id: t.id })}`.execute(db).then(({ rows }) => read(rows))
  // @ts-expect-error
  sql`SELECT id FROM threads`.execute(db).then(({ rows }) => rows[0]?.id)
  // An asserted type without any support.
  // @ts-expect-error
  sql<{ id: string }>`SELECT id FROM threads`
  // A filter of another kind than its column.
  // @ts-expect-error
  number(s.name)
  // @ts-expect-error
  string(t.tags)
  // @ts-expect-error
  tags(sql`t.tags`)
  // @ts-expect-error
  const expression: Sql<string> = cast('text | null', t.name)
  return [name, expression]
}
