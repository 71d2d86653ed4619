import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { recordsOf } from '../src/cli/importing/files.js'
import { importFrom } from '../src/cli/importing/import-from.js'
import { momentOf } from '../src/cli/importing/values.js'
import { StepwellClient } from '../src/index.js'
import { useService } from './support/service.js'

const fixture = useService()
const folder = mkdtempSync(join(tmpdir(), 'stepwell-import-from-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
afterEach(() => vi.unstubAllEnvs())

let url: string
beforeAll(async () => {
  const { listen } = await import('@stepwell/server')
  const listening = await listen(fixture.service, '127.0.0.1', 0)
  url = listening.url
  return listening.stop
})

/** Makes a project and points the environment to it, as a user does. */
const newProject = async (): Promise<StepwellClient> => {
  const { apiKey } = await fixture.service.createProject(`import ${Math.random()}`)
  vi.stubEnv('STEPWELL_API_KEY', apiKey)
  vi.stubEnv('STEPWELL_API_URL', url)
  return new StepwellClient({ apiKey, apiUrl: url })
}

let files = 0
const fileOf = (records: readonly unknown[], extension = 'jsonl'): string => {
  const path = join(folder, `${++files}.${extension}`)
  const texts = records.map((record) =>
    typeof record === 'string' ? record : JSON.stringify(record),
  )
  writeFileSync(path, extension === 'json' ? `[${texts.join(',\n')}]` : texts.join('\n'))
  return path
}

/** Runs an import quietly. Returns its exit code and its report. */
const run = async (from: string, source: string, ...options: string[]) => {
  const path = join(folder, `${++files}.report.json`)
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  try {
    const code = await importFrom([
      ...['--from', from, source, '--report', path, '--quiet', '--patience', '5'],
      ...options,
    ])
    return { code, kinds: JSON.parse(readFileSync(path, 'utf8')).kinds }
  } finally {
    write.mockRestore()
  }
}

/** All of a project that an import decides, without the times of arrival. */
const contentOf = async ({ api }: StepwellClient) => {
  const steps = []
  for await (const { createdAt: _, scores, ...step } of api.getSteps.all({ first: 200 }))
    steps.push({
      ...step,
      generation: step.generation && { ...step.generation, createdAt: '' },
      scores: scores
        .map(({ id, name, value, label, type }) => ({ id, name, value, label, type }))
        .sort((a, b) => (a.id < b.id ? -1 : 1)),
    })
  const threads = []
  for await (const { id, name, tags, participant } of api.getThreads.all({ first: 200 }))
    threads.push({ id, name, tags, user: participant?.identifier ?? null })
  const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1)
  return { steps: steps.sort(byId), threads: threads.sort(byId) }
}

const trace = (id: string, more: object = {}) => ({
  ...{
    id,
    timestamp: '2026-01-02T03:04:05.678Z',
    name: `trace ${id}`,
    input: 'Grüße ☕',
    latency: 2,
  },
  ...{ output: { a: 1 }, sessionId: null, userId: null, metadata: { plan: 'team' }, tags: ['vip'] },
  ...{ environment: 'production', public: false, release: 'v1', ...more },
})
const observation = (id: string, traceId: string, more: object = {}) => ({
  ...{ id, traceId, type: 'SPAN', name: id, startTime: '2026-01-02T03:04:05.700Z' },
  ...{ endTime: '2026-01-02T03:04:06.700Z', level: 'DEFAULT', parentObservationId: null, ...more },
})
const score = (id: string, traceId: string, more: object = {}) => ({
  ...{
    id,
    traceId,
    name: 'helpful',
    value: 0.5,
    dataType: 'NUMERIC',
    source: 'ANNOTATION',
    ...more,
  },
})

test('traces of Langfuse become runs in the thread of their session, with calls, costs and scores', async () => {
  const stepwell = await newProject()
  const { code, kinds } = await run(
    'langfuse',
    fileOf([
      trace('t1', { sessionId: 's1', userId: 'ada' }),
      observation('o1', 't1', {
        ...{ type: 'GENERATION', model: 'gpt-4o', modelParameters: { temperature: 0.1 } },
        ...{
          input: [{ role: 'user', content: 'hi' }],
          output: { role: 'assistant', content: 'yes' },
        },
        ...{ usageDetails: { input: 10, input_cached_tokens: 5, output: 3, total: 18 } },
        ...{ costDetails: { total: 0.02 }, completionStartTime: '2026-01-02T03:04:05.900Z' },
      }),
      observation('o2', 't1', { parentObservationId: 'o1', level: 'ERROR', statusMessage: 'no' }),
      score('c1', 't1', { observationId: 'o1' }),
      score('c2', 't1', { dataType: 'BOOLEAN', value: 1, stringValue: 'True', source: 'API' }),
      score('c3', 't1', { dataType: 'CATEGORICAL', value: 2, stringValue: 'good', name: 'tone' }),
      score('c4', 't1', { dataType: 'TEXT', stringValue: 'a remark' }),
      { ...score('c5', 't1', { name: 'happy' }), traceId: null, sessionId: 's1' },
    ]),
  )
  const { steps, threads } = await contentOf(stepwell)
  expect(threads).toMatchObject([{ id: 's1', user: 'ada' }])
  expect(steps).toMatchObject([
    {
      ...{ id: 't1', type: 'run', threadId: 's1', startTime: '2026-01-02T03:04:05.678Z' },
      ...{
        endTime: '2026-01-02T03:04:07.678Z',
        input: { content: 'Grüße ☕' },
        environment: 'prod',
      },
      metadata: { plan: 'team', langfuse: { release: 'v1', sessionId: 's1', userId: 'ada' } },
      scores: [
        { id: 'c2', value: 1, label: 'True', type: 'CODE' },
        { id: 'c3', label: 'good' },
      ],
    },
    {
      ...{ id: 't1-o1', type: 'llm', parentId: 't1', threadId: 's1' },
      generation: {
        ...{ model: 'gpt-4o', inputTokenCount: 15, outputTokenCount: 3, tokenCount: 18 },
        ...{ cost: 0.02, costSource: 'CLIENT', ttFirstToken: 200, duration: 1 },
        ...{ settings: { temperature: 0.1 }, messages: [{ role: 'user', content: 'hi' }] },
      },
      scores: [{ id: 'c1', value: 0.5, type: 'HUMAN' }],
    },
    { id: 't1-o2', parentId: 't1-o1', error: 'no' },
  ])
  expect(
    (
      await stepwell.api.getScores({
        filters: [{ field: 'threadId', operator: 'eq', value: 's1' }],
      })
    ).data,
  ).toMatchObject([{ id: 'c5' }])
  expect(code).toBe(1)
  expect(kinds.scores).toMatchObject({
    ...{ read: 5, kept: 4 },
    dropped: { 'dataType TEXT: a score has a number': { count: 1, examples: ['c4'] } },
  })
  expect(kinds.traces.changed['release: kept as metadata.langfuse.release'].count).toBe(1)
})

test('what is broken is named, and keeps nothing beside it out', async () => {
  const stepwell = await newProject()
  const { kinds } = await run(
    'langfuse',
    fileOf([
      '{"id": "cut", "timestamp": ',
      '7',
      '{"id":"nan","timestamp":"2026-01-02 03:04:05.123456","latency":NaN,"name":"NaN","metadata":{"x":Infinity}}',
      trace('no-time', { timestamp: 'yesterday' }),
      observation('self', 'nan', { parentObservationId: 'self', endTime: null }),
      observation('a', 'nan', { parentObservationId: 'b' }),
      observation('b', 'nan', { parentObservationId: 'a' }),
      observation('orphan', 'nowhere', { parentObservationId: 'gone' }),
      observation('huge', 'nan', {
        type: 'GENERATION',
        usageDetails: { input: 1e300, output: -1 },
        costDetails: { total: 1e12 },
      }),
      observation('x'.repeat(600), 'nan'),
      trace('twice'),
      trace('twice'),
      { what: 'else' },
    ]),
  )
  const ids = (await contentOf(stepwell)).steps.map(({ id }) => id)
  expect(ids).toEqual([
    'nan',
    'nan-a',
    'nan-b',
    'nan-huge',
    'nan-self',
    'no-time',
    'nowhere-orphan',
    'twice',
  ])
  expect(kinds['records of files'].dropped['expected JSON'].count).toBe(1)
  expect(kinds['records of files'].dropped['expected an object'].count).toBe(1)
  expect(kinds['other records'].dropped).toBeDefined()
  expect(kinds.observations).toMatchObject({ read: 6, kept: 5 })
  expect(kinds.traces).toMatchObject({ read: 4, kept: 4 })
  expect((await stepwell.api.getStep('nan'))?.startTime).toBe('2026-01-02T03:04:05.123456Z')
  expect((await stepwell.api.getStep('no-time'))?.metadata).toMatchObject({
    langfuse: { timestamp: 'yesterday' },
  })
})

test('an import that is repeated, or done in two parts in any order, is the import done once', async () => {
  const one = fc.record({
    session: fc.option(fc.constantFrom('s1', 's2'), { nil: null }),
    steps: fc.array(fc.record({ isCall: fc.boolean(), text: fc.string({ unit: 'binary' }) }), {
      maxLength: 3,
    }),
    scores: fc.integer({ min: 0, max: 2 }),
  })
  await fc.assert(
    fc.asyncProperty(
      fc.array(one, { minLength: 1, maxLength: 4 }),
      fc.boolean(),
      async (made, isTurned) => {
        const all = made.map(({ session, steps, scores }, at) => [
          trace(`t${at}`, { sessionId: session, userId: session && `user of ${session}` }),
          ...steps.map(({ isCall, text }, index) =>
            observation(`o${index}`, `t${at}`, {
              type: isCall ? 'GENERATION' : 'TOOL',
              input: text,
              model: isCall ? 'm' : null,
            }),
          ),
          ...Array.from({ length: scores }, (_, index) =>
            score(`c${at}-${index}`, `t${at}`, { name: `n${index}` }),
          ),
        ])
        const whole = await newProject()
        await run('langfuse', fileOf(all.flat()))
        const once = await contentOf(whole)
        await run('langfuse', fileOf(all.flat(), 'json'))
        expect(await contentOf(whole)).toEqual(once)
        const halves = [all.slice(0, 2), all.slice(2)]
        const parts = await newProject()
        for (const half of isTurned ? halves.toReversed() : halves)
          await run('langfuse', fileOf(half.flat()))
        expect(await contentOf(parts)).toEqual(once)
      },
    ),
    { numRuns: 3 },
  )
})

const servers: Server[] = []
afterAll(() => {
  for (const server of servers) server.close()
})
/** Serves answers by path; a function may also send a status. */
const serve = async (
  answer: (path: string, query: URLSearchParams, request: IncomingMessage) => unknown,
): Promise<string> => {
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://local')
    const found = answer(pathname, searchParams, request)
    const {
      status = 200,
      headers = {},
      body = found,
    } = (found ?? { status: 404 }) as Record<string, never>
    response.writeHead(status, { 'content-type': 'application/json', ...(headers as object) })
    response.end(JSON.stringify(body ?? {}))
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Answers as Langfuse pages its lists. */
const pageOf = (records: readonly unknown[], query: URLSearchParams, size = 2) => {
  const page = Number(query.get('page') ?? 1)
  return {
    data: records.slice((page - 1) * size, page * size),
    meta: {
      page,
      limit: size,
      totalItems: records.length,
      totalPages: Math.ceil(records.length / size),
    },
  }
}

const stubLangfuse = () => {
  vi.stubEnv('LANGFUSE_PUBLIC_KEY', 'pk')
  vi.stubEnv('LANGFUSE_SECRET_KEY', 'sk')
}

const LANGFUSE: Record<string, readonly unknown[]> = {
  '/api/public/score-configs': [
    {
      id: 'k1',
      name: 'tone',
      dataType: 'CATEGORICAL',
      categories: [
        { label: 'bad', value: 0 },
        { label: 'good', value: 1 },
      ],
      isArchived: false,
    },
  ],
  '/api/public/v2/prompts': [
    { name: 'folder/greet', versions: [2, 1, 3], labels: ['production'], tags: [] },
  ],
  '/api/public/v2/datasets': [
    { id: 'd1', name: 'qa', description: null, metadata: null, projectId: 'p' },
  ],
  '/api/public/dataset-items': [
    {
      id: 'i1',
      datasetId: 'd1',
      datasetName: 'qa',
      input: 'text',
      expectedOutput: { a: 1 },
      status: 'ACTIVE',
      sourceTraceId: 't0',
    },
    {
      id: 'i2',
      datasetId: 'd1',
      datasetName: 'qa',
      input: { q: 1 },
      expectedOutput: null,
      status: 'ARCHIVED',
    },
  ],
  '/api/public/datasets/qa/runs': [
    { id: 'r1', name: 'first', datasetId: 'd1', metadata: { k: 1 } },
  ],
  '/api/public/dataset-run-items': [
    { id: 'ri1', datasetRunId: 'r1', datasetItemId: 'i1', traceId: 't0' },
  ],
  '/api/public/traces': Array.from({ length: 5 }, (_, at) =>
    trace(`t${at}`, { sessionId: at < 3 ? 'talk' : null }),
  ),
  '/api/public/observations': [
    observation('o', 't0', {
      type: 'GENERATION',
      model: 'm',
      promptName: 'folder/greet',
      promptVersion: 2,
    }),
    ...Array.from({ length: 4 }, (_, at) => observation('o', `t${at + 1}`)),
  ],
  '/api/public/v2/scores': [
    score('c', 't0', {
      name: 'tone',
      dataType: 'CATEGORICAL',
      stringValue: 'good',
      value: 0,
      source: 'EVAL',
    }),
  ],
}

test('the API of Langfuse is read page by page, waits when it says so, and a second import changes nothing', async () => {
  const stepwell = await newProject()
  stubLangfuse()
  let refused = 0
  const source = await serve((path, query, { headers }) => {
    if (headers.authorization !== `Basic ${btoa('pk:sk')}`) return { status: 401 }
    if (path === '/api/public/observations' && refused++ === 0)
      return { status: 429, headers: { 'retry-after': '0' } }
    if (path === '/api/public/v2/prompts/folder%2Fgreet') {
      const version = Number(query.get('version'))
      const prompt =
        version === 1
          ? 'Hi {{name}}'
          : [
              { role: 'system', content: `v${version}` },
              { type: 'placeholder', name: 'history' },
            ]
      return {
        name: 'folder/greet',
        type: 'chat',
        version,
        prompt,
        config: { model: 'm' },
        labels: version === 2 ? ['production'] : ['latest'],
        tags: [],
      }
    }
    const records = LANGFUSE[path]
    return records && pageOf(records, query)
  })
  const first = await run('langfuse', source)
  expect(first.code).toBe(0)
  expect(refused).toBeGreaterThan(1)
  const { steps, threads } = await contentOf(stepwell)
  expect(steps).toHaveLength(10)
  expect(threads.map(({ id }) => id)).toEqual(['t3', 't4', 'talk'])
  expect(steps.filter(({ threadId }) => threadId === 'talk')).toHaveLength(6)
  // The prompt's production version is the one that callers get.
  const prompt = await stepwell.api.getPrompt('folder/greet')
  expect(prompt).toMatchObject({
    version: 1,
    templateMessages: [{ content: 'v2' }, { content: '{{history}}' }],
  })
  expect(
    (await stepwell.api.getPromptLabels('folder/greet'))?.map(({ name, version }) => [
      name,
      version,
    ]),
  ).toEqual([['production', 1]])
  expect(
    (
      await stepwell.query<{ generations: unknown }, object>(
        '{ generations { edges { node { id promptId } } } }',
      )
    ).generations,
  ).toMatchObject({ edges: [{ node: { id: 't0-o', promptId: prompt?.id } }] })
  const dataset = await stepwell.api.getDataset({ name: 'qa' })
  expect(dataset?.items).toMatchObject([
    {
      input: { content: 'text' },
      expectedOutput: { a: 1 },
      metadata: { sourceTraceId: 't0', imported: { from: 'langfuse', id: 'i1' } },
    },
    { input: { q: 1 }, expectedOutput: null, metadata: { status: 'ARCHIVED' } },
  ])
  const [experiment] = (await stepwell.api.getExperiments({})).data
  expect(experiment).toMatchObject({ name: 'first', scores: [{ name: 'tone', count: 1, mean: 1 }] })
  expect(
    (await stepwell.api.getExperimentItems({ experimentId: experiment?.id ?? '' })).data,
  ).toMatchObject([{ datasetItemId: dataset?.items[0]?.id, experimentRunId: 't0' }])
  const again = await run('langfuse', source)
  expect(again.kinds).toEqual(first.kinds)
  expect(await contentOf(stepwell)).toEqual({ steps, threads })
  expect((await stepwell.api.getDataset({ name: 'qa' }))?.items).toHaveLength(2)
  expect((await stepwell.api.getExperiments({})).data).toHaveLength(1)
})

test('without lists of traces, what observations of Langfuse say makes the runs', async () => {
  const stepwell = await newProject()
  stubLangfuse()
  const long = 'x'.repeat(300)
  const source = await serve((path, query) => {
    if (path === '/api/public/v2/observations') {
      const isWhole = query.get('expandMetadata') === 'long'
      const one = (id: string, more: object) =>
        observation(id, 'n1', {
          traceName: 'ask',
          sessionId: 's9',
          userId: 'eve',
          metadata: { long: isWhole ? long : long.slice(0, 200) },
          ...more,
        })
      return query.has('cursor')
        ? { data: [one('root', { input: '{"q":1}' })], meta: {} }
        : { data: [one('leaf', { parentObservationId: 'root' })], meta: { cursor: 'next' } }
    }
    if (path === '/api/public/v3/scores')
      return {
        data: [
          {
            id: 'z',
            name: 'ok',
            dataType: 'BOOLEAN',
            value: true,
            source: 'API',
            subject: { kind: 'observation', id: 'leaf', traceId: 'n1' },
          },
        ],
        meta: { limit: 50 },
      }
    return path.startsWith('/api/public/v2/') ? { data: [], meta: { totalPages: 0 } } : undefined
  })
  const { code } = await run('langfuse', source)
  expect(code).toBe(0)
  expect((await contentOf(stepwell)).steps).toMatchObject([
    { id: 'n1', type: 'run', name: 'ask', threadId: 's9', input: { q: 1 } },
    { id: 'n1-leaf', parentId: 'n1-root', metadata: { long }, scores: [{ id: 'z', value: 1 }] },
    { id: 'n1-root', parentId: 'n1', input: { q: 1 } },
  ])
})

test.each([
  ['refuses the key', () => ({ status: 401 }), /check LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY/],
  [
    'redirects',
    () => ({ status: 302, headers: { location: 'http://elsewhere.test/' } }),
    /redirects/,
  ],
  ['is something else', () => ['<html>'], /is the source Langfuse\?/],
  ['repeats a page', () => ({ data: [{ id: 'a' }], meta: { totalPages: 9 } }), /same page again/],
])('a source that %s ends the import with the reason', async (_, answer, reason) => {
  await newProject()
  stubLangfuse()
  await expect(run('langfuse', await serve(answer))).rejects.toThrow(reason)
})

test('an import goes on where it was ended, and counts every record once', async () => {
  const stepwell = await newProject()
  stubLangfuse()
  let isDead = true
  const asked: string[] = []
  const source = await serve((path, query) => {
    asked.push(`${path} ${query.get('page')}`)
    if (isDead && path === '/api/public/traces' && query.get('page') === '2') return { status: 400 }
    const records = LANGFUSE[path]
    return path.startsWith('/api/public/v2/p')
      ? pageOf([], query)
      : records && pageOf(records, query)
  })
  const progress = join(folder, 'progress.json')
  // The second one ends before it has stored anything.
  for (let end = 0; end < 2; end++)
    await expect(run('langfuse', source, '--resume', progress)).rejects.toThrow(/status 400/)
  isDead = false
  asked.length = 0
  const { kinds } = await run('langfuse', source, '--resume', progress)
  expect(kinds.traces).toMatchObject({ read: 5, kept: 5 })
  expect(kinds['dataset items']).toMatchObject({ read: 2, kept: 2 })
  expect(
    (await contentOf(stepwell)).steps.filter(({ threadId }) => threadId === 'talk'),
  ).toHaveLength(6)
  vi.stubEnv('STEPWELL_API_URL', 'http://127.0.0.1:1')
  await expect(run('langfuse', source, '--resume', progress)).rejects.toThrow(
    /--resume: expected the progress of this import/,
  )
})

const span = (id: number, more: object = {}) => ({
  name: 'step',
  context: { trace_id: 'a'.repeat(32), span_id: id.toString(16).padStart(16, '0') },
  ...{ span_kind: 'CHAIN', parent_id: null, start_time: '2026-01-02T03:04:05.000001+00:00' },
  ...{
    end_time: '2026-01-02T03:04:06+00:00',
    status_code: 'OK',
    status_message: '',
    attributes: {},
    events: [],
  },
  ...more,
})

test('spans of Phoenix are understood as those of OpenTelemetry are, from the API and from data frames alike', async () => {
  const attributes = {
    ...{
      'llm.model_name': 'gpt-4o',
      'llm.token_count.prompt': 12,
      'llm.token_count.completion': 3,
    },
    ...{
      'llm.input_messages.0.message.role': 'user',
      'llm.input_messages.0.message.content': 'hi',
    },
    ...{
      'session.id': 'talk',
      'user.id': 'ada',
      'tag.tags.0': 'a',
      'tag.tags.1': 'b',
      'metadata.n': 1,
    },
  }
  const spans = [
    span(1),
    span(2, { parent_id: '1'.padStart(16, '0'), span_kind: 'LLM', attributes }),
  ]
  const source = await serve((path, query) => {
    if (path === '/v1/projects') return { data: [{ id: 'P1', name: 'default' }], next_cursor: null }
    if (path === '/v1/projects/P1/spans')
      return query.has('cursor')
        ? { data: [spans[0]], next_cursor: null }
        : { data: [spans[1]], next_cursor: 'c' }
    if (
      path === '/v1/projects/P1/span_annotations' &&
      query.getAll('span_ids').includes('2'.padStart(16, '0'))
    )
      return {
        data: [
          {
            id: 'A1',
            span_id: '2'.padStart(16, '0'),
            name: 'correctness',
            annotator_kind: 'LLM',
            result: { label: 'correct', score: null, explanation: 'fine' },
          },
          {
            id: 'A2',
            span_id: '2'.padStart(16, '0'),
            name: 'tone',
            annotator_kind: 'HUMAN',
            result: { label: 'warm' },
          },
        ],
        next_cursor: null,
      }
    return undefined
  })
  const byApi = await newProject()
  const { code, kinds } = await run('phoenix', source)
  expect(code).toBe(1)
  expect(kinds.annotations).toMatchObject({ read: 2, kept: 1 })
  expect(kinds.spans).toMatchObject({ read: 2, kept: 2, dropped: {} })
  const { steps } = await contentOf(byApi)
  expect(steps).toMatchObject([
    { threadId: 'talk', startTime: '2026-01-02T03:04:05.000001Z' },
    {
      ...{
        type: 'llm',
        threadId: 'talk',
        parentId: `${'a'.repeat(32)}-${'1'.padStart(16, '0')}`,
        tags: ['a', 'b'],
      },
      generation: { model: 'gpt-4o', tokenCount: 15, messages: [{ role: 'user', content: 'hi' }] },
      scores: [{ name: 'correctness', value: 1, label: 'correct', type: 'AI' }],
    },
  ])
  const frame = spans.map(({ context, attributes: given, ...rest }) => ({
    ...rest,
    start_time: '2026-01-02T03:04:05.000001',
    'context.trace_id': context.trace_id,
    'context.span_id': context.span_id,
    ...(Object.keys(given).length === 0
      ? { 'attributes.llm.model_name': null }
      : {
          ...{ 'attributes.llm.model_name': 'gpt-4o', 'attributes.llm.token_count.prompt': 12 },
          ...{ 'attributes.llm.token_count.completion': 3, 'attributes.session.id': 'talk' },
          ...{
            'attributes.user.id': 'ada',
            'attributes.tag.tags': ['a', 'b'],
            'attributes.metadata': { n: 1 },
          },
          'attributes.llm.input_messages': [{ 'message.role': 'user', 'message.content': 'hi' }],
        }),
  }))
  const annotations = [
    {
      span_id: '2'.padStart(16, '0'),
      annotation_name: 'correctness',
      annotator_kind: 'LLM',
      'result.label': 'correct',
    },
  ]
  const byFile = await newProject()
  const read = await run('phoenix', fileOf([...annotations, ...frame]))
  expect(read.code).toBe(0)
  const withoutIds = (list: typeof steps) =>
    list.map((step) => ({ ...step, metadata: {}, scores: step.scores.map(({ value }) => value) }))
  expect(withoutIds((await contentOf(byFile)).steps)).toEqual(withoutIds(steps))
  const broken = await run(
    'phoenix',
    fileOf([...frame, { ...frame[0], 'context.span_id': 'not hex' }]),
  )
  expect(broken.kinds.spans).toMatchObject({
    read: 3,
    kept: 2,
    dropped: {
      [Object.keys(broken.kinds.spans.dropped)[0] ?? '']: { count: 1, examples: ['not hex'] },
    },
  })
})

test('a service is copied into another by the reads of Literal AI alone', async () => {
  const source = await newProject()
  const key = process.env.STEPWELL_API_KEY ?? ''
  const { api } = source
  await api.createUser('ada', { plan: 'team' })
  await api.upsertThread({
    threadId: 'talk',
    name: 'Order',
    metadata: { a: 1 },
    participantId: 'ada',
    tags: ['vip'],
  })
  const { objectKey } = await api.uploadFile({ content: 'Dear Ada', mime: 'text/plain' })
  await api.sendSteps([
    {
      id: 'run',
      type: 'run',
      threadId: 'talk',
      startTime: '2026-01-02T03:04:05.000Z',
      endTime: '2026-01-02T03:04:06.000Z',
      input: { q: '☕' },
      scores: [{ id: 'c', name: 'ok', type: 'HUMAN', value: 1, comment: 'good' }],
    },
    {
      id: 'call',
      type: 'llm',
      threadId: 'talk',
      parentId: 'run',
      rootRunId: 'run',
      startTime: '2026-01-02T03:04:05.000Z',
      error: 'no',
      generation: { model: 'm', messages: [{ role: 'user', content: 'hi' }], tokenCount: 3 },
      attachments: [{ id: 'f', name: 'letter', mime: 'text/plain', objectKey }],
    },
  ])
  const { id } = await api.createDataset({ name: 'qa' })
  await api.createDatasetItem(id, { input: { q: 1 }, expectedOutput: { a: 1 } })
  await api.getOrCreatePrompt('greet', [{ role: 'user', content: 'Hi {{name}}' }])
  const before = await contentOf(source)
  const copy = await newProject()
  vi.stubEnv('LITERAL_API_KEY', key)
  const { code, kinds } = await run('literalai', url, '--prompts', 'greet,none')
  expect(code).toBe(1)
  expect(kinds.prompts.dropped).toMatchObject({ 'the source has none of this name': { count: 1 } })
  const after = await contentOf(copy)
  const bare = ({ steps, threads }: typeof before) => ({
    threads,
    steps: steps.map(({ attachments, ...step }) => ({
      ...step,
      attachments: attachments.map(({ id: of, name, mime }) => ({ of, name, mime })),
    })),
  })
  expect(bare(after)).toEqual(bare(before))
  const file = await copy.api.getAttachment('f')
  expect(await (await fetch(file?.url ?? '')).text()).toBe('Dear Ada')
  expect((await copy.api.getUser('ada'))?.metadata).toEqual({ plan: 'team' })
  expect((await copy.api.getPrompt('greet'))?.templateMessages).toMatchObject([
    { content: 'Hi {{name}}' },
  ])
  expect((await copy.api.getDataset({ name: 'qa' }))?.items).toMatchObject([
    { input: { q: 1 }, expectedOutput: { a: 1 } },
  ])
  await run('literalai', url)
  expect(await contentOf(copy)).toMatchObject({ threads: after.threads })
  expect((await copy.api.getDataset({ name: 'qa' }))?.items).toHaveLength(1)
  expect((await copy.api.getAttachment('f'))?.objectKey).toBe(file?.objectKey)
})

test('whatever is sent, an answer that is lost or breaks off makes nothing twice and ends nothing', async () => {
  const source = await newProject()
  const key = process.env.STEPWELL_API_KEY ?? ''
  const times = { startTime: '2026-01-02T03:04:05.000Z', endTime: '2026-01-02T03:04:06.000Z' }
  await source.api.sendSteps([
    { id: 'run', type: 'run', threadId: 'talk', input: { q: 1 }, ...times },
  ])
  const { id } = await source.api.createDataset({ name: 'qa' })
  await source.api.createDatasetItem(id, { input: { q: 1 } })
  await source.api.createDatasetItem(id, { input: { q: 2 } })
  await source.api.getOrCreatePrompt('greet', [{ role: 'user', content: 'Hi' }])
  const before = await contentOf(source)
  const copy = await newProject()
  const seen = new Set<string>()
  const relay = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const body = Buffer.concat(parts)
    const answer = await fetch(`${url}${request.url}`, {
      method: 'POST',
      headers: {
        'x-api-key': String(request.headers['x-api-key']),
        'content-type': 'application/json',
      },
      body,
    })
    const text = await answer.text()
    // The service has done it: the first answer to each is lost, or ends in the middle.
    if (seen.has(body.toString())) return response.writeHead(answer.status).end(text)
    seen.add(body.toString())
    if (seen.size % 2 === 0) return request.socket.destroy()
    response.writeHead(200, { 'content-length': text.length })
    response.write(text.slice(0, text.length / 2), () => request.socket.destroy())
  })
  servers.push(relay)
  await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve))
  vi.stubEnv('STEPWELL_API_URL', `http://127.0.0.1:${(relay.address() as AddressInfo).port}`)
  vi.stubEnv('LITERAL_API_KEY', key)
  const { code, kinds } = await run('literalai', url, '--prompts', 'greet')
  expect(code).toBe(0)
  for (const [kind, count] of [
    ['steps', 1],
    ['datasets', 1],
    ['dataset items', 2],
    ['prompt versions', 1],
  ])
    expect(kinds[kind as string]).toMatchObject({ read: count, kept: count, dropped: {} })
  expect(await contentOf(copy)).toEqual(before)
  expect((await copy.api.getDataset({ name: 'qa' }))?.items).toHaveLength(2)
})

