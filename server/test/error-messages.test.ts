import { afterAll, beforeAll, expect, test } from 'vitest'
import { StepwellClient } from '../../src/index.js'
import { createService, type Listening, listen, type Service } from '../src/index.js'

// Answers of the service to invalid requests: each names the part, and what was expected of it.
let service: Service
let listening: Listening
beforeAll(async () => {
  const limits = { fileBytes: 1000, requestBytes: 200_000 }
  service = await createService({ apiKey: 'k', limits })
  listening = await listen(service, '127.0.0.1', 0)
  const client = new StepwellClient({ apiKey: 'k', apiUrl: listening.url })
  await client.api.createDataset({ name: 'taken' })
  await client.api.createUser('taken')
})
afterAll(async () => {
  await listening?.stop(100)
  await service?.close()
})

interface Provocation {
  path?: string
  method?: string
  body?: string
  headers?: Record<string, string>
}

const json = (value: unknown): Provocation => ({ body: JSON.stringify(value) })
const graphql = (query: string, variables: unknown = {}) => json({ query, variables })
const gzip = { 'content-encoding': 'gzip' }

test.each([
  ['no key', { headers: { 'x-api-key': '' } }, 401, 'x-api-key: expected the API key'],
  [
    'an unknown key',
    { headers: { 'x-api-key': 'x' } },
    401,
    'x-api-key: no project of this service has this API key',
  ],
  ['a wrong path', { path: '/api/nothing' }, 404, 'GraphQL is at /api/graphql'],
  ['metrics over OTLP', { path: '/v1/metrics' }, 404, 'metrics of OpenTelemetry are not stored'],
  ['a wrong method', { method: 'PUT' }, 405, 'method: expected POST for /api/graphql, got PUT'],
  ['no JSON', { body: '{' }, 400, 'body: expected JSON'],
  ['a list', json([]), 400, 'body: expected a JSON object'],
  [
    'what is not compressed',
    { body: 'abc', headers: gzip },
    400,
    'body: the request was cut off, or its compression is invalid',
  ],
  [
    'an unknown encoding',
    { body: 'abc', headers: { 'content-encoding': 'zstd' } },
    400,
    'content-encoding: expected gzip, deflate or none, got "zstd"',
  ],
  ['a large body', { body: 'x'.repeat(300_000) }, 413, 'body: expected at most 200000 bytes'],
  ['no query', json({}), 400, 'query: expected a GraphQL document as a string'],
  ['half a document', graphql('{ steps('), 400, 'Syntax Error: Expected Name, found <EOF>'],
  ['an unknown field', graphql('{ nothing }'), 400, 'Cannot query field "nothing"'],
  [
    'a missing variable',
    graphql('query($id: String!) { step(id: $id) { id } }'),
    400,
    'Variable "$id" of required type "String!" was not provided.',
  ],
  [
    'an unknown environment',
    { headers: { 'x-env': 'moon' } },
    400,
    'x-env: expected one of dev, staging, prod, experiment, got "moon"',
  ],
  [
    'too many rows',
    graphql('{ steps(first: 100000) { totalCount } }'),
    200,
    'first: expected at most 1000, got 100000',
  ],
  [
    'a foreign cursor',
    graphql('{ steps(after: "x") { totalCount } }'),
    200,
    'after: expected a cursor of this list, got "x"',
  ],
  [
    'a score of nothing',
    graphql('mutation { createScore(name: "a", type: HUMAN, value: 1) { id } }'),
    200,
    'stepId, threadId, datasetExperimentItemId: expected one of them, got none',
  ],
  [
    'a dataset of a taken name',
    graphql('mutation { createDataset(name: "taken") { id } }'),
    200,
    'name: a dataset with the name "taken" exists already; expected another name',
  ],
  [
    'a user of a taken identifier',
    graphql('mutation { createParticipant(identifier: "taken") { id } }'),
    200,
    'identifier: a participant with the identifier "taken" exists already; expected another one',
  ],
  [
    'a long path of a filter',
    graphql(
      'query ($path: String) { steps(filters: [{ field: "metadata", operator: "eq", value: "x", path: $path }]) { pageInfo { hasNextPage } } }',
      {
        path: Array(101).fill('a').join('.'),
      },
    ),
    200,
    'filters[0].path: expected at most 100 keys, separated by dots, got 101',
  ],
  [
    'a score that is not there',
    graphql('mutation { updateScore(id: "no", value: 1) { id } }'),
    200,
    'no score has the id "no"',
  ],
  [
    'a dataset to export without a name',
    { path: '/api/export/dataset', ...json({}) },
    400,
    'id, name: expected one of them, got neither',
  ],
  [
    'a file name that is none',
    { path: '/api/upload/file', ...json({ fileName: 5 }) },
    400,
    'fileName: expected a string',
  ],
  [
    'OTLP of another type',
    { path: '/v1/traces', body: 'x', headers: { 'content-type': 'text/plain' } },
    400,
    'content-type: expected application/x-protobuf or application/json, got "text/plain"',
  ],
  [
    'protobuf that is none',
    { path: '/v1/traces', body: 'xx', headers: { 'content-type': 'application/x-protobuf' } },
    400,
    'body: expected an ExportTraceServiceRequest in protobuf',
  ],
  [
    'OTLP without spans',
    { path: '/v1/traces', ...json({ resourceSpans: 5 }) },
    400,
    'resourceSpans: expected a list of objects',
  ],
  [
    'a file without a signature',
    { path: '/files/x/y', method: 'GET' },
    403,
    'signature: expected that of a presigned URL to read this file',
  ],
  [
    'a command without the token',
    { path: '/api/operator', ...json({}) },
    401,
    'x-operator-token: expected that of this service',
  ],
] as [string, Provocation, number, string][])(
  '%s is answered with what was expected',
  async (_, { path = '/api/graphql', method = 'POST', body, headers }, status, text) => {
    const response = await fetch(`${listening.url}${path}`, {
      method,
      headers: { 'content-type': 'application/json', 'x-api-key': 'k', ...headers },
      ...(method === 'GET' ? {} : { body: body ?? '{"query":"{ __typename }"}' }),
    })
    const answer = (await response.json()) as { errors: { message: string }[] }
    expect(answer.errors[0]?.message).toContain(text)
    expect(answer.errors[0]?.message).not.toContain('\n')
    expect(response.status).toBe(status)
  },
)

