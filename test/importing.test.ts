import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, expect, test, vi } from 'vitest'
import { cell } from '../server/src/http/exporting/csv.js'
import { readFileRows } from '../src/importing/file.js'
import { type Contents, importItems } from '../src/importing/import-items.js'
import { guessMapping, itemOf, mappingOf, placeOf, splitPlace } from '../src/importing/mapping.js'
import { readCsvRows, readJsonlRows } from '../src/importing/rows.js'
import { StepwellClient } from '../src/index.js'
import { runCommand } from './support/run-command.js'
import { useServiceProcess } from './support/service-process.js'

const service = useServiceProcess(1)
const folder = mkdtempSync(join(tmpdir(), 'stepwell-import-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const problemsOf = (text: string) =>
  readCsvRows(text).rows.flatMap((row) => ('problem' in row ? [`${row.row}: ${row.problem}`] : []))

test('rows of CSV have the number that a spreadsheet shows, and a bad row keeps no other out', () => {
  const text = '\uFEFFquestion;answer\r\n"a;\nb";1\r\n\r\nonly one\r\n{"x":1};[2]\r\n'
  const { columns, rows } = readCsvRows(text)
  expect(columns).toEqual(['question', 'answer'])
  expect(rows).toEqual([
    {
      row: 2,
      values: [
        ['question', 'a;\nb'],
        ['answer', '1'],
      ],
    },
    { row: 4, problem: 'expected 2 cells, got 1' },
    {
      row: 5,
      values: [
        ['question', { x: 1 }],
        ['answer', [2]],
      ],
    },
  ])
  expect(problemsOf('a,b\n1,"2\n3,4')).toEqual([expect.stringMatching(/^2: .*quote/i)])
})

test.each([
  ['', 'file: expected a first row with the columns'],
  ['a,,b\n1,2,3', 'column 2: expected a name in the first row'],
  ['a,b,a\n1,2,3', 'column 3: expected a name of its own, got "a" again'],
])('the columns of %j are rejected', (text, message) => {
  expect(() => readCsvRows(text)).toThrow(message)
})

test('a text comes back from the CSV of an export as it was, whatever it begins with', () => {
  const begin = fc.constantFrom(
    '',
    "'",
    "''",
    '=',
    '-',
    "'-",
    '@',
    '+1',
    "'+1",
    '\t',
    '\n',
    '＝',
    '-5',
  )
  const text = fc
    .tuple(begin, fc.string({ unit: 'binary' }))
    .map((parts) => parts.join(''))
    // Such a cell is read as JSON.
    .filter((one) => one !== '' && !/^\s*[[{]/.test(one))
  fc.assert(
    fc.property(text, (written) => {
      const { rows } = readCsvRows(`id,text\r\n1,${cell(written, false)}\r\n`)
      expect(rows).toEqual([
        {
          row: 2,
          values: [
            ['id', '1'],
            ['text', written],
          ],
        },
      ])
    }),
  )
})

test('lines of JSONL are objects; others are named', () => {
  const { columns, rows } = readJsonlRows('{"a":1}\n\n[2]\nno\n{"b":null}\n')
  expect(columns).toEqual(['a', 'b'])
  expect(rows).toEqual([
    { row: 1, values: [['a', 1]] },
    { row: 3, problem: 'expected an object' },
    { row: 4, problem: expect.stringMatching(/^expected JSON/) },
    { row: 5, values: [['b', undefined]] },
  ])
})

test('names of columns decide where none are given', () => {
  expect([...guessMapping(['id', 'question', 'answer', 'topic'])]).toEqual([
    ['question', 'input'],
    ['answer', 'expectedOutput'],
    ['topic', 'metadata'],
  ])
  expect([...guessMapping(['city', 'expected_zip', 'metadata.by'])]).toEqual([
    ['city', 'input'],
    ['expected_zip', 'expectedOutput'],
    ['metadata.by', 'metadata'],
  ])
  expect(() => mappingOf(['a'], { input: ['b'] })).toThrow('input: expected a column of the file')
  expect(() => mappingOf(['a'], { input: ['a'], metadata: ['a'] })).toThrow('metadata: "a" is in')
})

test('objects are the part itself, other values members; a row without input is none', () => {
  const mapping = mappingOf(['in', 'input.k', 'out'], {
    input: ['in', 'input.k'],
    expectedOutput: ['out'],
  })
  const of = (values: [string, unknown][]) => itemOf({ row: 7, values }, mapping)
  expect(
    of([
      ['in', { a: 1 }],
      ['input.k', 'x'],
      ['out', [1]],
      ['other', 2],
    ]),
  ).toEqual({
    row: 7,
    input: { a: 1, k: 'x' },
    expectedOutput: { out: [1] },
    metadata: {},
  })
  const own = of([['in', JSON.parse('{"__proto__":{"a":1}}')]]) as { input: object }
  expect(Object.keys(own.input)).toEqual(['__proto__'])
  expect(of([['out', 1]])).toEqual({ row: 7, problem: expect.stringMatching(/^input: expected/) })
})

test('a column goes to a path of its part, as it is; a value in the way fails the row', () => {
  const columns = ['q', 'file', 'a=b']
  const mapping = mappingOf(columns, {
    input: ['q=user.text', 'a=b'],
    metadata: ['file=source.file'],
  })
  const of = (values: [string, unknown][]) => itemOf({ row: 2, values }, mapping)
  expect(
    of([
      ['q', { deep: 1 }],
      ['a=b', 'c'],
      ['file', 'x.pdf'],
    ]),
  ).toEqual({
    row: 2,
    input: { user: { text: { deep: 1 } }, 'a=b': 'c' },
    expectedOutput: null,
    metadata: { source: { file: 'x.pdf' } },
  })
  expect(
    of([
      ['a=b', { user: 'x' }],
      ['q', 'y'],
    ]),
  ).toEqual({ row: 2, problem: 'input.user.text: expected an object at input.user' })
  const hostile = mappingOf(['q'], { input: ['q=__proto__.polluted'] })
  const item = itemOf({ row: 2, values: [['q', 'x']] }, hostile) as { input: object }
  expect(JSON.stringify(item.input)).toBe('{"__proto__":{"polluted":"x"}}')
  expect(({} as { polluted?: string }).polluted).toBeUndefined()
  expect(() => mappingOf(['q'], { input: ['q=a..b'] })).toThrow(
    'input: expected names with dots between them, got "a..b"',
  )
})

test('two columns with different values for one member fail the row, in any order; equal ones do not', () => {
  const problemOf = (columns: readonly string[], input: readonly string[], values: unknown[]) => {
    const pairs = columns.map((column, at): [string, unknown] => [column, values[at]])
    const item = itemOf({ row: 3, values: pairs }, mappingOf(columns, { input }))
    return 'problem' in item ? item.problem : item.input
  }
  const two = 'expected one value, got those of two columns'
  expect(problemOf(['q', 'a'], ['q=text', 'a=text'], ['x', 'y'])).toBe(`input.text: ${two}`)
  expect(problemOf(['q', 'a'], ['q=text', 'a=text'], ['x', 'x'])).toEqual({ text: 'x' })
  expect(problemOf(['in', 'q'], ['in', 'q'], [{ q: 1 }, 2])).toBe(`input.q: ${two}`)
  expect(problemOf(['q', 'in'], ['q', 'in'], [2, { q: 1 }])).toBe(`input.q: ${two}`)
  expect(problemOf(['in', 'b'], ['in=a', 'b=a.b'], [{ b: 1 }, 2])).toBe(`input.a.b: ${two}`)
  expect(problemOf(['b', 'in'], ['b=a.b', 'in=a'], [2, { b: 1 }])).toBe(`input.a: ${two}`)
})

test('a number that is too large for JavaScript fails its row, and would not be null', () => {
  const line = (text: string) => {
    const { columns, rows } = readJsonlRows(`{"input":1}\n${text}`)
    const mapping = guessMapping(columns)
    return rows.map((row) => itemOf(row, mapping))[1]
  }
  const problem = 'input: expected numbers below 1.8e308'
  expect(line('{"input":1e400}')).toEqual({ row: 2, problem })
  expect(line('{"input":{"a":[0,{"b":-1e309}]}}')).toEqual({ row: 2, problem })
  expect(line('{"input":1.7e308}')).toMatchObject({ input: { input: 1.7e308 } })
  const { columns, rows } = readCsvRows('input,answer\na,"[1e400]"\nb,1e400\n')
  const mapping = guessMapping(columns)
  expect(rows.map((row) => itemOf(row, mapping))).toEqual([
    { row: 2, problem: 'answer: expected numbers below 1.8e308' },
    // Cells stay texts.
    { row: 3, input: { input: 'b' }, expectedOutput: { answer: '1e400' }, metadata: {} },
  ])
})

test('a row is the same for a second mapping', () => {
  const values: [string, unknown][] = [
    ['in', { b: 1 }],
    ['c', 2],
  ]
  const mapping = mappingOf(['in', 'c'], { input: ['in=a', 'c=a.c'] })
  expect(itemOf({ row: 2, values }, mapping)).toMatchObject({ input: { a: { b: 1, c: 2 } } })
  const again = mappingOf(['in', 'c'], { input: ['in'] })
  expect(itemOf({ row: 2, values }, again)).toMatchObject({ input: { b: 1 } })
  expect(values).toEqual([
    ['in', { b: 1 }],
    ['c', 2],
  ])
})

test.each([
  '[{"question":"a"}]',
  '\uFEFF[\n  {\n    "question": "a"\n  }\n]\n',
  '{"question":"a"}\n',
  '[]',
  '[["a"]]',
])('JSON is not read as CSV: %j', (text) => {
  expect(() => readFileRows('rows.json', new TextEncoder().encode(text))).toThrow(
    'file: expected CSV, or JSONL in a file whose name ends with .jsonl, got JSON in rows.json',
  )
})

test('a column in brackets is one of CSV', () => {
  const { columns } = readFileRows('rows.csv', new TextEncoder().encode('[id],{name}\n1,a\n'))
  expect(columns).toEqual(['[id]', '{name}'])
})

test('places and paths are one to one', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('input' as const, 'expectedOutput' as const, 'metadata' as const),
      fc.array(fc.stringMatching(/^[^.]+$/), { maxLength: 4 }),
      (part, names) => {
        const path = names.join('.')
        expect(splitPlace(placeOf(part, path))).toEqual({ part, path })
      },
    ),
  )
})

test('an import that is stopped begins no other row', async () => {
  const stop = new AbortController()
  let created = 0
  const items = (async function* () {
    for (let row = 1; row <= 100; row++)
      yield { row, input: { row }, expectedOutput: null, metadata: {} }
  })()
  const imported = await importItems(items, {
    existing: (async function* () {})(),
    create: async () => {
      if (++created === 10) stop.abort()
      await new Promise((resolve) => setImmediate(resolve))
    },
    signal: stop.signal,
  })
  expect(imported.created).toBe(created)
  expect(created).toBeLessThan(16)
})

test('however often an import breaks off and is run again, the dataset has each row as often as the file', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 12 }),
      fc.array(fc.integer({ min: 0, max: 12 }), { maxLength: 3 }),
      async (texts, breaks) => {
        const stored: Contents[] = []
        const items = texts.map((text, at) => ({
          row: at + 2,
          input: { text, z: 1 },
          expectedOutput: null,
          metadata: {},
        }))
        const run = (most: number) => {
          let left = most
          return importItems(items, {
            // Another order of members is the same content.
            existing: (async function* () {
              yield* stored.map((one) => JSON.parse(JSON.stringify(one)) as Contents)
            })(),
            create: async ({ input, ...rest }) => {
              if (left-- <= 0) throw new Error('away')
              stored.push({
                input: Object.fromEntries(Object.entries(input as object).reverse()),
                ...rest,
              })
            },
          })
        }
        for (const most of breaks) await run(most)
        const last = await run(Number.POSITIVE_INFINITY)
        expect(last.failed).toEqual([])
        expect(last.created + last.present).toBe(texts.length)
        const found = stored.map(({ input }) => (input as { text: string }).text).sort()
        expect(found).toEqual(texts.toSorted())
      },
    ),
  )
})

