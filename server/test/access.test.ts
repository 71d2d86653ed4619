import { createService, type Service } from '@stepwell/server'
import { buildSchema, getNamedType, isObjectType } from 'graphql'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { eventually } from '../../test/support/eventually.js'
import { scopesFor } from '../src/graphql/engine/access.js'
import { SCOPES, type Scope } from '../src/kernel/scopes.js'
import { post } from './support/ask.js'
import { documentOf, roots, selectionOf } from './support/documents.js'

// The permissions of every kind of key, on every root field of the schema and every route. New ones are included
// automatically.
const ROUTES: Record<string, readonly Scope[]> = {
  '/api/my-project': ['ingest', 'read', 'write', 'admin'],
  '/api/models/call': ['write'],
  '/api/export/dataset': ['read'],
  '/api/export/:name': ['read'],
  '/api/upload/file': ['ingest', 'write'],
  '/mcp': ['read'],
  '/v1/traces': ['ingest', 'write'],
  '/v1/logs': ['ingest', 'write'],
}

let service: Service
const keys: Record<string, string> = {}
const keyOf = async (project: string, options: Record<string, string>): Promise<string> => {
  const { rows } = await service.operate({
    noun: 'key',
    verb: 'create',
    options: { project, ...options },
  })
  return rows[0]?.key ?? ''
}
beforeAll(async () => {
  service = await createService()
  const { projectId } = await service.createProject('mine')
  for (const scope of SCOPES) keys[scope] = await keyOf(projectId, { scopes: scope })
  keys['read and ingest'] = await keyOf(projectId, { scopes: 'read,ingest' })
  keys.revoked = await keyOf(projectId, { name: 'gone' })
  const { rows } = await service.operate({
    noun: 'key',
    verb: 'list',
    options: { project: projectId },
  })
  const id = rows.find(({ name }) => name === 'gone')?.id
  await service.operate({
    noun: 'key',
    verb: 'revoke',
    subject: id,
    options: { project: projectId },
  })
  vi.useFakeTimers({ now: Date.now() - 3_600_000 * 48, toFake: ['Date'] })
  keys.expired = await keyOf(projectId, { expires: '1d' })
  vi.useRealTimers()
  keys.unknown = 'lsk_nobody'
})
afterAll(() => service?.close())

const shortOf = ({ field }: (typeof roots)[number]) =>
  isObjectType(getNamedType(field.type)) ? '{ __typename }' : ''
const ask = (key: string | undefined, path: string, body: unknown) =>
  post(service, path, body, key === undefined ? {} : { 'x-api-key': key })
const codeOf = ({ body }: { body: { errors?: { extensions?: { code?: string } }[] } }) =>
  body.errors?.[0]?.extensions?.code

describe.each(roots.map((root) => [`${root.operation} ${root.field.name}`, root] as const))(
  '%s',
  (_, root) => {
    test('is refused without a key, and with one that is unknown, revoked or expired', async () => {
      for (const key of [undefined, keys.unknown, keys.revoked, keys.expired]) {
        const answer = await ask(key, '/api/graphql', { query: documentOf(root, shortOf(root)) })
        expect(answer.status).toBe(401)
        expect(codeOf(answer)).toBe('UNAUTHENTICATED')
        expect(answer.body.data).toBeUndefined()
      }
    })

    test('is executed for keys with enough scopes, and otherwise rejected before any of it is executed', async () => {
      const enough = scopesFor(root.operation, root.field.name)
      for (const scope of SCOPES) {
        const answer = await ask(keys[scope], '/api/graphql', {
          query: documentOf(root, shortOf(root)),
        })
        if (scope === 'admin' || enough.includes(scope))
          expect(codeOf(answer)).not.toBe('FORBIDDEN')
        else {
          expect(answer.status, scope).toBe(403)
          expect(codeOf(answer)).toBe('FORBIDDEN')
          expect(answer.body.data).toBeUndefined()
        }
      }
    })

    test('requires the same scopes with all fields below it', async () => {
      const enough = scopesFor(root.operation, root.field.name)
      const query = documentOf(root, selectionOf(root.field.type, 2))
      for (const scope of SCOPES) {
        const { status } = await ask(keys[scope], '/api/graphql', { query })
        const mayAsk = scope === 'admin' || enough.includes(scope)
        // The field's own test covers keys that may only record.
        if (scope !== 'ingest' || !mayAsk) expect(status === 403, scope).toBe(!mayAsk)
      }
    })
  },
)

test('a new field is open to nobody until the schema gives it scopes', () => {
  for (const operation of ['query', 'mutation'] as const)
    for (const field of ['somethingNew', 'constructor'])
      expect(() => scopesFor(operation, field)).toThrow('says no scope')
})

