import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import { isDeepStrictEqual } from 'node:util'
import nock from 'nock'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createApi } from '../src/api/index.js'
import { type Content, StepwellClient, StepwellError } from '../src/index.js'
import { Tracer } from '../src/tracing/index.js'

// Recorded answers, replayed without network: the requests of the facade, and its results from the answers.
const URL_ = 'http://stepwell.test'
const stepwell = new StepwellClient({
  apiKey: 'key',
  apiUrl: `${URL_}/`,
  environment: 'dev',
  timeoutMs: 500,
})

beforeEach(() => {
  nock.disableNetConnect()
})
afterEach(() => {
  const pending = nock.pendingMocks()
  nock.cleanAll()
  nock.enableNetConnect()
  expect(pending).toEqual([])
})

const score = (id: string) => ({
  id,
  name: 'q',
  type: 'HUMAN',
  value: 1,
  label: null,
  comment: null,
  scorer: null,
  tags: null,
  stepId: 's',
  generationId: null,
  datasetExperimentItemId: null,
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: null,
})

/** Answers the next request, whose variables must match if they are given. */
const answer = (data: unknown, variables?: Record<string, unknown>) =>
  nock(URL_)
    .post(
      '/api/graphql',
      (body) => variables === undefined || isDeepStrictEqual(body.variables, variables),
    )
    .reply(200, { data })

const page = (ids: string[], endCursor: string | null) => ({
  scores: {
    pageInfo: {
      startCursor: ids[0] ?? null,
      endCursor,
      hasNextPage: endCursor !== null,
      hasPreviousPage: false,
    },
    edges: ids.map((id) => ({ node: score(id) })),
  },
})

test('a call carries the key, the client and the environment', async () => {
  nock(URL_, {
    reqheaders: {
      'x-api-key': 'key',
      'x-client-name': 'stepwell-ts',
      'x-env': 'dev',
      'content-type': 'application/json',
    },
  })
    .post('/api/graphql')
    .reply(200, { data: { deleteScore: { id: 's1' } } })
  expect(await stepwell.api.deleteScore('s1')).toBe('s1')
})

test('a missing score is null', async () => {
  answer({ deleteScore: null }, { id: 'nobody' })
  expect(await stepwell.api.delete_score({ id: 'nobody' })).toBeNull()
})

test('variables keep the order of their keys', async () => {
  nock(URL_)
    .post(
      '/api/graphql',
      (body) => JSON.stringify(body.variables) === '{"name":"n","metadata":{"b":1,"a":2}}',
    )
    .reply(200, { data: { createThread: { id: 't' } } })
  await stepwell.api.createThread({ name: 'n', metadata: { b: 1, a: 2 } })
})

test('a call writes its body once and reads its answer once', async () => {
  const name = 'long'.repeat(1000)
  answer({ thread: { id: 't', name } })
  const stringify = vi.spyOn(JSON, 'stringify')
  const parse = vi.spyOn(JSON, 'parse')
  try {
    const document = 'query ($name: String) { thread(id: $name) { id name } }'
    expect(await stepwell.query(document, { name })).toEqual({ thread: { id: 't', name } })
    // The test's server writes and reads JSON too, but never the variables of a request.
    const written = stringify.mock.results.filter(({ value }) =>
      String(value).includes(`"variables":{"name":"${name}`),
    )
    const readings = parse.mock.calls.filter(([text]) => String(text).startsWith('{"data":'))
    expect([written.length, readings.length]).toEqual([1, 1])
  } finally {
    vi.restoreAllMocks()
  }
})

test('equal concurrent queries are a request each', async () => {
  answer({ step: { id: 'before' } })
  answer({ step: { id: 'after' } })
  const ask = () => stepwell.query<{ step: { id: string } }, object>('{ step(id: "s") { id } }')
  const answers = await Promise.all([ask(), ask()])
  expect(answers.map(({ step }) => step.id).sort()).toEqual(['after', 'before'])
})

