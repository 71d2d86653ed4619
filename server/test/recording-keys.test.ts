import { createService, type Service } from '@stepwell/server'
import { getNamedType, isNonNullType, isObjectType } from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { StepwellClient } from '../../src/index.js'
import { FIELD_SCOPES } from '../generated/scopes.js'
import { type Ask, asker, post } from './support/ask.js'
import { documentOf, type Root, roots, schema, selectionOf } from './support/documents.js'

// A key that may only record learns nothing that is stored, whatever it selects: every mutation that it may send, with
// everything below, on ids that are taken and on ids that are free. New parts of the schema are included automatically.
const ID = 'shared'
const SECRET = 'a secret'
const scopes = FIELD_SCOPES as unknown as Record<string, Record<string, readonly string[]>>
const isRefused = (type: string, field: string) => scopes[type]?.[field] !== undefined
const recordings = roots.filter(
  ({ operation, field }) =>
    operation === 'mutation' && scopes.Mutation?.[field.name]?.includes('ingest'),
)

let service: Service
let owner: Ask
/** Of a project that has everything, and of an empty one. */
const keys = { full: '', empty: '' }

const recordingKey = async (project: string): Promise<string> =>
  (
    await service.operate({
      noun: 'key',
      verb: 'create',
      options: { project, scopes: 'ingest' },
    })
  ).rows[0]?.key ?? ''

const fill = (ask: Ask) =>
  ask(
    `mutation($secret: String!, $json: Json) {
      thread: upsertThread(id: "${ID}", name: $secret, metadata: $json, tags: [$secret], participantId: $secret,
        environment: "staging") { id }
      steps: ingestSteps(steps: [
        { id: "${ID}", threadId: "${ID}", name: $secret, type: run, input: $json, output: $json, metadata: $json,
          error: $secret, tags: [$secret], environment: "staging", startTime: "2020-01-02T03:04:05Z",
          generation: { type: CHAT, model: $secret, messages: $json, messageCompletion: $json, provider: $secret },
          scores: [{ id: "${ID}", name: $secret, type: AI, value: 1, comment: $secret }],
          attachments: [{ id: "${ID}", name: $secret, url: $secret, metadata: $json }] }
      ]) { ok }
    }`,
    { secret: SECRET, json: { secret: SECRET } },
  )

beforeAll(async () => {
  service = await createService()
  for (const name of ['full', 'empty'] as const) {
    const { projectId, apiKey } = await service.createProject(name)
    keys[name] = await recordingKey(projectId)
    if (name === 'full') {
      owner = asker(service, apiKey)
      await fill(owner)
    }
  }
})
afterAll(() => service?.close())

const ask = (key: string, query: string) =>
  post(service, '/api/graphql', { query }, { 'x-api-key': key })

/** Removes the parts of an answer that differ each time. */
const comparable = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value)
      .replace(/"\d{4}-\d\d-\d\dT[\d:.]+Z"/g, '"a moment"')
      .replace(/"[0-9a-f]{8}-[0-9a-f-]{27}"/g, '"an id"'),
  )

test('there are mutations to try', () => {
  expect(recordings.map(({ field }) => field.name)).toContain('upsertThread')
})

describe.each(recordings.map((root) => [root.field.name, root] as const))('%s', (_, root: Root) => {
  const everything = selectionOf(root.field.type, 3, isRefused)
  const document = documentOf(root, everything, { text: ID, isFull: true })

  test('reveals nothing that is stored, with any selection, and returns no error', async () => {
    const { body } = await ask(keys.full, document)
    expect(body.errors).toBeUndefined()
    expect(JSON.stringify(body)).not.toContain(SECRET)
    expect(JSON.stringify(body)).not.toContain('2020-01-02')
    expect(JSON.stringify(body)).not.toContain('staging')
    await fill(owner)
  })

  test('answers alike for ids that are taken and ids that are free', async () => {
    const full = await ask(keys.full, document)
    const empty = await ask(keys.empty, document)
    expect(comparable(full.body)).toEqual(comparable(empty.body))
    await fill(owner)
  })

  test('is rejected, before anything is executed, when its selection needs stored data', async () => {
    const type = getNamedType(root.field.type)
    if (!isObjectType(type)) return
    for (const [field, enough] of Object.entries(scopes[type.name] ?? {})) {
      const definition = type.getFields()[field]
      if (definition === undefined) throw new Error(`${type.name}.${field} is not there`)
      const selected = `${field} ${selectionOf(definition.type, 1, isRefused)}`
      for (const selection of [
        `{ ${selected} }`,
        `{ ... on ${type.name} { other: ${selected} } }`,
      ]) {
        const { status, body } = await ask(
          keys.full,
          documentOf(root, selection, { text: 'refused', isFull: true }),
        )
        expect(status, field).toBe(403)
        expect(body.errors[0].message).toContain(
          `${type.name}.${field} needs a key with the scope ${enough.join(' or ')}`,
        )
      }
    }
    const { threadDetail, step } = await owner(
      '{ threadDetail(id: "refused") { id } step(id: "refused") { id } }',
    )
    expect([threadDetail, step]).toEqual([null, null])
  })
})

test('the fields rejected below a mutation are those that cannot be null', () => {
  for (const [typeName, fields] of Object.entries(scopes)) {
    const type = schema.getType(typeName)
    if (typeName === 'Query' || typeName === 'Mutation' || !isObjectType(type)) continue
    for (const field of Object.keys(fields))
      expect(isNonNullType(type.getFields()[field]?.type), `${typeName}.${field}`).toBe(true)
  }
})