test('what fails in each row for the same reason is one error, and the rows are answered', async () => {
  const client = new StepwellClient({ apiKey: 'k', apiUrl: listening.url })
  await client.api.sendSteps(
    Array.from({ length: 50 }, (_, index) => ({ id: `cause-${index}`, name: 'cause' })),
  )
  const list =
    'steps(query: "name:cause", first: 50) { edges { node { id inputPreview(chars: 20000) } } }'
  const response = await fetch(`${listening.url}/api/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': 'k' },
    body: JSON.stringify({ query: `{ one: ${list} other: ${list} }` }),
  })
  const { data, errors } = (await response.json()) as {
    data: Record<string, { edges: unknown[] }>
    errors: { message: string; path: unknown[] }[]
  }
  expect(data.one?.edges).toHaveLength(50)
  expect(errors.map(({ path }) => path)).toEqual([
    ['one', 'edges', 0, 'node', 'inputPreview'],
    ['other', 'edges', 0, 'node', 'inputPreview'],
  ])
  expect(errors[0]?.message).toContain('chars: expected')
})

test('a key with an empty name is told something else than one with a long name', async () => {
  const client = new StepwellClient({ apiKey: 'k', apiUrl: listening.url })
  const create = (name: string) => client.api.createApiKey({ name, scopes: ['read'] })
  await expect(create(' ')).rejects.toThrow('name: expected a name, got an empty one')
  await expect(create('x'.repeat(201))).rejects.toThrow(
    'name: expected at most 200 characters, got 201',
  )
})

test('null for the count of a list is as if it was left out', async () => {
  const client = new StepwellClient({ apiKey: 'k', apiUrl: listening.url })
  const { totalCount } = await client.api.getSteps({ totalCount: null })
  expect(totalCount).toBeGreaterThanOrEqual(0)
})

test('an upload that is too large, or not to where it was signed for, is told why', async () => {
  const signed = await fetch(`${listening.url}/api/upload/file`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': 'k' },
    body: JSON.stringify({ fileName: 'a', contentType: 'text/plain', threadId: 't' }),
  })
  const { post } = (await signed.json()) as { post: { url: string; fields: { key: string } } }
  const upload = async (url: string, fields: Record<string, string>) => {
    const form = new FormData()
    for (const [name, value] of Object.entries(fields)) form.append(name, value)
    form.append('file', new Blob(['x'.repeat(5000)]))
    const answer = await fetch(url, { method: 'POST', body: form })
    return ((await answer.json()) as { errors: { message: string }[] }).errors[0]?.message
  }
  expect(await upload(post.url, post.fields)).toBe('file: expected at most 1000 bytes')
  expect(await upload(post.url, { key: 'x' })).toContain(
    'key: expected the object key that the URL',
  )
  expect(await upload(`${post.url.slice(0, -3)}abc`, post.fields)).toContain(
    'signature: expected that of a presigned URL to write this file',
  )
})

test.each([
  [
    'https://127.0.0.1:PORT',
    'no answer from https://127.0.0.1:PORT: wrong version number; it speaks no TLS: name http://127.0.0.1:PORT as apiUrl',
  ],
  ['http://127.0.0.1:PORT/nothing', 'expected apiUrl to be the URL of the service, without a path'],
  ['http://nowhere.invalid', 'no such host is known: check the name in apiUrl'],
])('a client of %s is told what to do', async (url, text) => {
  const { port } = new URL(listening.url)
  const apiUrl = url.replace('PORT', port)
  const client = new StepwellClient({ apiKey: 'k', apiUrl })
  await expect(client.api.getStep('a')).rejects.toThrow(text.replaceAll('PORT', port))
})