test.each([
  { types: ['run', 'tool', 'a_type_of_tomorrow'] },
  { types: ['a_type_of_tomorrow', 'run', 'tool'] },
])('the types of an outline are those that its answer names: $types', async ({ types }) => {
  const columns = { id: ['a', 'b', 'c'], depth: [0, 1, 1], name: [-1, -1, -1], flags: [0, 1, 16] }
  answer({
    outline: {
      names: [],
      types,
      skeleton: {
        ...columns,
        type: [0, 1, 2],
        start: [],
        duration: [],
        firstToken: [],
        tokens: [],
      },
    },
  })
  const outline = await stepwell.api.getOutline({ threadId: 't' })
  expect(outline?.steps.map(({ type }) => type)).toEqual(types)
  expect(outline?.steps.map(({ hasFailed }) => hasFailed)).toEqual([false, true, false])
  expect(outline).not.toHaveProperty('types')
  // Of a service that sends no costs yet.
  expect(outline?.steps.map(({ cost, isUnpriced }) => [cost, isUnpriced])).toEqual(
    Array(3).fill([null, false]),
  )
})

describe('walking', () => {
  test('all() reads one page ahead, and stops where the list ends', async () => {
    answer(page(['a', 'b'], 'cursor-1'))
    answer(page(['c'], null), { first: 100, after: 'cursor-1', totalCount: false })
    const seen: string[] = []
    for await (const { id } of stepwell.api.getScores.all()) seen.push(id)
    expect(seen).toEqual(['a', 'b', 'c'])
  })

  test('all() keeps walking when a page is empty', async () => {
    answer(page([], 'cursor-1'))
    answer(page(['a'], null))
    const seen: string[] = []
    for await (const { id } of stepwell.api.get_scores.all({})) seen.push(id)
    expect(seen).toEqual(['a'])
  })

  test('a failed page throws when the walk reaches it, not before', async () => {
    answer(page(['a'], 'cursor-1'))
    nock(URL_).post('/api/graphql').reply(500, 'gone')
    const scores = stepwell.api.getScores.all()
    expect((await scores.next()).value).toMatchObject({ id: 'a' })
    await expect(scores.next()).rejects.toMatchObject({ status: 500, retryable: true })
  })
})

describe('failures read clearly', () => {
  const failing = () => stepwell.api.getStep('s').catch((error: unknown) => error)

  test.each([
    [
      401,
      { errors: [{ message: 'no such key', extensions: { code: 'UNAUTHENTICATED' } }] },
      'UNAUTHENTICATED',
      false,
    ],
    [
      200,
      { errors: [{ message: 'field: wrong', extensions: { code: 'INVALID_ARGUMENT' } }] },
      'INVALID_ARGUMENT',
      false,
    ],
    [429, { errors: [{ message: 'slow down' }] }, 'RATE_LIMITED', true],
    [503, 'upstream gone', 'UNAVAILABLE', true],
    [408, 'request time-out', 'UNAVAILABLE', true],
    [425, 'too early', 'UNAVAILABLE', true],
    [500, '<html>oops</html>', 'INTERNAL', true],
    [404, 'not here', 'NETWORK', false],
    [404, { message: 'no route' }, 'NETWORK', false],
    [
      404,
      { errors: [{ message: 'no such item', extensions: { code: 'NOT_FOUND' } }] },
      'NOT_FOUND',
      false,
    ],
    [200, '<html>a page</html>', 'NETWORK', false],
    [200, '', 'NETWORK', false],
    [200, '{"data": {', 'NETWORK', false],
    [200, '{"data": null}', 'NETWORK', false],
    [200, 'null', 'NETWORK', false],
    [200, '[]', 'NETWORK', false],
    [400, { errors: [null] }, 'BAD_REQUEST', false],
  ])('status %i with %j is %s', async (status, body, code, retryable) => {
    nock(URL_).post('/api/graphql').reply(status, body, { 'x-request-id': 'r-1' })
    const error = await failing()
    expect(StepwellError.is(error)).toBe(true)
    expect(error).toMatchObject({ code, status, requestId: 'r-1', retryable })
  })

  test.each([
    ['2', 2_000],
    [new Date(Date.now() + 3_600_000).toUTCString(), 300_000],
    ['soon', undefined],
  ])(
    'Retry-After: %s is told by the error of a query and of a REST call',
    async (header, waitMs) => {
      nock(URL_)
        .post('/api/graphql')
        .reply(429, { errors: [{}] }, { 'retry-after': header })
      expect(await failing()).toMatchObject({ code: 'RATE_LIMITED', retryAfterMs: waitMs })
      nock(URL_).post('/api/my-project').reply(503, 'a page', { 'retry-after': header })
      await expect(stepwell.api.getProjectId()).rejects.toMatchObject({ retryAfterMs: waitMs })
    },
  )

  test('a missing answer is TIMEOUT', async () => {
    nock(URL_).post('/api/graphql').delay(2_000).reply(200, {})
    expect(await failing()).toMatchObject({ code: 'TIMEOUT', retryable: true, status: undefined })
    nock.abortPendingRequests()
  })

  test('a refused connection is NETWORK', async () => {
    nock(URL_).post('/api/graphql').replyWithError(new Error('connect ECONNREFUSED'))
    expect(await failing()).toMatchObject({
      code: 'NETWORK',
      retryable: true,
      message: expect.stringContaining('stepwell.test'),
    })
  })

  test('REST calls fail in the same way', async () => {
    nock(URL_)
      .post('/api/my-project')
      .reply(401, { errors: [{ message: 'no such key', extensions: { code: 'UNAUTHENTICATED' } }] })
    await expect(stepwell.api.getProjectId()).rejects.toMatchObject({
      code: 'UNAUTHENTICATED',
      message: 'no such key',
    })
    nock(URL_).post('/api/my-project').reply(200, {})
    await expect(stepwell.api.getProjectId()).rejects.toThrow('projectId')
    nock(URL_).post('/api/export/dataset').reply(502, 'bad gateway')
    await expect(stepwell.api.getDataset({ id: 'd' })).rejects.toMatchObject({
      code: 'UNAVAILABLE',
    })
  })
})