test('a thread’s environment is returned when the request named it, and never the stored one', async () => {
  const environment = async (id: string, said: string) =>
    (await ask(keys.full, `mutation { upsertThread(id: "${id}"${said}) { environment } }`)).body
      .data.upsertThread.environment
  await fill(owner)
  for (const id of [ID, 'fresh']) {
    expect(await environment(id, ''), id).toBeNull()
    expect(await environment(id, ', environment: ""'), id).toBeNull()
    expect(await environment(id, ', environment: "dev"'), id).toBe('dev')
  }
  await fill(owner)
})

test('a fragment hides no part of the selection', async () => {
  const { status } = await ask(
    keys.full,
    `mutation { upsertThread(id: "${ID}") { ...F } } fragment F on Thread { ...G } fragment G on Thread { steps { id } }`,
  )
  expect(status).toBe(403)
})

test('mutations that return a stored record to other keys still do', async () => {
  const { upsertThread } = await owner(
    `mutation { upsertThread(id: "${ID}") { name participant { identifier } steps { id } } }`,
  )
  expect(upsertThread).toEqual({
    name: SECRET,
    participant: { identifier: SECRET },
    steps: expect.arrayContaining([{ id: ID }]),
  })
})

describe('uploads', () => {
  const sign = async (key: string, body: object = {}) =>
    (
      await post(
        service,
        '/api/upload/file',
        { fileName: 'f', threadId: 't', contentType: 'text/plain', ...body },
        { 'x-api-key': key },
      )
    ).body
  const send = async (url: string, content: string) => {
    const form = new FormData()
    form.append('file', new Blob([content]), 'f')
    return (await service.fetch(url, { method: 'POST', body: form })).status
  }
  let readerKey: string
  beforeAll(async () => {
    const { rows } = await service.operate({
      noun: 'key',
      verb: 'create',
      options: { project: 'full', scopes: 'read,ingest' },
    })
    readerKey = rows[0]?.key ?? ''
  })

  test('have no URL to read from, and yet all that released clients need', async () => {
    const signed = await sign(keys.full)
    expect(await send(signed.post.url, 'own')).toBe(200)
    expect(signed.signedUrl).toMatch(/^http:\/\/stepwell\.test\/files\//)
    expect((await service.fetch(signed.signedUrl)).status).toBe(403)
    // The signature for writing does not allow reading.
    const turned = signed.post.url.replace('access=write', 'access=read')
    expect((await service.fetch(turned)).status).toBe(403)
    expect((await service.fetch(signed.post.url)).status).toBe(403)
  })

  test('overwrite nothing, neither content nor type, though thread and name are the same', async () => {
    for (const threadId of ['t', undefined]) {
      const first = await sign(readerKey, { threadId })
      expect(await send(first.post.url, 'first')).toBe(200)
      const second = await sign(keys.full, { threadId, contentType: 'text/html' })
      expect(second.post.fields.key).not.toBe(first.post.fields.key)
      expect(await send(second.post.url, 'second')).toBe(200)
      const read = await service.fetch(first.signedUrl)
      expect(await read.text()).toBe('first')
      expect(read.headers.get('content-type')).toContain('text/plain')
    }
  })

  test('of others cannot be opened by an attachment that names their key', async () => {
    const { post: target } = await sign(readerKey)
    const { body } = await ask(
      keys.full,
      `mutation { createAttachment(stepId: "${ID}", name: "n", objectKey: "${target.fields.key}") { objectKey url } }`,
    )
    expect(body.data.createAttachment).toEqual({ objectKey: target.fields.key, url: null })
  })
})

test('the SDK records with such a key, and keys that may read find its files', async () => {
  const reports: unknown[] = []
  const client = new StepwellClient({
    apiKey: keys.full,
    fetch: service.fetch,
    onReport: (report) => reports.push(report),
  })
  const { api } = client
  await client.thread({ id: 'recorded', name: 'chat', participantId: 'ada' }).wrap(() =>
    client.trace('agent', async (step) => {
      step.input = { question: 'why?' }
      step.scores = [{ name: 'quality', type: 'CODE', value: 1 }]
      await api.createAttachment({ content: 'notes', name: 'notes.txt', mime: 'text/plain' })
      return { answer: 'because' }
    }),
  )
  await client.flush()
  expect(reports).toEqual([])
  expect(await api.upsertThread({ threadId: 'recorded', metadata: { a: 1 } })).toMatchObject({
    id: 'recorded',
    metadata: { a: 1 },
    name: null,
    participant: null,
  })
  expect(await api.createStep({ name: 'made', type: 'tool', output: 'x' })).toMatchObject({
    data: { createStep: { name: 'made', type: 'tool', output: { content: 'x' }, scores: [] } },
  })
  expect(
    await api.createGeneration({
      prompt: 'p',
      completion: 'c',
      inputTokenCount: 1,
      outputTokenCount: 2,
    }),
  ).toMatchObject({ type: 'COMPLETION', prompt: 'p', tokenCount: 3 })
  expect(await api.createThread({ name: 'new' })).toMatchObject({ name: 'new' })
  const { threadDetail } = await owner(`{ threadDetail(id: "recorded") {
    name metadata participant { identifier } steps { input scores { name } attachments { name url } } } }`)
  expect(threadDetail).toMatchObject({
    name: 'chat',
    metadata: { a: 1 },
    participant: { identifier: 'ada' },
    steps: [{ input: { question: 'why?' }, scores: [{ name: 'quality' }] }],
  })
  const url = threadDetail.steps[0].attachments[0].url
  expect(await (await service.fetch(url)).text()).toBe('notes')
})
