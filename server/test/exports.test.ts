import { once } from 'node:events'
import { type IncomingMessage, get as requestBySocket } from 'node:http'
import { createService, listen, type Service } from '@stepwell/server'
import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { EXPORTED_LISTS } from '../src/graphql/exporting/lists.js'
import { ExportPages, type RunPage } from '../src/graphql/exporting/pages.js'
import { cell } from '../src/http/exporting/csv.js'
import { exportStream } from '../src/http/exporting/stream.js'
import { DomainError } from '../src/kernel/errors.js'
import { type Ask, asker, post } from './support/ask.js'
import { readCsv } from './support/read-csv.js'

let service: Service
beforeAll(async () => {
  service = await createService()
})
afterAll(() => service?.close())
afterEach(() => {
  vi.restoreAllMocks()
})

let projects = 0
const newProject = async (): Promise<{ ask: Ask; key: string }> => {
  const { apiKey } = await service.createProject(`exports ${++projects}`)
  return { ask: asker(service, apiKey), key: apiKey }
}

const INGEST = 'mutation($steps: [StepInput!]!) { ingestSteps(steps: $steps) { ok message } }'

const get = (key: string, path: string, headers: Record<string, string> = {}) =>
  service.fetch(`http://stepwell.test/api/export/${path}`, {
    headers: { ...(key === '' ? {} : { 'x-api-key': key }), ...headers },
  })
