import { Readable } from 'node:stream'
import { LiteralClient, Score } from '@literalai/client'
import { createService, type Listening, listen, type Service } from '@stepwell/server'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'

let service: Service
let listening: Listening
let client: LiteralClient
let api: LiteralClient['api']
const called = new Set<string>()

/** The client's API, which records the calls. */
const watched = <Target extends object>(target: Target): Target =>
  new Proxy(target, {
    get(_, name) {
      const value = Reflect.get(target, name)
      if (typeof value !== 'function') return value
      called.add(String(name))
      return value.bind(target)
    },
  })

/** Resolves to a step that the client's wrappers send without waiting for the answer. */
const sent = (id: string) =>
  vi.waitFor(async () => {
    const step = await api.getStep(id)
    expect(step).not.toBeNull()
    return step
  })

beforeAll(async () => {
  service = await createService({ apiKey: 'legacy' })
  listening = await listen(service, '127.0.0.1', 0)
  client = new LiteralClient({ apiKey: 'legacy', apiUrl: listening.url })
  api = watched(client.api)
})

afterAll(async () => {
  await listening?.stop()
  await service?.close()
})

test('the project id', async () => {
  expect(await api.getProjectId()).toBe(service.projectId)
})

test('steps are sent in an aliased batch, listed, read and deleted', async () => {
  const thread = client.thread({ id: 't-steps' })
  const step = thread.step({
    id: 's1',
    name: 'n',
    type: 'run',
    tags: ['legacy'],
    metadata: { a: 1 },
    startTime: '2026-01-01T00:00:00.000Z',
  })
  const child = step.step({ id: 's2', name: 'c', type: 'tool', tags: ['legacy'] })
  const result = await api.sendSteps([child, step])
  expect(result.data).toEqual({
    step0: { ok: true, message: null },
    step1: { ok: true, message: null },
  })
  const page = await api.getSteps({
    first: 10,
    filters: [{ field: 'tags', operator: 'in', value: ['legacy'] }],
    orderBy: { column: 'createdAt', direction: 'ASC' },
  })
  expect(page.data.map(({ id }) => id)).toEqual(['s2', 's1'])
  const read = await api.getStep('s2')
  expect(read).toMatchObject({ id: 's2', parentId: 's1', threadId: 't-steps', type: 'tool' })
  await read?.send()
  expect((await api.getStep('s2'))?.parentId).toBe('s1')
  expect(await api.deleteStep('s2')).toBe('s2')
  expect(await api.getStep('s2')).toBeNull()
})

test('wrapped steps keep their tree, and one that throws is not sent', async () => {
  const threadId = 't-wrap'
  await client.thread({ id: threadId, name: 'wrapped' }).wrap(async () =>
    client.run({ name: 'outer', id: 'outer' }).wrap(async () => {
      await client
        .step({ name: 'inner', type: 'tool', id: 'inner' })
        .wrap(async () => ({ answer: 42 }))
      return 'done'
    }),
  )
  expect(await sent('inner')).toMatchObject({
    parentId: 'outer',
    rootRunId: 'outer',
    output: { answer: 42 },
  })
  expect(await sent('outer')).toMatchObject({ output: { output: 'done' }, rootRunId: null })
  await expect(
    client.step({ name: 'broken', type: 'tool', id: 'broken' }).wrap(async () => {
      throw new Error('no')
    }),
  ).rejects.toThrow('no')
  expect(await api.getStep('broken')).toBeNull()
})

test('files are uploaded and attached', async () => {
  const { objectKey, url } = await api.uploadFile({
    content: Readable.from(['content']),
    threadId: 't-files',
    mime: 'text/plain',
  })
  expect(objectKey).toEqual(expect.any(String))
  expect(await (await fetch(url as string)).text()).toBe('content')
  const attachment = await api.createAttachment({
    path: import.meta.filename,
    mime: 'text/plain',
    name: 'self',
    metadata: { m: 1 },
  })
  const step = client
    .thread({ id: 't-files' })
    .step({ id: 'with-file', name: 'f', type: 'tool', attachments: [attachment] })
  await step.send()
  const [read] = (await api.getStep('with-file'))?.attachments ?? []
  expect(read).toMatchObject({ name: 'self', metadata: { m: 1 }, objectKey: attachment.objectKey })
  const stable = (link: string | undefined | null) => link?.split('X-Amz-Date')[0]
  expect(stable(read?.url)).toBe(stable(attachment.url))
})