test('a list and lines of JSON have the same records, wherever chunks of the file end', async () => {
  const value = fc
    .json({ stringUnit: 'binary' })
    .map((text) => ({ it: JSON.parse(text), text: '\\"[{,' }))
  await fc.assert(
    fc.asyncProperty(fc.array(value, { maxLength: 5 }), async (values) => {
      for (const extension of ['json', 'jsonl']) {
        const read = []
        for await (const record of recordsOf(fileOf(values, extension)))
          read.push('value' in record ? record.value : record)
        expect(read).toEqual(JSON.parse(JSON.stringify(values)))
      }
    }),
    { numRuns: 20 },
  )
})

test.each([
  ['2026-01-02T03:04:05Z', '2026-01-02T03:04:05Z'],
  ['2026-01-02 03:04:05.123456789', '2026-01-02T03:04:05.123456Z'],
  ['2026-01-02T03:04:05+0200', '2026-01-02T03:04:05+02:00'],
  [1767323045123, '2026-01-02T03:04:05.123Z'],
  [1767323045, '2026-01-02T03:04:05.000Z'],
  ['yesterday', undefined],
  [Number.NaN, undefined],
])('the moment %j is %j', (given, expected) => {
  expect(momentOf(given)?.moment).toBe(expected)
})

test('a list that is cut off between two of its records is not imported as a whole one', async () => {
  await newProject()
  const path = join(folder, 'cut.json')
  for (const cut of ['', ',', ',\n ']) {
    writeFileSync(path, `[${JSON.stringify(trace('t1'))},${JSON.stringify(trace('t2'))}${cut}`)
    const { code, kinds } = await run('langfuse', path)
    expect(code).toBe(1)
    expect(kinds.traces).toMatchObject({ read: 2, kept: 2 })
    expect(kinds['records of files'].dropped).toMatchObject({
      'expected the end of a list, got the end of the file': { examples: ['cut.json:3'] },
    })
  }
})