test('stepwell dataset import adds what is missing, names bad rows, and takes its own export back', async () => {
  const environment = {
    STEPWELL_API_URL: service.url,
    STEPWELL_API_KEY: service.apiKeys[0] ?? '',
  }
  const run = (...args: string[]) => runCommand(args, environment)
  const file = join(folder, 'rows.csv')
  writeFileSync(file, 'question,answer,topic\nWhere?,Here,place\nWho?\nWhen?,Now,time\n')
  const dry = await run('dataset', 'import', file, '--dataset', 'asked', '--dry-run')
  expect(dry.code).toBe(1)
  expect(dry.stdout).toContain(
    'rows.csv: 3 rows, input: question; expectedOutput: answer; metadata: topic\n{"row":2,"input":{"question":"Where?"}',
  )
  const { api } = new StepwellClient({ apiKey: service.apiKeys[0], apiUrl: service.url })
  expect(await api.getDatasets()).toEqual([])
  const first = await run('dataset', 'import', file, '--dataset', 'asked')
  expect(first.code).toBe(1)
  expect(first.stdout).toContain('2 items added to asked\n')
  expect(first.stderr).toBe(
    'row 3: expected 3 cells, got 1\nstepwell: rows that are not in the dataset: 1\n',
  )
  writeFileSync(file, readFileSync(file, 'utf8').replace('Who?', 'Who?,Me,'))
  const second = await run('dataset', 'import', file, '--dataset', 'asked')
  expect([second.code, second.stderr]).toEqual([0, ''])
  expect(second.stdout).toContain('1 item added to asked, 2 were there\n')
  const { items = [], id = '' } = (await api.getDataset({ name: 'asked' })) ?? {}
  expect(
    items.map(({ input, expectedOutput, metadata }) => [input, expectedOutput, metadata]),
  ).toContainEqual([{ question: 'Who?' }, { answer: 'Me' }, {}])
  for (const format of ['csv', 'jsonl']) {
    const out = join(folder, `items.${format}`)
    expect((await run('download', 'datasetItems', '--dataset', id, '--out', out)).code).toBe(0)
    const again = await run('dataset', 'import', out, '--dataset', 'asked')
    expect(again.stdout).toContain('0 items added to asked, 3 were there\n')
  }
  for (const [args, message] of [
    [['import'], 'expected a file'],
    [['import', file], '--dataset: expected the name of a dataset'],
    [['import', join(folder, 'none.csv'), '--dataset', 'x'], 'no such file'],
    [['import', file, '--dataset', 'x', '--input', 'none'], 'input: expected a column of the file'],
    [['export'], 'expected import, got "export"'],
  ] as const) {
    const { code, stderr } = await run('dataset', ...args)
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)])
  }
})

test('a row with columns by the thousand in one object makes that object once', () => {
  const names = Array.from({ length: 2000 }, (_, index) => `column ${index}`)
  const row = { row: 1, values: names.map((name) => [name, name] as const) }
  const set = vi.spyOn(Object, 'defineProperty')
  try {
    const item = itemOf(row, new Map(names.map((name) => [name, `input.a.${name}`])))
    expect(item).toMatchObject({
      input: { a: { 'column 0': 'column 0', 'column 1999': 'column 1999' } },
    })
    // Each column once, and their object.
    expect(set.mock.calls.length).toBeLessThanOrEqual(names.length + 1)
  } finally {
    set.mockRestore()
  }
})

test('a row that nests deeper than the service stores is named, and keeps no other from becoming an item', () => {
  const mapping = mappingOf(['q'], { input: ['q'] })
  const of = (levels: number) =>
    itemOf(
      { row: 2, values: [['q', JSON.parse('['.repeat(levels) + ']'.repeat(levels))]] },
      mapping,
    )
  const problem = 'q: expected JSON nested at most 500 levels deep'
  expect(of(501)).toEqual({ row: 2, problem })
  expect(of(100_000)).toEqual({ row: 2, problem })
  expect(of(400)).not.toHaveProperty('problem')
})