test('generations', async () => {
  const step = await api.createGeneration({
    type: 'CHAT',
    provider: 'openai',
    model: 'gpt-4o',
    messages: [{ role: 'user', content: 'hi' }],
    messageCompletion: { role: 'assistant', content: 'ho' },
    tags: ['gen'],
  } as never)
  const page = await api.getGenerations({
    filters: [{ field: 'tags', operator: 'in', value: ['gen'] }],
  })
  expect(page.data[0]).toMatchObject({ id: step.id, provider: 'openai', type: 'CHAT' })
})

test('threads, in both forms of upsert', async () => {
  expect(
    await api.upsertThread({ threadId: 'th', name: 'one', participantId: 'user', tags: ['a'] }),
  ).toMatchObject({ id: 'th', name: 'one' })
  expect(await api.upsertThread('th', 'two', { x: 1 }, undefined, ['b'])).toMatchObject({
    name: 'two',
    tags: ['b'],
    metadata: { x: 1 },
  })
  const page = await api.getThreads({
    first: 1,
    filters: [{ field: 'id', operator: 'eq', value: 'th' }],
    stepTypesToKeep: ['run'],
  })
  expect(page.data[0]).toMatchObject({ id: 'th', participant: { identifier: 'user' } })
  expect(await api.getThread('th')).toMatchObject({ id: 'th', steps: [] })
  expect(await api.getThread('nobody')).toBeNull()
  expect(await api.deleteThread('th')).toBe('th')
})

test('users', async () => {
  const user = await api.createUser('u1', { plan: 'pro' })
  expect(user).toMatchObject({ identifier: 'u1', metadata: { plan: 'pro' } })
  expect(await api.updateUser(user.id as string, 'u2', { plan: 'free' })).toMatchObject({
    identifier: 'u2',
  })
  expect(await api.getUser('u2')).toMatchObject({ id: user.id })
  expect(await api.getUser('nobody')).toBeUndefined()
  expect(await api.getOrCreateUser('u2')).toBe(user.id)
  expect((await api.getUsers({ first: 5 })).data.map(({ identifier }) => identifier)).toContain(
    'u2',
  )
  expect(await api.deleteUser(user.id as string)).toBe(user.id)
})

test('scores, single and in an aliased batch', async () => {
  await client.step({ id: 'judged', name: 'j', type: 'run' }).send()
  const score = await api.createScore({
    name: 'q',
    type: 'HUMAN',
    value: 0.9234,
    stepId: 'judged',
    scorer: 'me',
    comment: 'c',
    tags: ['t'],
  } as never)
  expect(score).toMatchObject({ value: 0.9234, scorer: 'me', comment: 'c' })
  const many = await api.createScores([
    new Score({ name: 'a', type: 'AI', value: 1, stepId: 'judged' } as never),
    new Score({ name: 'b', type: 'CODE', value: 0, stepId: 'judged' } as never),
  ])
  expect(many.map(({ name }) => name)).toEqual(['a', 'b'])
  expect(await api.updateScore(score.id as string, { value: 0 })).toMatchObject({
    value: 0,
    comment: 'c',
  })
  expect((await api.getScores({ first: 3 })).data.map(({ name }) => name)).toEqual(['b', 'a', 'q'])
  expect(await api.deleteScore(score.id as string)).toMatchObject({ id: score.id })
})

test('datasets and their items', async () => {
  const dataset = await api.createDataset({ name: 'd', metadata: { m: 1 } })
  expect((await api.getDatasets()).map(({ id }) => id)).toEqual([dataset.id])
  expect(await api.updateDataset(dataset.id, { name: 'e' })).toMatchObject({ name: 'e' })
  const item = await api.createDatasetItem(dataset.id, {
    input: { q: 1 },
    expectedOutput: { a: 1 },
  })
  expect(await api.getDatasetItem(item.id)).toMatchObject({ input: { q: 1 } })
  const fromStep = await api.addStepToDataset(dataset.id, 'outer')
  expect(fromStep.intermediarySteps).toHaveLength(1)
  const generation = await api.createGeneration({
    messages: [{ role: 'user', content: 'x' }],
    messageCompletion: { role: 'assistant', content: 'y' },
  } as never)
  const examples = await api.createDataset({ name: 'g', type: 'generation' })
  expect(await api.addGenerationToDataset(examples.id, generation.id as string)).toMatchObject({
    metadata: { promptType: 'CHAT' },
  })
  expect(await api.addGenerationsToDataset(examples.id, [generation.id as string])).toHaveLength(1)
  expect((await api.getDataset({ id: dataset.id }))?.items).toHaveLength(2)
  expect(await api.deleteDatasetItem(item.id)).toMatchObject({ id: item.id })
  expect(await api.deleteDataset(dataset.id)).toMatchObject({ id: dataset.id })
  expect(await api.getDataset({ id: dataset.id })).toBeNull()
})