test('a record of more levels than a stack has keeps no other out', async () => {
  await newProject()
  const deep = `{"id":"deep","timestamp":"2026-01-02T03:04:05Z","input":${'['.repeat(9000)}${']'.repeat(9000)}}`
  const { code, kinds } = await run('langfuse', fileOf([trace('t1'), deep, trace('t2')]))
  expect(code).toBe(1)
  expect(kinds.traces).toMatchObject({ read: 2, kept: 2 })
  expect(kinds['records of files'].dropped).toMatchObject({
    'expected at most 1000 levels': { count: 1 },
  })
})

test('CSV is also read when it is packed, and is an error when it is packed in part', async () => {
  const stepwell = await newProject()
  const bytes = gzipSync('id,timestamp,name,input\nt1,2026-01-02T03:04:05Z,one,"a ""b"""\n')
  const path = join(folder, 'traces.csv.gz')
  writeFileSync(path, bytes)
  const { code, kinds } = await run('langfuse', path)
  expect(code).toBe(0)
  expect(kinds.traces).toMatchObject({ read: 1, kept: 1 })
  expect((await stepwell.api.getStep('t1'))?.input).toEqual({ content: 'a "b"' })
  writeFileSync(path, bytes.subarray(0, -9))
  await expect(run('langfuse', path)).rejects.toThrow(/traces\.csv\.gz: expected gzip, and all/)
})