const send = (key: string, path: string, body: object) =>
  service.fetch(`http://stepwell.test/api/export/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': key },
    body: JSON.stringify(body),
  })
const errorOf = async (response: Response) => {
  const [error] = (await response.json()).errors
  return `${response.status} ${error.extensions.code} ${error.message}`
}
const jsonLines = (text: string) =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line))
const address = (path: string, parameters: Record<string, unknown>) =>
  `${path}?${new URLSearchParams(
    Object.entries(parameters).map(([name, value]) => [name, JSON.stringify(value)]),
  )}`

const numbered = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    id: `s${String(index).padStart(5, '0')}`,
    name: index % 3 === 0 ? 'third' : 'other',
    type: 'tool',
    input: { index },
  }))

describe('what an export holds', () => {
  test('JSONL has each row of a filtered list exactly once, in its order, with exact values', async () => {
    const { ask, key } = await newProject()
    await ask(INGEST, { steps: numbered(1201) })
    const response = await get(
      key,
      address('steps.jsonl', {
        filters: [{ field: 'name', operator: 'eq', value: 'third' }],
        orderBy: { column: 'createdAt', direction: 'ASC' },
      }),
    )
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toMatch(/^application\/jsonl/)
    expect(response.headers.get('content-disposition')).toMatch(
      /^attachment; filename="steps-\d{4}-\d\d-\d\d\.jsonl"$/,
    )
    const rows = jsonLines(await response.text())
    const expected = numbered(1201).filter(({ name }) => name === 'third')
    expect(rows.map(({ id }) => id)).toEqual(expected.map(({ id }) => id))
    expect(rows[0]).toMatchObject({ type: 'tool', scores: [], generation: null })
    expect(rows.every(({ id, input }) => Number(id.slice(1)) === input.index)).toBe(true)
  })

  test('conditions as text narrow an export, by an address and by a body', async () => {
    const { ask, key } = await newProject()
    await ask(INGEST, { steps: numbered(30) })
    const query = 'name=third (id=s00000 OR id=s00003 OR id=s00004)'
    const byAddress = await get(key, `steps.jsonl?${new URLSearchParams({ query })}`)
    const byBody = await send(key, 'steps.jsonl', { query })
    for (const response of [byAddress, byBody])
      expect(
        jsonLines(await response.text())
          .map(({ id }) => id)
          .toSorted(),
      ).toEqual(['s00000', 's00003'])
    expect(await errorOf(await send(key, 'steps.jsonl', { query: 'name=third (' }))).toMatch(
      /^400 INVALID_ARGUMENT query/,
    )
    expect(await errorOf(await send(key, 'steps.jsonl', { query: 1 }))).toMatch(/query: expected/)
  })

  test('CSV names its columns, tells null from an empty text, and quotes what would break a line', async () => {
    const { ask, key } = await newProject()
    await ask('mutation { upsertThread(id: "t", name: "a,\\"b\\"\\r\\nc", tags: ["x"]) { id } }')
    await ask('mutation { upsertThread(id: "u", name: "", metadata: { a: 1 }) { id } }')
    const columns = 'id,name,tags,metadata,participant.identifier,stepCount'
    const text = await (await get(key, `threads.csv?columns=${columns}`)).text()
    expect(text).toBe(
      [columns, 'u,"",,"{""a"":1}",,0', 't,"a,""b""\r\nc","[""x""]",,,0', ''].join('\r\n'),
    )
  })

  test('a byte order mark comes only when it is asked for', async () => {
    const { key } = await newProject()
    const bytes = async (path: string) =>
      new Uint8Array(await (await get(key, path)).arrayBuffer()).slice(0, 3)
    expect([...(await bytes('users.csv?bom=true'))]).toEqual([0xef, 0xbb, 0xbf])
    expect(new TextDecoder().decode(await bytes('users.csv'))).toBe('id,')
  })

  test('limit ends an export, also in the middle of a page', async () => {
    const { ask, key } = await newProject()
    await ask(INGEST, { steps: numbered(150) })
    const lines = async (limit: number) =>
      jsonLines(await (await get(key, `steps.jsonl?limit=${limit}&columns=id`)).text())
    expect(await lines(0)).toEqual([])
    expect(await lines(101)).toHaveLength(101)
    expect(await lines(1000)).toHaveLength(150)
  })

  test.each(Object.entries(EXPORTED_LISTS))(
    '%s can be exported in both formats',
    async (list, { of }) => {
      const { ask, key } = await newProject()
      const { dataset, experiment } = await ask(`mutation {
      dataset: createDataset(name: "d") { id } experiment: createDatasetExperiment(name: "e") { id }
      createParticipant(identifier: "u") { id } createScore(name: "s", type: AI, value: 1, stepId: "s00000") { id }
      upsertThread(id: "t", participantId: "u") { id }
    }`)
      await ask(INGEST, { steps: [{ id: 's00000', generation: { model: 'm' } }] })
      await ask(
        `mutation { createDatasetItem(datasetId: "${dataset.id}", input: { a: 1 }) { id } }`,
      )
      await ask(
        `mutation { createDatasetExperimentItem(datasetExperimentId: "${experiment.id}", input: { a: 1 }) { id } }`,
      )
      const ids: Record<string, string> = { datasetId: dataset.id, experimentId: experiment.id }
      const query = of === undefined ? '' : `?${of}=${ids[of]}`
      const [row, ...others] = jsonLines(await (await get(key, `${list}.jsonl${query}`)).text())
      expect(others).toEqual([])
      expect(Object.keys(row).length).toBeGreaterThan(3)
      const [head, ...lines] = readCsv(await (await get(key, `${list}.csv${query}`)).text())
      expect(lines).toHaveLength(1)
      expect(lines[0]).toHaveLength(head?.length ?? 0)
      expect(head?.filter((name) => !name.includes('.'))).toEqual(
        Object.keys(row).filter((name) => typeof row[name] !== 'object' || head?.includes(name)),
      )
    },
  )
})

describe('hostile cells', () => {
  test.each([
    '=1+1',
    '+1+1',
    '-1+1',
    '@SUM(A1)',
    '\t=1',
    '\r=1',
    '\n=1',
    '＝1+1',
    "=cmd|' /C calc'!A0",
  ])('a text that begins as %j does is no formula', (text) => {
    const [[read]] = readCsv(`${cell(text, false)}\r\n`) as [[string]]
    expect(read).toBe(`'${text}`)
  })

  test.each(['-5', '+3.25', '-1e-7', '.5', '12'])('the text %s stays a number', (text) => {
    expect(cell(text, false)).toBe(text)
    expect(cell(Number(text), false)).toBe(String(Number(text)))
  })

  test('any texts come back from CSV as they were, but for the mark before a formula', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: fc.constantFrom('"', ',', '\r', '\n', '=', '-', '1', "'", ';', ' ') }),
    )
    fc.assert(
      fc.property(fc.array(fc.array(text, { minLength: 2, maxLength: 2 })), (rows) => {
        const written = rows.map((row) => `${row.map((value) => cell(value, false)).join(',')}\r\n`)
        const read = readCsv(written.join(''))
        expect(read).toHaveLength(rows.length)
        for (const [at, row] of rows.entries())
          for (const [column, value] of row.entries()) {
            const found = read[at]?.[column]
            expect(
              found === value || (found === `'${value}` && !/^'*([\w ",;]|$)/.test(value)),
            ).toBe(true)
          }
      }),
    )
  })

  test('names of threads and users that are formulas are written as texts', async () => {
    const { ask, key } = await newProject()
    await ask(
      'mutation { upsertThread(id: "=1", name: "=HYPERLINK(1)", participantId: "@x") { id } }',
    )
    const text = await (await get(key, 'threads.csv?columns=id,name,participant.identifier')).text()
    expect(readCsv(text)[1]).toEqual(["'=1", "'=HYPERLINK(1)", "'@x"])
  })
})