test('generation fails for a root field without a scope', async () => {
  // @ts-expect-error: plugins of the generator are JavaScript
  const { plugin } = await import('../../scripts/codegen/scopes.js')
  const schemaOf = (field: string) =>
    buildSchema(`directive @scope(any: [KeyScope!]!) on FIELD_DEFINITION enum KeyScope { read }
      type Query { old: Int @scope(any: [read]) } extend type Query { ${field} }`)
  expect(() => plugin(schemaOf('new: Int'))).toThrow('Query.new needs @scope')
  expect(plugin(schemaOf('new: Int @scope(any: [read])'))).toContain("new: ['read']")
})

test('the schema has scopes for every root field', () => {
  for (const { operation, field } of roots)
    expect(scopesFor(operation, field.name).length, field.name).toBeGreaterThan(0)
})

test('fragments and aliases hide no field from the check', async () => {
  for (const query of [
    'mutation { other: deleteStep(id: "x") { id } }',
    'mutation { ...F } fragment F on Mutation { ...G } fragment G on Mutation { deleteStep(id: "x") { id } }',
    'mutation { ... on Mutation { deleteStep(id: "x") { id } } }',
    'mutation { ingestStep(id: "kept?") { ok } deleteStep(id: "x") { id } }',
    'mutation($s: Boolean = false) { deleteStep(id: "x") @include(if: $s) { id } }',
  ])
    expect(codeOf(await ask(keys['read and ingest'], '/api/graphql', { query })), query).toBe(
      'FORBIDDEN',
    )
  // A refused request has no effect at all.
  const { body } = await ask(keys.read, '/api/graphql', { query: '{ step(id: "kept?") { id } }' })
  expect(body.data.step).toBeNull()
})

test('a key with two scopes may use the fields of both', async () => {
  const key = keys['read and ingest']
  const query = 'mutation { ingestStep(id: "two") { ok } }'
  expect((await ask(key, '/api/graphql', { query })).body.data.ingestStep.ok).toBe(true)
  expect(
    (await ask(key, '/api/graphql', { query: '{ step(id: "two") { id } }' })).body.data.step.id,
  ).toBe('two')
})

test('routes check keys and scopes as fields do', async () => {
  for (const [path, enough] of Object.entries(ROUTES)) {
    for (const key of [undefined, keys.unknown, keys.revoked, keys.expired])
      expect((await ask(key, path, { name: 'x' })).status, path).toBe(401)
    for (const scope of SCOPES) {
      const { status } = await ask(keys[scope], path, { name: 'x', fileName: 'x' })
      expect(status === 403, `${path} with ${scope}`).toBe(
        scope !== 'admin' && !enough.includes(scope),
      )
    }
  }
})

test('every route of the service is listed in this file', async () => {
  const { createApp } = await import('../src/http/app.js')
  const { app } = createApp({
    limits: {},
    gauges: { register: () => undefined },
    watching: {},
    corsOrigins: [],
    ui: {},
    domain: { alertEvaluator: {}, alertCalls: {} },
  } as never)
  const paths = new Set(app.routes.filter(({ path }) => path !== '/*').map(({ path }) => path))
  expect([...paths].sort()).toEqual(
    [
      ...Object.keys(ROUTES),
      '/api/graphql',
      '/api/operator',
      // Tells command-line programs where things are, and nothing about a project.
      '/',
      // The routes of the web UI have tests of their own.
      '/api/sessions',
      '/api/sign-in',
      '/api/sign-out',
      '/assets/*',
      '/files/*',
      '/healthz',
      '/metrics',
      '/readyz',
      // Says that metrics are not stored, and looks at nothing.
      '/v1/metrics',
    ].sort(),
  )
})

test('the operator’s endpoint opens only to its token', async () => {
  const command = { noun: 'project', verb: 'list', options: {} }
  for (const token of ['', 'wrong', keys.admin ?? ''])
    expect(
      (await post(service, '/api/operator', command, { 'x-operator-token': token })).status,
    ).toBe(401)
  expect(
    (await post(service, '/api/operator', command, { 'x-api-key': keys.admin ?? '' })).status,
  ).toBe(401)
  const { status, body } = await post(service, '/api/operator', command, {
    'x-operator-token': service.operatorToken,
  })
  expect(status).toBe(200)
  expect(body.rows.map(({ name }: { name: string }) => name)).toContain('mine')
})

test('metrics are for admins, and count answers', async () => {
  const read = async (key: string) => {
    const response = await service.fetch('http://stepwell.test/metrics', {
      headers: { 'x-api-key': key },
    })
    return { status: response.status, text: await response.text() }
  }
  for (const scope of ['ingest', 'read', 'write'])
    expect((await read(keys[scope] ?? '')).status).toBe(403)
  const { status, text } = await read(keys.admin ?? '')
  expect(status).toBe(200)
  expect(text).toMatch(/stepwell_requests_total\{route="\/api\/graphql",status="403"\} \d+/)
  expect(text).toMatch(/stepwell_request_duration_seconds_count\{route="\/api\/graphql"\} \d+/)
})