describe('uploads', () => {
  const sign = (answer: object) => nock(URL_).post('/api/upload/file').reply(200, answer)
  const signedUrl = 'http://bucket.test/read'

  test.each([
    ['nothing', {}],
    ['no url', { post: { fields: { key: 'k' } }, signedUrl }],
    ['no key', { post: { url: 'http://bucket.test/', fields: {} }, signedUrl }],
    ['no signedUrl', { post: { url: 'http://bucket.test/', fields: { key: 'k' } } }],
  ])('an answer with %s to the request for an upload URL is an error', async (_, response) => {
    sign(response)
    await expect(stepwell.api.uploadFile({ content: 'x' })).rejects.toThrow(
      'invalid response to the request for an upload URL',
    )
  })

  test('a signing request that fails is an error', async () => {
    nock(URL_).post('/api/upload/file').reply(500, {})
    await expect(stepwell.api.createAttachment({ content: 'x' })).rejects.toMatchObject({
      status: 500,
    })
  })

  test('a failed upload returns nulls', async () => {
    sign({ post: { url: 'http://bucket.test/up', fields: { key: 'k' } }, signedUrl })
    nock('http://bucket.test').post('/up').reply(403, 'no')
    expect(await stepwell.api.uploadFile({ content: 'x' })).toEqual({ objectKey: null, url: null })
    sign({ post: { url: 'http://bucket.test/up', fields: { key: 'k' } }, signedUrl })
    nock('http://bucket.test').post('/up').replyWithError(new Error('reset'))
    expect(await stepwell.api.upload_file({ content: 'x' })).toEqual({
      object_key: null,
      url: null,
    })
    sign({ post: { url: 'http://bucket.test/up', fields: { key: 'k' } }, signedUrl })
    nock('http://bucket.test').post('/up').reply(302, '', { location: 'http://bucket.test/login' })
    nock('http://bucket.test').get('/login').optionally().reply(200, 'who are you?')
    expect(await stepwell.api.uploadFile({ content: 'x' })).toEqual({ objectKey: null, url: null })
    sign({ post: { url: 'http://bucket.test/up', fields: { key: 'k' } }, signedUrl })
    nock('http://bucket.test').post('/up').reply(500)
    expect(await stepwell.api.createAttachment({ content: 'x', stepId: 's' })).toMatchObject({
      objectKey: null,
      url: null,
    })
  })

  test('post sends a form with the fields first, and no API key', async () => {
    sign({
      post: {
        url: 'http://bucket.test/up',
        fields: { key: 'k', policy: 'p' },
        headers: { 'x-extra': '1' },
        uploadType: 'multipart',
      },
      signedUrl,
    })
    nock('http://bucket.test', {
      badheaders: ['x-api-key', 'x-env'],
      reqheaders: { 'x-extra': '1', 'content-type': /multipart\/form-data/ },
    })
      .post('/up', (body: string) =>
        /name="key"[\s\S]*k[\s\S]*name="policy"[\s\S]*name="file"; filename="the-id"[\s\S]*text\/plain[\s\S]*hello/.test(
          body,
        ),
      )
      .reply(204)
    expect(
      await stepwell.api.uploadFile({ content: 'hello', id: 'the-id', mime: 'text/plain' }),
    ).toEqual({ objectKey: 'k', url: signedUrl })
  })

  test('put and raw sends the bare content', async () => {
    sign({
      put: {
        url: 'http://bucket.test/put',
        fields: { key: 'k' },
        headers: { 'content-type': 'image/png' },
        uploadType: 'raw',
      },
      signedUrl,
    })
    nock('http://bucket.test', { reqheaders: { 'content-type': 'image/png' } })
      .put('/put', 'bytes')
      .reply(200)
    expect(await stepwell.api.uploadFile({ content: Buffer.from('bytes') })).toEqual({
      objectKey: 'k',
      url: signedUrl,
    })
  })

  test('chunks of a stream are sent as bytes, whichever view or text they are', async () => {
    sign({
      put: { url: 'http://bucket.test/put', fields: { key: 'k' }, headers: {}, uploadType: 'raw' },
      signedUrl,
    })
    nock('http://bucket.test').put('/put', 'bytes of é').reply(200)
    const { buffer } = new TextEncoder().encode('xtes')
    const content = new ReadableStream<unknown>({
      start: (controller) => {
        for (const chunk of ['by', new DataView(buffer, 1), new ArrayBuffer(0), ' of é'])
          controller.enqueue(chunk)
        controller.close()
      },
    })
    expect(
      await stepwell.api.uploadFile({ content: content as ReadableStream<Uint8Array> }),
    ).toEqual({ objectKey: 'k', url: signedUrl })
  })

  test('a stream that was sent, or that somebody reads, is rejected, and one that is empty is sent', async () => {
    const webStream = (...chunks: string[]) =>
      new ReadableStream<Uint8Array>({
        start: (controller) => {
          for (const chunk of chunks) controller.enqueue(new TextEncoder().encode(chunk))
          controller.close()
        },
      })
    const put = { url: 'http://bucket.test/put', fields: { key: 'k' }, headers: {} }
    const send = (content: Content) => {
      sign({ put: { ...put, uploadType: 'raw' }, signedUrl })
      return stepwell.api.uploadFile({ content })
    }
    for (const content of [webStream('ab'), Readable.from([Buffer.from('ab')])]) {
      nock('http://bucket.test').put('/put', 'ab').reply(200)
      await send(content)
      await expect(send(content)).rejects.toMatchObject({
        code: 'INVALID_ARGUMENT',
        message: expect.stringContaining('content: expected a stream to read'),
      })
      nock.cleanAll()
    }
    const held = webStream('ab')
    held.getReader()
    await expect(send(held)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    nock.cleanAll()
    for (const content of [webStream(), Readable.from([])]) {
      nock('http://bucket.test').put('/put', '').reply(200)
      await send(content)
    }
  })

  test.each([
    [{ a: 1 }, 'object'],
    [7, 'number'],
    [null, 'null'],
  ])(
    'a stream with the chunk %j is refused by its name, in a form and alone',
    async (chunk, type) => {
      let ended = 0
      async function* content() {
        try {
          yield 'text' as unknown as Uint8Array
          yield chunk as unknown as Uint8Array
        } finally {
          ended++
        }
      }
      for (const target of [
        { put: { url: 'http://bucket.test/up', fields: { key: 'k' }, uploadType: 'raw' } },
        { post: { url: 'http://bucket.test/up', fields: { key: 'k' } } },
      ]) {
        sign({ ...target, signedUrl })
        nock('http://bucket.test')
          .intercept('/up', 'put' in target ? 'PUT' : 'POST')
          .reply(200)
        await expect(stepwell.api.uploadFile({ content: content() })).rejects.toMatchObject({
          code: 'INVALID_ARGUMENT',
          message: `content: expected a stream of bytes or strings, got a chunk of type ${type}`,
        })
        nock.cleanAll()
      }
      expect(ended).toBe(2)
    },
  )

  test('a stream is ended when its upload fails, and may fail before it is read', async () => {
    nock(URL_).post('/api/upload/file').reply(500, {})
    const stream = Readable.from(['x'])
    await expect(stepwell.api.uploadFile({ content: stream })).rejects.toMatchObject({
      status: 500,
    })
    expect(stream.destroyed).toBe(true)
    nock(URL_)
      .post('/api/upload/file')
      .delay(50)
      .reply(200, { post: { url: 'http://bucket.test/up', fields: { key: 'k' } }, signedUrl })
    nock('http://bucket.test').post('/up').optionally().reply(200)
    await expect(
      stepwell.api.uploadFile({ content: createReadStream('/no/such/file') }),
    ).rejects.toMatchObject({ code: 'ENOENT' })
    nock.cleanAll()
  })

  test('an error that the content throws while it is read reaches the caller', async () => {
    sign({ post: { url: 'http://bucket.test/up', fields: { key: 'k' } }, signedUrl })
    nock('http://bucket.test').post('/up').optionally().reply(200)
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield new Uint8Array([1])
      throw new Error('the disk is gone')
    }
    await expect(stepwell.api.uploadFile({ content: broken() })).rejects.toThrow('the disk is gone')
    nock.cleanAll()
  })
})