describe('who may export', () => {
  test('a key without the scope read gets nothing, and another project sees only its own rows', async () => {
    const { ask } = await newProject()
    await ask(INGEST, { steps: numbered(3) })
    const { createApiKey } = await ask(
      'mutation { createApiKey(name: "ingest", scopes: [ingest]) { key } }',
    )
    expect(await errorOf(await get(createApiKey.key, 'steps.csv'))).toMatch(/^403 FORBIDDEN/)
    expect(await errorOf(await get('', 'steps.csv'))).toMatch(/^401 UNAUTHENTICATED/)
    const other = await newProject()
    for (const list of Object.keys(EXPORTED_LISTS).filter((one) => !EXPORTED_LISTS[one]?.of))
      expect(await (await get(other.key, `${list}.jsonl`)).text()).toBe('')
  })

  test('a dataset of another project has no items to export', async () => {
    const { ask } = await newProject()
    const { createDataset } = await ask('mutation { createDataset(name: "mine") { id } }')
    const other = await newProject()
    expect(
      await errorOf(await get(other.key, `datasetItems.csv?datasetId=${createDataset.id}`)),
    ).toBe('404 NOT_FOUND datasetId: nothing has the id of this request')
  })

  test('the cookie of the UI is enough for its own pages, and for no other site', async () => {
    const { ask, key } = await newProject()
    await ask(INGEST, { steps: numbered(1) })
    const signedIn = await service.fetch('http://stepwell.test/api/sign-in', {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: 'http://stepwell.test' },
      body: JSON.stringify({ apiKey: key }),
    })
    const cookie = (signedIn.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
    const own = await get('', 'steps.jsonl?columns=id', { cookie, 'sec-fetch-site': 'same-origin' })
    expect(jsonLines(await own.text())).toEqual([{ id: 's00000' }])
    for (const site of ['cross-site', 'same-site', 'none'])
      expect(
        await errorOf(await get('', 'steps.jsonl', { cookie, 'sec-fetch-site': site })),
      ).toMatch(/^403 FORBIDDEN origin/)
  })

  test('an export ends with the key that it was begun with', async () => {
    const { ask } = await newProject()
    await ask(INGEST, { steps: numbered(1500) })
    const { createApiKey } = await ask(
      'mutation { createApiKey(name: "short", scopes: [read]) { key } }',
    )
    const response = await get(createApiKey.key, 'steps.jsonl?columns=id')
    const reader = (response.body as ReadableStream<Uint8Array>).getReader()
    await reader.read()
    const { apiKeys } = await ask('{ apiKeys { id name } }')
    const { id } = apiKeys.find(({ name }: { name: string }) => name === 'short')
    await ask(`mutation { revokeApiKey(id: "${id}") { id } }`)
    let last = ''
    const rest = async () => {
      for (let part = await reader.read(); !part.done; part = await reader.read())
        last = new TextDecoder().decode(part.value)
    }
    await expect(rest()).rejects.toThrow(/x-api-key/)
    expect(JSON.parse(last).exportError.code).toBe('UNAUTHENTICATED')
  })
})

