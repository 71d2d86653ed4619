import { createRequire } from 'node:module'
import { Readable } from 'node:stream'
import { createService, type Listening, listen, type Service } from '@stepwell/server'
import { afterAll, beforeAll, expect, test } from 'vitest'

// The first version that is supported. Its types are too old for this compiler.
const { ChatGeneration, LiteralClient, Score } = createRequire(import.meta.url)(
  'literalai-client-0.0.508',
)

let service: Service
let listening: Listening
// biome-ignore lint/suspicious/noExplicitAny: see above
let client: any
// biome-ignore lint/suspicious/noExplicitAny: see above
let api: any
const called = new Set<string>()

const watched = <Target extends object>(target: Target): Target =>
  new Proxy(target, {
    get(_, name) {
      const value = Reflect.get(target, name)
      if (typeof value !== 'function') return value
      called.add(String(name))
      return value.bind(target)
    },
  })

beforeAll(async () => {
  service = await createService({ apiKey: 'first' })
  listening = await listen(service, '127.0.0.1', 0)
  client = new LiteralClient('first', listening.url)
  api = watched(client.api)
})

afterAll(async () => {
  await listening?.stop()
  await service?.close()
})

test('the project id', async () => {
  expect(await api.getProjectId()).toBe(service.projectId)
})

test('threads are written with an environment, in both forms, and keep absent fields', async () => {
  expect(
    await api.upsertThread({
      threadId: 't',
      name: 'one',
      metadata: { a: 1 },
      participantId: 'ada',
      environment: 'staging',
      tags: ['x'],
    }),
  ).toMatchObject({ id: 't', name: 'one', metadata: { a: 1 }, tags: ['x'] })
  expect(await api.upsertThread('t', 'two', null, undefined, 'dev')).toMatchObject({
    name: 'two',
    participant: { identifier: 'ada' },
  })
  expect(await client.thread({ id: 't2', name: 'by object' }).upsert()).toMatchObject({ id: 't2' })
  const filters = [{ field: 'environment', operator: 'eq', value: 'dev' }]
  const page = await api.getThreads({ first: 5, filters })
  expect(page.data.map(({ id }: { id: string }) => id)).toEqual(['t'])
  expect(page.pageInfo).toMatchObject({ hasNextPage: false })
  expect(await api.getThread('t')).toMatchObject({ name: 'two', steps: [] })
  expect(await api.getThread('nobody')).toBeNull()
  expect(await api.deleteThread('t')).toBe('t')
})

test('steps are sent, listed, read and deleted', async () => {
  const thread = client.thread({ id: 't-steps' })
  const run = thread.step({ id: 'run', name: 'r', type: 'run', tags: ['first'], input: { q: 1 } })
  const tool = run.step({ id: 'tool', name: 't', type: 'tool', output: { a: 'ü' }, error: 'no' })
  expect(await api.sendSteps([tool, run])).toEqual({
    data: { step0: { ok: true, message: null }, step1: { ok: true, message: null } },
  })
  expect(await api.getStep('tool')).toMatchObject({
    parentId: 'run',
    threadId: 't-steps',
    output: { a: 'ü' },
    error: 'no',
  })
  const page = await api.getSteps({
    filters: [{ field: 'tags', operator: 'in', value: ['first'] }],
    orderBy: { column: 'createdAt', direction: 'ASC' },
  })
  expect(page.data.map(({ id }: { id: string }) => id)).toEqual(['run'])
  // The client sets the start of each: in the same millisecond, or the run first.
  const { steps } = await api.getThread('t-steps')
  expect(new Set(steps.map(({ id }: { id: string }) => id))).toEqual(new Set(['tool', 'run']))
  expect(await api.deleteStep('tool')).toBe('tool')
  expect(await api.getStep('tool')).toBeNull()
})

test('steps begun by a thread and a run keep their tree', async () => {
  const thread = await client.thread({ id: 't-tree', name: 'tree' }).upsert()
  const run = thread.step({ name: 'outer', id: 'outer', type: 'run', output: { output: 'done' } })
  await run.step({ name: 'inner', type: 'tool', id: 'inner', output: { n: 42 } }).send()
  await run.send()
  expect(await api.getStep('inner')).toMatchObject({ parentId: 'outer', threadId: 't-tree' })
  const { name, steps } = await api.getThread('t-tree')
  expect(name).toBe('tree')
  const outputs = steps.map(({ id, output }: { id: string; output: object }) => [id, output])
  expect(Object.fromEntries(outputs)).toEqual({ inner: { n: 42 }, outer: { output: 'done' } })
})

test('files are uploaded and attached', async () => {
  const { objectKey, url } = await api.uploadFile({
    content: Readable.from(['content']),
    threadId: 't-files',
    mime: 'text/plain',
  })
  expect(await (await fetch(url)).text()).toBe('content')
  await client
    .thread({ id: 't-files' })
    .step({
      id: 'with-file',
      name: 'f',
      type: 'tool',
      attachments: [{ id: 'a', name: 'self', mime: 'text/plain', objectKey, url }],
    })
    .send()
  const [read] = (await api.getStep('with-file')).attachments
  expect(read).toMatchObject({ id: 'a', name: 'self', objectKey })
  expect(read.url.split('X-Amz-Date')[0]).toBe(url.split('X-Amz-Date')[0])
})