test('a revoked key opens nothing any more, and lists show it as revoked', async () => {
  const { projectId, apiKey } = await service.createProject('short')
  expect((await ask(apiKey, '/api/my-project', {})).status).toBe(200)
  const list = () => service.operate({ noun: 'key', verb: 'list', options: { project: projectId } })
  await eventually(async () => expect((await list()).rows[0]?.['last used']).not.toBe(''))
  const [row] = (await list()).rows
  expect(row?.key).toBe(`${apiKey.slice(0, 10)}…`)
  await service.operate({
    noun: 'key',
    verb: 'revoke',
    subject: row?.id,
    options: { project: projectId },
  })
  expect((await ask(apiKey, '/api/my-project', {})).status).toBe(401)
  expect((await list()).rows[0]?.revoked).not.toBe('')
  await expect(
    service.operate({
      noun: 'key',
      verb: 'revoke',
      subject: row?.id,
      options: { project: projectId },
    }),
  ).rejects.toThrow('no key has the id')
})

test.each([
  ['/api/graphql', '{ "query": "mutation { createThread(name: \\"late\\") { id } }" }'],
  ['/v1/traces', '{ "resourceSpans": [] }'],
  ['/api/my-project', '{}'],
])('a body to %s whose key is revoked while it arrives opens nothing', async (path, text) => {
  const { projectId, apiKey } = await service.createProject(`slow ${path}`)
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>(undefined, undefined, {
    highWaterMark: 0,
  })
  const writer = writable.getWriter()
  const answer = service.fetch(`http://x${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
    body: readable,
    duplex: 'half',
  } as RequestInit)
  const half = new TextEncoder().encode(text)
  // Read once the key was found to be valid.
  await writer.write(half.slice(0, 2))
  const { rows } = await service.operate({
    noun: 'key',
    verb: 'list',
    options: { project: projectId },
  })
  await service.operate({
    noun: 'key',
    verb: 'revoke',
    subject: rows[0]?.id,
    options: { project: projectId },
  })
  await writer.write(half.slice(2))
  await writer.close()
  const { status } = await answer
  expect(status).toBe(401)
  const other = await keyOf(projectId, { name: 'other' })
  const { body } = await ask(other, '/api/graphql', { query: '{ threads { totalCount } }' })
  expect(body.data.threads.totalCount).toBe(0)
})

test('deleting a project deletes everything in it, and nothing of others', async () => {
  const gone = await service.createProject('gone')
  const other = await service.createProject('other')
  const query = 'mutation { ingestStep(id: "s", threadId: "t", participantId: "x") { ok } }'
  for (const { apiKey } of [gone, other])
    await ask(apiKey, '/api/graphql', { query: query.replace(', participantId: "x"', '') })
  await service.operate({ noun: 'project', verb: 'delete', subject: gone.projectId, options: {} })
  await eventually(async () =>
    expect((await ask(gone.apiKey, '/api/my-project', {})).status).toBe(401),
  )
  const { body } = await ask(other.apiKey, '/api/graphql', {
    query: '{ threadDetail(id: "t") { steps { id } } }',
  })
  expect(body.data.threadDetail.steps).toEqual([{ id: 's' }])
})

test.each([
  [{ noun: 'key', verb: 'create', options: { scopes: 'root' } }, 'scopes: expected some of'],
  [
    { noun: 'key', verb: 'create', options: { project: 'nobody' } },
    'no project has the id "nobody"',
  ],
  [{ noun: 'key', verb: 'create', options: { project: 'mine', expires: 'soon' } }, '--expires'],
  [
    { noun: 'key', verb: 'create', options: { project: 'mine', name: ' ' } },
    'name: expected a name',
  ],
  [
    { noun: 'key', verb: 'create', options: { project: 'mine', name: 'x'.repeat(201) } },
    'name: expected at most 200 characters, got 201',
  ],
  [{ noun: 'key', verb: 'create', options: {} }, '--project: expected'],
  [{ noun: 'project', verb: 'create', options: {} }, 'expected a name'],
  [{ noun: 'project', verb: 'paint', options: {} }, 'there is no command'],
])('%j is rejected with a message', async (command, message) => {
  const given =
    'project' in command.options || !('scopes' in command.options)
      ? command
      : { ...command, options: { ...command.options, project: 'mine' } }
  await expect(service.operate(given)).rejects.toThrow(message)
})

test('a second project of one name is refused, also when both are made at once', async () => {
  const outcomes = await Promise.allSettled(
    ['twice', 'twice', ' twice '].map((name) => service.createProject(name)),
  )
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  await expect(service.createProject('twice')).rejects.toMatchObject({
    code: 'INVALID_ARGUMENT',
    message: 'name: a project is called "twice" already; expected another name',
  })
})