test('experiments, and their runs in the environment experiment', async () => {
  const experiment = await api.createExperiment({ name: 'x', params: [{ p: 1 }] })
  const item = await api.createExperimentItem({
    datasetExperimentId: experiment.id,
    input: { a: 1 },
    output: { b: 1 },
    scores: [{ name: 'r', type: 'AI', value: 1 } as never],
  } as never)
  expect(item).toMatchObject({ input: { a: 1 } })
  const variant = await api.createPromptVariant('nobody', [{ role: 'user', content: '{{x}}' }])
  expect(
    await api.createExperiment({ name: 'y', promptVariantId: variant as string }),
  ).toMatchObject({ id: expect.any(String) })
  await client.experimentItemRun({ id: 'experiment-run' }).wrap(async () => {
    expect(client.getCurrentExperimentItemRunId()).toBe('experiment-run')
    await client.step({ name: 'inside', type: 'tool', id: 'inside-experiment' }).wrap(async () => 1)
  })
  for (const id of ['experiment-run', 'inside-experiment'])
    expect(await sent(id)).toMatchObject({ id, environment: 'experiment' })
})

test('prompts, their versions and the split of their calls', async () => {
  expect(await api.createPromptLineage('p', 'd')).toMatchObject({ name: 'p' })
  expect(await api.getPromptLineageByName('p')).toMatchObject({ id: expect.any(String) })
  const messages = [{ role: 'user' as const, content: 'Hello {{name}}' }]
  const prompt = await api.getOrCreatePrompt('p', messages, { provider: 'openai', model: 'gpt-4o' })
  expect(prompt).toMatchObject({ name: 'p', version: 0, provider: 'openai' })
  expect((await api.createPrompt('p', messages, { model: 'gpt-4o' })).id).toBe(prompt.id)
  const second = await api.getOrCreatePrompt('p', [{ role: 'user', content: 'Bye' }])
  expect(second.version).toBe(1)
  expect(await api.getPromptById(prompt.id)).toMatchObject({
    id: prompt.id,
    variables: [{ name: 'name', language: 'plaintext' }],
  })
  expect(await api.getPrompt('p')).toMatchObject({ version: 0 })
  expect(await api.getPrompt('p', 1)).toMatchObject({ id: second.id })
  expect((await api.getPrompt('p', 0)).formatMessages({ name: 'Ada' })[0].content).toBe('Hello Ada')
  expect(await api.getPromptAbTesting('p')).toEqual([{ version: 0, rollout: 100 }])
  await api.updatePromptAbTesting('p', [
    { version: 0, rollout: 60 },
    { version: 1, rollout: 40 },
  ])
  expect(await api.getPromptAbTesting('p')).toEqual([
    { version: 0, rollout: 60 },
    { version: 1, rollout: 40 },
  ])
})

test('a wrong key fails, and never yields empty data', async () => {
  const stranger = new LiteralClient({ apiKey: 'wrong', apiUrl: listening.url })
  await expect(stranger.api.getSteps({})).rejects.toThrow(/API key/)
  await expect(stranger.api.getProjectId()).rejects.toThrow(/API key/)
})

test('a base URL that ends with a slash works', async () => {
  const slashed = new LiteralClient({ apiKey: 'legacy', apiUrl: `${listening.url}/` })
  expect(await slashed.api.getProjectId()).toBe(service.projectId)
})

test('every public method of the client was called', () => {
  const own = ['constructor', 'makeGqlCall', 'makeApiCall', 'getPromptWithQuery']
  const methods = Object.getOwnPropertyNames(Object.getPrototypeOf(client.api)).filter(
    (name) =>
      !own.includes(name) &&
      typeof Object.getOwnPropertyDescriptor(Object.getPrototypeOf(client.api), name)?.value ===
        'function',
  )
  expect(methods.filter((name) => !called.has(name))).toEqual([])
})