test('generations and users', async () => {
  const created = await api.createGeneration(
    new ChatGeneration({
      provider: 'openai',
      model: 'gpt-4',
      messages: [{ role: 'user', content: 'hi' }],
      messageCompletion: { role: 'assistant', content: 'ho' },
    }),
  )
  const page = await api.getGenerations({ first: 1 })
  expect(page.data[0]).toMatchObject({ id: created.id, provider: 'openai', type: 'CHAT' })

  const user = await api.createUser('u1', { plan: 'pro' })
  expect(await api.updateUser(user.id, 'u2', { plan: 'free' })).toMatchObject({ identifier: 'u2' })
  expect(await api.getUser('u2')).toMatchObject({ id: user.id, metadata: { plan: 'free' } })
  expect(await api.getUser('nobody')).toBeFalsy()
  expect(await api.getOrCreateUser('u2')).toBe(user.id)
  const users = (await api.getUsers({ first: 5 })).data
  expect(users.map(({ identifier }: { identifier: string }) => identifier)).toContain('u2')
  expect(await api.deleteUser(user.id)).toBe(user.id)
})

test('scores, single and in a batch', async () => {
  const score = await api.createScore({
    name: 'q',
    type: 'HUMAN',
    value: 0.5,
    stepId: 'run',
    comment: 'c',
    tags: ['t'],
  })
  expect(score).toMatchObject({ value: 0.5, comment: 'c', stepId: 'run' })
  const many = await api.createScores([
    new Score({ name: 'a', type: 'AI', value: 1, stepId: 'run' }),
    new Score({ name: 'b', type: 'AI', value: 0, stepId: 'run' }),
  ])
  expect(many.map(({ name }: { name: string }) => name)).toEqual(['a', 'b'])
  expect(await api.updateScore(score.id, { value: 0 })).toMatchObject({ value: 0, comment: 'c' })
  const { data } = await api.getScores({ first: 3 })
  expect(data.map(({ name }: { name: string }) => name)).toEqual(['b', 'a', 'q'])
  expect(await api.deleteScore(score.id)).toMatchObject({ id: score.id })
})

test('datasets, their items and experiments', async () => {
  const dataset = await api.createDataset({ name: 'd', metadata: { m: 1 } })
  expect(await api.updateDataset(dataset.id, { name: 'e' })).toMatchObject({ name: 'e' })
  const item = await api.createDatasetItem(dataset.id, {
    input: { q: 1 },
    expectedOutput: { a: 1 },
  })
  expect(await api.getDatasetItem(item.id)).toMatchObject({ input: { q: 1 } })
  expect(await api.addStepToDataset(dataset.id, 'outer')).toMatchObject({
    intermediarySteps: [{ name: 'inner' }],
  })
  const generation = await api.createGeneration(
    new ChatGeneration({ messages: [{ role: 'user', content: 'x' }] }),
  )
  const examples = await api.createDataset({ name: 'g', type: 'generation' })
  expect(await api.addGenerationToDataset(examples.id, generation.id)).toMatchObject({
    metadata: { promptType: 'CHAT' },
  })
  expect(await api.addGenerationsToDataset(examples.id, [generation.id])).toHaveLength(1)
  const experiment = await api.createExperiment({
    name: 'x',
    datasetId: dataset.id,
    params: [{ p: 1 }],
  })
  const result = await api.createExperimentItem({
    datasetExperimentId: experiment.id,
    datasetItemId: item.id,
    input: { a: 1 },
    output: { b: 1 },
    scores: [new Score({ name: 'r', type: 'AI', value: 1 })],
  })
  expect(result).toMatchObject({ input: { a: 1 }, output: { b: 1 } })
  expect((await api.getDataset({ id: dataset.id })).items).toHaveLength(2)
  expect(await api.deleteDatasetItem(item.id)).toMatchObject({ id: item.id })
  expect(await api.deleteDataset(dataset.id)).toMatchObject({ id: dataset.id })
  expect(await api.getDataset({ id: dataset.id })).toBeNull()
})

test('prompts and their versions', async () => {
  expect(await api.createPromptLineage('p', 'd')).toMatchObject({ name: 'p' })
  const messages = [{ role: 'user', content: 'Hello {{name}}' }]
  const prompt = await api.getOrCreatePrompt('p', messages, { provider: 'openai', model: 'gpt-4' })
  expect(prompt).toMatchObject({ version: 0 })
  expect((await api.createPrompt('p', messages, { model: 'gpt-4' })).id).toBe(prompt.id)
  expect(await api.getPromptById(prompt.id)).toMatchObject({ id: prompt.id, provider: 'openai' })
  const read = await api.getPrompt('p', 0)
  expect(read).toMatchObject({ id: prompt.id, name: 'p', settings: { model: 'gpt-4' } })
  expect(read.formatMessages({ name: 'Ada' })[0].content).toBe('Hello Ada')
  expect(await api.getPrompt('nobody')).toBeNull()
})

test('a wrong key fails, and never yields empty data', async () => {
  const stranger = new LiteralClient('wrong', listening.url)
  await expect(stranger.api.getSteps({})).rejects.toThrow(/API key/)
  await expect(stranger.api.getProjectId()).rejects.toThrow(/API key/)
})

test('every public method of the client was called', () => {
  const own = ['constructor', 'makeGqlCall', 'makeApiCall', 'getPromptWithQuery']
  const prototype = Object.getPrototypeOf(client.api)
  const methods = Object.getOwnPropertyNames(prototype).filter(
    (name) =>
      !own.includes(name) &&
      typeof Object.getOwnPropertyDescriptor(prototype, name)?.value === 'function',
  )
  expect(methods.filter((name) => !called.has(name))).toEqual([])
})
