import { createService, type Service } from '@stepwell/server'
import fc from 'fast-check'
import { parquetMetadata, parquetReadObjects } from 'hyparquet'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Column } from '../src/graphql/exporting/columns.js'
import { EXPORTED_LISTS } from '../src/graphql/exporting/lists.js'
import type { ExportedRow } from '../src/graphql/exporting/pages.js'
import { parquetWriter } from '../src/http/exporting/parquet.js'
import { type Ask, asker } from './support/ask.js'

let service: Service
beforeAll(async () => {
  service = await createService()
})
afterAll(() => service?.close())

let projects = 0
const newProject = async (): Promise<{ ask: Ask; key: string }> => {
  const { apiKey } = await service.createProject(`parquet ${++projects}`)
  return { ask: asker(service, apiKey), key: apiKey }
}

const INGEST = 'mutation($steps: [StepInput!]!) { ingestSteps(steps: $steps) { ok message } }'
const get = (key: string, path: string) =>
  service.fetch(`http://stepwell.test/api/export/${path}`, { headers: { 'x-api-key': key } })
const jsonLines = async (key: string, path: string): Promise<ExportedRow[]> =>
  (await (await get(key, path)).text())
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line))

const MICROSECONDS = 1000n
/** A moment as the service writes it: with microseconds where they are not zero. */
const momentOf = (microseconds: bigint): string => {
  const below = ((microseconds % MICROSECONDS) + MICROSECONDS) % MICROSECONDS
  const text = new Date(Number((microseconds - below) / MICROSECONDS)).toISOString()
  return below === 0n ? text : text.replace('Z', `${String(below).padStart(3, '0')}Z`)
}
/** Reads all rows. The reader has undefined for a list that is null. */
const read = async (file: ArrayBuffer): Promise<Record<string, unknown>[]> => {
  const parsers = { timestampFromMicroseconds: momentOf } as never
  const rows = await parquetReadObjects({ file, parsers })
  return rows.map((row) =>
    Object.fromEntries(Object.entries(row).map(([name, value]) => [name, value ?? null])),
  )
}
const inOne = (parts: readonly Uint8Array[]): ArrayBuffer => {
  const whole = new Uint8Array(Buffer.concat(parts))
  return whole.buffer.slice(whole.byteOffset, whole.byteOffset + whole.byteLength)
}
const written = (columns: readonly Column[], pages: readonly (readonly ExportedRow[])[]) => {
  const writer = parquetWriter(columns)
  return inOne([writer.begin(), ...pages.map((page) => writer.write(page).bytes), writer.end()])
}
const column = (name: string, kind: Column['kind']): Column => ({ name, path: [name], kind })

const at = (row: ExportedRow, name: string): unknown =>
  name
    .split('.')
    .reduce<unknown>(
      (value, part) => (value as ExportedRow | null | undefined)?.[part] ?? null,
      row,
    )

test.each(Object.entries(EXPORTED_LISTS))(
  '%s come as Parquet with the values that JSONL has',
  async (list, { of }) => {
    const { ask, key } = await newProject()
    const { dataset, experiment } = await ask(`mutation {
      dataset: createDataset(name: "d", metadata: { a: 1 }) { id } experiment: createDatasetExperiment(name: "e") { id }
      createParticipant(identifier: "u") { id } createScore(name: "s", type: AI, value: 0.5, stepId: "s00000") { id }
      upsertThread(id: "t", participantId: "u", tags: ["a", "b"], metadata: { deep: [{ er: null }] }) { id }
    }`)
    await ask(INGEST, {
      steps: [
        {
          id: 's00000',
          threadId: 't',
          startTime: '2026-03-04T05:06:07.123456Z',
          endTime: '2026-03-04T05:06:07.200Z',
          tags: ['x'],
          input: { __proto__: 1, text: '\u0001"' },
          generation: { type: 'CHAT', model: 'm', inputTokenCount: 3, cost: 0.25 },
        },
      ],
    })
    await ask(`mutation {
      a: createDatasetItem(datasetId: "${dataset.id}", input: { a: 1 }) { id }
      b: createDatasetExperimentItem(datasetExperimentId: "${experiment.id}", input: { a: 1 }) { id }
    }`)
    const ids: Record<string, string> = { datasetId: dataset.id, experimentId: experiment.id }
    const query = of === undefined ? '' : `?${of}=${ids[of]}`
    const response = await get(key, `${list}.parquet${query}`)
    expect(response.headers.get('content-type')).toBe('application/vnd.apache.parquet')
    expect(response.headers.get('content-disposition')).toContain('.parquet"')
    const rows = await read(await response.arrayBuffer())
    const expected = await jsonLines(key, `${list}.jsonl${query}`)
    expect(rows).toHaveLength(1)
    const names = Object.keys(rows[0] ?? {})
    expect(names).toContain('id')
    expect(rows).toEqual(
      expected.map((row) => Object.fromEntries(names.map((name) => [name, at(row, name)]))),
    )
  },
)