test('an export of a project that is deleted meanwhile breaks off, though its key is still known', async () => {
  const { ask, key } = await newProject()
  await ask(INGEST, { steps: numbered(1500) })
  // A key is known for two seconds, and a machine may need more for what follows.
  vi.spyOn(performance, 'now').mockReturnValue(performance.now())
  const response = await get(key, 'steps.jsonl?columns=id')
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  await reader.read()
  const deleted = await post(
    service,
    '/api/operator',
    { noun: 'project', verb: 'delete', subject: `exports ${projects}` },
    { 'x-operator-token': service.operatorToken },
  )
  expect(deleted.status).toBe(200)
  let last = ''
  const rest = async () => {
    for (let part = await reader.read(); !part.done; part = await reader.read())
      last = new TextDecoder().decode(part.value)
  }
  await expect(rest()).rejects.toThrow(/no project has the id/)
  expect(JSON.parse(last).exportError.code).toBe('NOT_FOUND')
})

test('the line with the reason reaches a client over HTTP before the connection is broken off', async () => {
  const { key } = await newProject()
  vi.spyOn(ExportPages.prototype, 'next')
    .mockResolvedValueOnce([{ id: 'a' }])
    .mockRejectedValueOnce(new DomainError('NOT_FOUND', 'it is gone'))
  const written = vi.spyOn(console, 'error').mockReturnValue()
  const listening = await listen(service, '127.0.0.1', 0)
  // Not by fetch, which forgets what came when a connection breaks.
  const request = requestBySocket(`${listening.url}/api/export/steps.jsonl?columns=id`, {
    headers: { 'x-api-key': key },
  })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  let text = ''
  response
    .on('error', () => undefined)
    .on('data', (part) => {
      text += part
    })
  await new Promise((resolve) => response.on('close', resolve))
  expect(response.complete).toBe(false)
  expect(text).toBe('{"id":"a"}\n{"exportError":{"code":"NOT_FOUND","message":"it is gone"}}\n')
  expect(written).not.toHaveBeenCalled()
  await listening.stop(100)
})

test('an export of a dataset that is deleted before the last page is whole breaks off', async () => {
  const { ask } = await newProject()
  const { dataset } = await ask('mutation { dataset: createDataset(name: "d") { id } }')
  const { id } = dataset
  for (const at of [1, 2])
    await ask(`mutation { createDatasetItem(datasetId: "${id}", input: { at: ${at} }) { id } }`)
  const list = '{ pageInfo { hasNextPage endCursor } edges { node { id } } }'
  const document = {
    query: `query($first: Int, $after: ID) {
      parent: dataset(id: "${id}") { list: items(first: $first, after: $after) ${list} } }`,
    variables: {},
    columns: [],
    parent: { of: 'datasetId', id },
  }
  let isGoing = false
  const run: RunPage = async (query, variables) => {
    const data = await ask(query, variables)
    if (isGoing) await ask(`mutation { deleteDataset(id: "${id}") { id } }`)
    isGoing = false
    return { data }
  }
  const read = () =>
    new ExportPages(document, run, {
      limit: 10,
      signal: new AbortController().signal,
      confirm: async () => undefined,
    }).next()
  expect(await read()).toHaveLength(2)
  isGoing = true
  await expect(read()).rejects.toThrow('datasetId: nothing has the id of this request')
})

