import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Database, openDatabase } from '../src/database/database.js'
import { EscapedText } from '../src/database/parameters.js'
import { cast } from '../src/database/rows/columns.js'
import { select, sql } from '../src/database/rows/sql.js'
import { contains, foldCase, foldedHere } from '../src/lists/letter-case.js'
import { newDatabase } from './support/new-database.js'

let db: Database
let drop: () => Promise<void>
beforeAll(async () => {
  const { location, drop: end } = await newDatabase()
  drop = end
  db = await openDatabase(location)
})
afterAll(async () => {
  await db?.destroy()
  await drop?.()
})

/** Every character up to the last script of Unicode 17 that PostgreSQL can hold as it is. */
const characters = Array.from({ length: 0x33480 }, (_, code) => code)
  .filter((code) => code > 0 && (code < 0xd800 || code > 0xdfff) && code !== 0xfdd0)
  .map((code) => String.fromCodePoint(code))

const foldedThere = async (texts: readonly string[]): Promise<string[]> => {
  const all: string[] = []
  for (let from = 0; from < texts.length; from += 50_000) {
    const portion = texts.slice(from, from + 50_000)
    const { rows } = await sql`
      SELECT ${select({ folded: foldCase(sql`r.given`) })}
      FROM unnest(${portion}::text[]) WITH ORDINALITY AS r (given, number) ORDER BY r.number`.execute(
      db,
    )
    for (const { folded } of rows) all.push(folded)
  }
  return all
}

test('what is folded here is what the database makes of it, for each character, alone and in a word', async () => {
  const here = characters.filter((one) => foldedHere(one) !== undefined)
  expect(here.length).toBeGreaterThan(90_000)
  for (const [before, after] of [
    ['', ''],
    ['A', 'Z'],
    ['Σ', ' Σ'],
  ]) {
    const texts = here.map((one) => `${before}${one}${after}`)
    const there = await foldedThere(texts)
    expect(texts.filter((text, index) => foldedHere(text) !== there[index])).toEqual([])
  }
})

const found = async (pairs: readonly (readonly [text: string, piece: string])[]) => {
  const columns = pairs.map(([text, piece], index) => [
    `pair${index}`,
    cast('boolean', contains(sql`${text}::text`, piece)),
  ])
  const { rows } = await sql`SELECT ${select(Object.fromEntries(columns))}`.execute(db)
  return pairs.map((_, index) => (rows[0] as Record<string, boolean>)[`pair${index}`])
}

const text = fc.string({
  unit: fc.constantFrom(...'aAbkKiIsS \u212a\u0130\u0307\u0131ßẞσςΣéÉДд漢😀%_\\"\n'),
  maxLength: 8,
})

test('a piece is in a text if it is in what the database folds, whatever letters either has', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(text, fc.oneof(text, fc.constantFrom('k', 'K', 'i', 'I', 'ki', 'a k'))), {
        minLength: 40,
        maxLength: 40,
      }),
      async (pairs) => {
        const folded = await foldedThere(pairs.flat())
        expect(await found(pairs)).toEqual(
          pairs.map((_, index) => folded[2 * index]?.includes(folded[2 * index + 1] ?? '')),
        )
      },
    ),
  )
})

test('no character but the sign of Kelvin and the capital I with a dot has a letter of ASCII in lower case', async () => {
  const others = characters.filter((one) => one > '\u007f')
  const folded = await foldedThere(others)
  expect(others.filter((_, index) => /[\0-\u007f]/.test(folded[index] ?? ''))).toEqual([
    '\u0130',
    '\u212a',
  ])
})

test('a piece that is escaped already is not escaped again', async () => {
  const given = sql`${new EscapedText('Say \\"HI\\" and \\u0001')}::text`
  for (const [piece, isFound] of [
    [new EscapedText('say \\"hi\\"'), true],
    [new EscapedText('\\u0001'), true],
    ['say "hi"', false],
  ] as const) {
    const columns = select({ isFound: cast('boolean', contains(given, piece)) })
    const { rows } = await sql`SELECT ${columns}`.execute(db)
    expect(rows).toEqual([{ isFound }])
  }
})