test('of a saved request of OTLP, the spans that are refused are named and the others kept', async () => {
  const stepwell = await newProject()
  const span = (spanId: string) => ({
    ...{ traceId: 'a'.repeat(32), spanId, name: spanId, startTimeUnixNano: '1767323045000000000' },
  })
  const resource = (name: string) => ({
    attributes: [{ key: 'service.name', value: { stringValue: name } }],
  })
  const { code, kinds } = await run(
    'phoenix',
    fileOf([
      {
        resourceSpans: [
          {
            resource: resource('one'),
            scopeSpans: [{ spans: [span('1'.repeat(16)), span('no')] }],
          },
          { resource: resource('two'), scopeSpans: [{ spans: [span('2'.repeat(16))] }] },
        ],
      },
    ]),
  )
  expect(code).toBe(1)
  expect(kinds.spans).toMatchObject({ read: 3, kept: 2 })
  expect(Object.values(kinds.spans.dropped)).toMatchObject([{ count: 1, examples: ['no'] }])
  const { steps } = await contentOf(stepwell)
  expect(steps.map(({ metadata }) => JSON.stringify(metadata))).toEqual([
    expect.stringContaining('one'),
    expect.stringContaining('two'),
  ])
})

test('a file of the source is asked for again when its host says so, or answers half of it', async () => {
  const source = await newProject()
  const key = process.env.STEPWELL_API_KEY ?? ''
  let asked = 0
  const host = createServer((_, response) => {
    if (++asked === 1) response.writeHead(429, { 'retry-after': '0' }).end('later')
    else if (asked === 2) {
      response.writeHead(200, { 'content-length': 100 })
      response.write('half', () => response.destroy())
    } else response.end('Dear Ada')
  })
  servers.push(host)
  await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve))
  const files = `http://127.0.0.1:${(host.address() as AddressInfo).port}`
  const { objectKey } = await source.api.uploadFile({ content: 'never read', mime: 'text/plain' })
  await source.api.sendSteps([
    { id: 'run', type: 'run', attachments: [{ id: 'f', name: 'letter', objectKey }] },
  ])
  const relay = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const headers = { 'x-api-key': key, 'content-type': 'application/json' }
    const body = Buffer.concat(parts)
    const answer = await fetch(`${url}${request.url}`, { method: 'POST', headers, body })
    response.end((await answer.text()).replace(/"url":"[^"]+\/files\/[^"]+"/g, `"url":"${files}"`))
  })
  servers.push(relay)
  await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve))
  const copy = await newProject()
  vi.stubEnv('LITERAL_API_KEY', key)
  const from = `http://127.0.0.1:${(relay.address() as AddressInfo).port}`
  const { code, kinds } = await run('literalai', from)
  expect(code).toBe(0)
  expect(kinds.attachments).toMatchObject({ read: 1, kept: 1, dropped: {} })
  expect(asked).toBe(3)
  const file = await copy.api.getAttachment('f')
  expect(await (await fetch(file?.url ?? '')).text()).toBe('Dear Ada')
})