describe('bad requests name the parameter, before any of the answer is sent', () => {
  test.each([
    ['nothing.csv', '404 NOT_FOUND path: expected a list, one of threads, steps'],
    ['threads.xml', '404 NOT_FOUND path: expected a list and its format'],
    ['threads', '404 NOT_FOUND path: expected a list and its format'],
    ['toString.csv', '404 NOT_FOUND path: expected a list, one of'],
    ['threads.csv?filter=[]', '400 BAD_REQUEST "filter": no such parameter'],
    ['threads.csv?filters={', '400 BAD_REQUEST "filters": expected JSON'],
    ['threads.csv?filters={}', '400 BAD_REQUEST filters: expected a list of conditions'],
    [
      'threads.csv?filters=[{"field":"x","operator":"eq"}]',
      '400 INVALID_ARGUMENT filters[0].field',
    ],
    ['threads.csv?filters=[{}]', '400 BAD_REQUEST Variable "$filters" got invalid value'],
    ['threads.csv?orderBy=3', '400 BAD_REQUEST orderBy: expected an object'],
    ['threads.csv?orderBy={"column":"x","direction":"ASC"}', '400 INVALID_ARGUMENT orderBy.column'],
    ['threads.csv?columns=secret', '400 INVALID_ARGUMENT columns: "secret" is no column'],
    ['threads.csv?columns=steps', '400 INVALID_ARGUMENT columns: "steps" is no column'],
    ['threads.csv?columns=participant.metadata.x', '400 INVALID_ARGUMENT columns'],
    ['threads.csv?columns=id%7D%7D', '400 INVALID_ARGUMENT columns'],
    ['threads.csv?columns=__typename', '400 INVALID_ARGUMENT columns'],
    ['threads.csv?limit=-1', '400 BAD_REQUEST limit: expected a whole number'],
    ['threads.csv?bom=1', '400 BAD_REQUEST bom: expected true or false'],
    ['threads.jsonl?bom=true', '400 BAD_REQUEST bom: expected for CSV alone'],
    ['threads.parquet?bom=true', '400 BAD_REQUEST bom: expected for CSV alone'],
    ['threads.csv?limit=1&limit=2', '400 BAD_REQUEST "limit": expected once'],
    ['threads.csv?datasetId=x', '400 INVALID_ARGUMENT datasetId: threads take none'],
    ['datasetItems.csv', '400 INVALID_ARGUMENT datasetId: expected an id'],
    ['datasets.csv?filters=[]', '400 INVALID_ARGUMENT filters: datasets take none'],
  ])('%s', async (path, message) => {
    const { key } = await newProject()
    expect(await errorOf(await get(key, path))).toContain(message)
  })
})