test('invalid options of a client are rejected with what was expected', () => {
  expect(() => new StepwellClient({ apiKey: 'k', apiUrl: 'nowhere' })).toThrow('apiUrl: expected')
  expect(() => new StepwellClient({ apiKey: 'k', timeoutMs: Number.POSITIVE_INFINITY })).toThrow(
    'timeoutMs: expected',
  )
})

test.each([
  ['disabled', 'no', 'disabled: expected true or false'],
  ['onReport', 5, 'onReport: expected a function, got number'],
])(
  '%s: %j is rejected by each client, as it would have no effect that is meant',
  (name, value, expected) => {
    const options = { apiKey: 'k', [name]: value } as object
    expect(() => new StepwellClient(options)).toThrow(expected)
    expect(() => new Tracer(options)).toThrow(expected)
    expect(() => createApi(options)).toThrow(expected)
  },
)

test('neither the key nor the password of a URL is in any message', () => {
  const messageOf = (options: object) => {
    try {
      new StepwellClient({ apiKey: 'k', ...options })
    } catch (error) {
      return String(error)
    }
    return ''
  }
  for (const options of [
    { apiKey: 'sec\nret' },
    { apiUrl: 'http://user:secret@host' },
    { apiUrl: 'secret' },
  ]) {
    expect(messageOf(options)).toContain('expected')
    expect(messageOf(options)).not.toMatch(/sec\s?ret/)
  }
})