test('bytes that are no UTF-8 are reported, and U+FFFD of the file itself is not', async () => {
  await newProject()
  const path = fileOf([
    trace('t1', { name: '\uFFFD', input: 'a' }),
    trace('t2', { input: 'Grüße' }),
  ])
  expect((await run('langfuse', path)).kinds['records of files']).toBeUndefined()
  writeFileSync(path, readFileSync(path, 'utf8').replace('\uFFFD', 'ok'), 'latin1')
  const { kinds } = await run('langfuse', path)
  expect(kinds['records of files'].changed).toEqual({
    'bytes that are no UTF-8: U+FFFD stands for them': {
      count: 1,
      examples: [expect.stringMatching(/:2$/)],
    },
  })
})

test.each([
  { users: null },
  { users: { edges: [], pageInfo: { hasNextPage: true } } },
  { users: { pageInfo: { hasNextPage: false } } },
])('a page of half an answer does not pass for the end of a list: %j', async ({ users }) => {
  await newProject()
  vi.stubEnv('LITERAL_API_KEY', 'key')
  const server = createServer((_, response) =>
    response.end(JSON.stringify({ data: { participants: users } })),
  )
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const from = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  await expect(run('literalai', from)).rejects.toThrow('expected a page of participants')
})

test('a folder without a file to read is an error, and one with others says so', async () => {
  await newProject()
  const empty = mkdtempSync(join(folder, 'empty-'))
  await expect(run('phoenix', empty)).rejects.toThrow(
    /expected JSON, JSONL or CSV in the folder, got none/,
  )
  writeFileSync(join(empty, 'spans.parquet'), '')
  writeFileSync(join(empty, 'spans.jsonl.gz'), gzipSync(JSON.stringify(span(1))))
  const { code, kinds } = await run('phoenix', empty)
  expect([code, kinds.spans.kept]).toEqual([1, 1])
  expect(kinds['records of files'].dropped).toMatchObject({
    'a file that is not JSON, JSONL or CSV': { examples: ['spans.parquet'] },
  })
})

test.each([
  [['--from', 'elsewhere', 'x'], /--from: expected literalai, langfuse, phoenix/],
  [['--from', 'phoenix', '/no/such/file'], /expected a URL, a file or a folder/],
  [['--from', 'phoenix', 'http://user:secret@host'], /expected a URL without user/],
  [['--from', 'langfuse', 'http://127.0.0.1:1'], /LANGFUSE_PUBLIC_KEY: expected the key/],
  [['--from', 'literalai', '.'], /literalai: expected a URL/],
])('the command %j is invalid', async (args, message) => {
  vi.stubEnv('LANGFUSE_PUBLIC_KEY', '')
  await expect(importFrom(args)).rejects.toThrow(message)
})