describe('exports that last', () => {
  test('one that is left holds nothing, and more than four of a key at once wait for none', async () => {
    const { ask, key } = await newProject()
    await ask(INGEST, { steps: numbered(1500) })
    const open = async () => {
      const response = await get(key, 'steps.jsonl?columns=id')
      expect(response.status).toBe(200)
      return response.body as ReadableStream<Uint8Array>
    }
    const streams = await Promise.all([open(), open(), open(), open()])
    expect(await errorOf(await get(key, 'steps.jsonl'))).toMatch(/^503 UNAVAILABLE this API key/)
    const { key: other } = await newProject()
    expect((await get(other, 'steps.jsonl')).status).toBe(200)
    await Promise.all(streams.map((stream) => stream.cancel()))
    const text = await new Response(await open()).text()
    expect(jsonLines(text)).toHaveLength(1500)
    // An export that was read to its end, or failed at once, counts no more.
    for (let again = 0; again < 5; again++) {
      expect((await get(key, 'steps.jsonl?columns=x')).status).toBe(400)
      expect((await (await get(key, 'steps.csv?limit=1')).text()).length).toBeGreaterThan(0)
    }
  })

  test('a client that leaves while a page is asked for again is no fault of the service', async () => {
    const ended = new AbortController()
    const reports: unknown[] = []
    const busy = { message: 'busy', extensions: { code: 'UNAVAILABLE' } }
    let asked = 0
    const run: RunPage = async () =>
      asked++ === 0
        ? {
            data: {
              list: {
                pageInfo: { hasNextPage: true, endCursor: 'a' },
                edges: [{ node: { id: 'a' } }],
              },
            },
          }
        : ({ errors: [busy] } as never)
    const document = { query: '', variables: {}, columns: [], parent: undefined }
    const { body } = await exportStream(
      { list: 'steps', format: 'jsonl', limit: 10, hasByteOrderMark: false, ids: {} },
      [],
      new ExportPages(document, run, {
        limit: 10,
        signal: ended.signal,
        confirm: () => Promise.resolve(),
      }),
      {
        report: (error) => reports.push(error),
        end: () => ended.abort(),
        breakOff: () => Promise.resolve(),
      },
    )
    const reader = (body as ReadableStream<Uint8Array>).getReader()
    await reader.read()
    await expect.poll(() => asked).toBe(2)
    await reader.cancel()
    await new Promise((resolve) => setImmediate(resolve))
    expect(reports).toEqual([])
  })

  test('HEAD says what GET would, and leaves nothing open', async () => {
    const { ask, key } = await newProject()
    await ask(INGEST, { steps: numbered(3) })
    const head = (path: string) =>
      service.fetch(`http://stepwell.test/api/export/${path}`, {
        method: 'HEAD',
        headers: { 'x-api-key': key },
      })
    for (let again = 0; again < 6; again++) {
      const { status, headers } = await head('steps.csv')
      expect([status, headers.get('content-type')?.slice(0, 8)]).toEqual([200, 'text/csv'])
      expect((await head('steps.csv?columns=x')).status).toBe(400)
    }
    expect(jsonLines(await (await get(key, 'steps.jsonl')).text())).toHaveLength(3)
  })

  test('a client that reads no further makes the service read no further', async () => {
    const { ask, key } = await newProject()
    await ask(INGEST, { steps: numbered(1500) })
    const response = await get(key, 'steps.jsonl?columns=id')
    const reader = (response.body as ReadableStream<Uint8Array>).getReader()
    const first = await reader.read()
    const seen = jsonLines(new TextDecoder().decode(first.value)).length
    expect(seen).toBeLessThanOrEqual(100)
    await ask('mutation { deleteStep(id: "s00000") { id } }')
    let rest = ''
    for (let part = await reader.read(); !part.done; part = await reader.read())
      rest += new TextDecoder().decode(part.value)
    const ids = jsonLines(rest).map(({ id }) => id)
    expect(ids).toHaveLength(1499 - seen)
    expect(ids).not.toContain('s00000')
  })

  test('rows that are deleted and added while it runs neither end it nor come twice', async () => {
    const { ask, key } = await newProject()
    const steps = numbered(2000)
    await ask(INGEST, { steps })
    const response = await send(key, 'steps.jsonl', {
      columns: ['id'],
      filters: [{ field: 'type', operator: 'eq', value: 'tool' }],
      orderBy: { column: 'createdAt', direction: 'ASC' },
    })
    const decoder = new TextDecoder()
    let text = ''
    let round = 0
    const deleted = new Set<string>()
    for await (const part of response.body as unknown as AsyncIterable<Uint8Array>) {
      text += decoder.decode(part, { stream: true })
      const ids = Array.from(
        { length: 40 },
        (_, at) => `s${String(round * 331 + at * 7).padStart(5, '0')}`,
      )
      for (const id of ids) deleted.add(id)
      await ask(
        `mutation { ${ids.map((id, at) => `d${at}: deleteStep(id: "${id}") { id }`).join(' ')} }`,
      )
      await ask(INGEST, { steps: [{ id: `later${round++}`, type: 'tool' }] })
    }
    const found = jsonLines(text).map(({ id }) => id)
    expect(new Set(found).size).toBe(found.length)
    expect(found.filter((id) => id.startsWith('later'))).toEqual([])
    const missing = steps.filter(({ id }) => !found.includes(id) && !deleted.has(id))
    expect(missing).toEqual([])
    expect(round).toBeGreaterThan(2)
  })
})