test('columns have types: moments to the microsecond, numbers, lists of texts and JSON', async () => {
  const { ask, key } = await newProject()
  await ask(INGEST, {
    steps: [{ id: 'a', startTime: '2026-03-04T05:06:07.123456Z', tags: ['x', 'y'], input: [1] }],
  })
  const columns = 'id,startTime,tags,input,generation.cost,generation.tokenCount,createdAt'
  const file = await (await get(key, `steps.parquet?columns=${columns}`)).arrayBuffer()
  const { schema, created_by: by } = parquetMetadata(file)
  expect(by).toBe('stepwell')
  expect(schema.map(({ name, type, logical_type: is }) => [name, type, is?.type])).toEqual([
    ['rows', undefined, undefined],
    ['id', 'BYTE_ARRAY', 'STRING'],
    ['startTime', 'INT64', 'TIMESTAMP'],
    ['tags', undefined, 'LIST'],
    ['list', undefined, undefined],
    ['element', 'BYTE_ARRAY', 'STRING'],
    ['input', 'BYTE_ARRAY', 'JSON'],
    ['generation.cost', 'DOUBLE', undefined],
    ['generation.tokenCount', 'INT32', undefined],
    ['createdAt', 'INT64', 'TIMESTAMP'],
  ])
  expect(await read(file)).toMatchObject([
    { startTime: '2026-03-04T05:06:07.123456Z', tags: ['x', 'y'], 'generation.cost': null },
  ])
})

test('a list without rows is a file without rows, whose columns are known', async () => {
  const { key } = await newProject()
  const file = await (await get(key, 'threads.parquet')).arrayBuffer()
  const { num_rows: rows, schema } = parquetMetadata(file)
  expect([rows, schema.some(({ name }) => name === 'participant.identifier')]).toEqual([0n, true])
  expect(await read(file)).toEqual([])
})

test('any rows come back as they were, whatever their texts, lists and JSON', async () => {
  const text = fc.string({ unit: 'binary', maxLength: 40 })
  const columns = [
    column('text', 'text'),
    column('texts', 'texts'),
    column('json', 'json'),
    column('integer', 'integer'),
    column('number', 'number'),
    column('boolean', 'boolean'),
    column('moment', 'moment'),
  ]
  const nullable = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: null })
  const json = fc.oneof(
    fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value))),
    fc.constantFrom(
      ...['{"__proto__":{"a":1}}', '{"toJSON":1}', '"\\ud800"'].map((one) => JSON.parse(one)),
    ),
  )
  const row = fc.record({
    text: nullable(text),
    texts: nullable(fc.array(text, { maxLength: 4 })),
    json: nullable(json),
    integer: nullable(fc.integer()),
    number: nullable(fc.double({ noNaN: true, noDefaultInfinity: true })),
    boolean: nullable(fc.boolean()),
    moment: nullable(
      fc.bigInt({ min: -62_135_596_800_000_000n, max: 253_402_300_799_999_999n }).map(momentOf),
    ),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(row, { maxLength: 60 }), async (rows) => {
      const middle = rows.length >> 1
      const found = await read(written(columns, [rows.slice(0, middle), rows.slice(middle)]))
      expect(found).toEqual(rows)
    }),
    { numRuns: 60 },
  )
})

test('half a surrogate pair, which UTF-8 does not have, becomes a replacement character', async () => {
  const rows = await read(written([column('text', 'text')], [[{ text: 'a\ud800b' }]]))
  expect(rows).toEqual([{ text: 'a\ufffdb' }])
})

test('equal rows are equal bytes, however they were read, in groups of bounded size', () => {
  const rows = Array.from({ length: 45_000 }, (_, index) => ({
    id: `s${index}`,
    json: index % 1000 === 0 ? { text: 'x'.repeat(60_000) } : null,
  }))
  const columns = [column('id', 'text'), column('json', 'json')]
  const pagesOf = (size: number) =>
    Array.from({ length: Math.ceil(rows.length / size) }, (_, page) =>
      rows.slice(page * size, (page + 1) * size),
    )
  const file = written(columns, pagesOf(500))
  expect(Buffer.from(written(columns, pagesOf(7))).equals(Buffer.from(file))).toBe(true)
  const { row_groups: groups, num_rows: count } = parquetMetadata(file)
  expect(count).toBe(45_000n)
  expect(groups.map((group) => Number(group.num_rows))).toEqual([20_000, 20_000, 5000])
})

test('rows leave with their group: a large file is never held', () => {
  const writer = parquetWriter([column('json', 'json')])
  const page = [{ json: Array.from({ length: 30_000 }, (_, index) => index * 7919) }]
  let [largest, sum, written] = [0, 0, 0]
  for (let index = 0; index < 400; index++) {
    const { bytes, characters } = writer.write(page)
    largest = Math.max(largest, bytes.length)
    sum += characters
    written += bytes.length
  }
  expect(sum).toBeGreaterThan(80_000_000)
  expect(largest).toBeLessThan(3_000_000)
  expect(writer.end().length).toBeLessThan(largest + 20_000)
  expect(written).toBeGreaterThan(0)
})

test('an export that breaks off is a broken connection, and no file that a reader takes', async () => {
  const { ask } = await newProject()
  const text = 'x'.repeat(2000)
  await ask(INGEST, {
    steps: Array.from({ length: 2500 }, (_, index) => ({
      id: `s${index}`,
      output: { text, index },
    })),
  })
  const { createApiKey } = await ask(
    'mutation { createApiKey(name: "short", scopes: [read]) { key } }',
  )
  const response = await get(createApiKey.key, 'steps.parquet')
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  const parts = [(await reader.read()).value ?? new Uint8Array()]
  const { apiKeys } = await ask('{ apiKeys { id name } }')
  const { id } = apiKeys.find(({ name }: { name: string }) => name === 'short')
  await ask(`mutation { revokeApiKey(id: "${id}") { id } }`)
  const rest = async () => {
    for (let part = await reader.read(); !part.done; part = await reader.read())
      parts.push(part.value)
  }
  await expect(rest()).rejects.toThrow(/x-api-key/)
  expect(() => parquetMetadata(inOne(parts))).toThrow()
})