test('a redirect is not followed, as it would send the key to another host', async () => {
  nock(URL_).post('/api/graphql').reply(307, '', { location: 'http://elsewhere.test/api/graphql' })
  await expect(stepwell.api.getStep('s')).rejects.toThrow('redirects to http://elsewhere.test')
  nock(URL_).post('/api/my-project').reply(302, '', { location: '/login' })
  await expect(stepwell.api.getProjectId()).rejects.toMatchObject({
    code: 'NETWORK',
    retryable: false,
    message: `${URL_} redirects to ${URL_}/login; name that as apiUrl if it is the service`,
  })
  nock(URL_).post('/api/graphql').reply(308, '', { location: '/stepwell/api/graphql' })
  await expect(stepwell.api.getStep('s')).rejects.toThrow(`redirects to ${URL_}/stepwell;`)
})

test('a fetch that ignores signals is timed out all the same', async () => {
  const deaf = new StepwellClient({
    apiKey: 'k',
    timeoutMs: 50,
    fetch: () => new Promise(() => {}),
  })
  await expect(deaf.api.getStep('s')).rejects.toMatchObject({ code: 'TIMEOUT' })
  await expect(deaf.api.getProjectId()).rejects.toMatchObject({ code: 'TIMEOUT' })
})

test("a value that JSON cannot hold, and an invalid document, are the caller's mistake", async () => {
  await expect(stepwell.api.createThread({ metadata: { a: 1n } })).rejects.toMatchObject({
    code: 'INVALID_ARGUMENT',
  })
  const cycle: Record<string, unknown> = {}
  cycle.self = cycle
  await expect(stepwell.api.sendSteps([{ id: 's', input: cycle }])).rejects.toMatchObject({
    code: 'INVALID_ARGUMENT',
  })
  for (const document of ['nonsense {', 'fragment OfAStep on Step { id }'])
    await expect(stepwell.api.getPromptWithQuery(document)).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    })
})

test('a disabled client sends no steps and needs no key', async () => {
  const disabled = new StepwellClient({ disabled: true, apiUrl: URL_ })
  expect((await disabled.api.sendSteps([{ id: 's' }])).data.ingestSteps).toMatchObject({
    ok: true,
    accepted: 0,
  })
})
