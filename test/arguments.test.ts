import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, test } from 'vitest'
import { createApi } from '../src/api/index.js'
import { StepwellClient } from '../src/index.js'
import type { StepwellClient as SyncClient } from '../src/sync/index.js'
import { snakeName } from './support/names.js'
import { useServiceProcess } from './support/service-process.js'

// The built module: the sources have no thread.
const built = pathToFileURL(join(import.meta.dirname, '../dist/esm/src/sync/index.js')).href
const sync = (await import(/* @vite-ignore */ built)) as { StepwellClient: typeof SyncClient }

const service = useServiceProcess(1)

type Api = Record<string, (...parameters: unknown[]) => unknown>

const score = { name: 'quality', type: 'HUMAN', value: 1, stepId: 's' }
const snakeScore = { name: 'quality', type: 'HUMAN', value: 1, step_id: 's' }
const TEXT = 'a non-empty string'

/** Invalid calls: the method in camelCase or snake_case, its parameters, and the message. */
const CALLS: [method: string, parameters: unknown[], message: string][] = [
  ['getStep', [undefined], `id: expected ${TEXT}, got undefined`],
  ['getStep', [''], `id: expected ${TEXT}, got an empty string`],
  ['getStep', [7], `id: expected ${TEXT}, got 7`],
  ['get_step', [{}], `id: expected ${TEXT}, bare or as { id }, got undefined`],
  ['get_step', [], `id: expected ${TEXT}, bare or as { id }, got undefined`],
  ['get_step', [null], `id: expected ${TEXT}, bare or as { id }, got null`],
  ['getThread', [new Date(Number.NaN)], 'parameters: expected a valid Date, got Invalid Date'],
  ['getThread', [{ id: 't' }], `id: expected ${TEXT}, got an object`],
  ['deleteThread', [null], `id: expected ${TEXT}, got null`],
  ['delete_thread', [{ thread_id: 't' }], `id: expected ${TEXT}, bare or as { id }, got undefined`],
  ['upsertThread', [{}], `threadId: expected ${TEXT}, got undefined`],
  ['upsertThread', [undefined], `threadId: expected ${TEXT}, got undefined`],
  ['upsert_thread', [{ name: 'a' }], `thread_id: expected ${TEXT}, got undefined`],
  ['upsertThread', [{ threadId: 't', name: 7 }], 'name: expected a string, got 7'],
  ['upsert_thread', [{ id: 't', participant_id: 7 }], 'participant_id: expected a string, got 7'],
  [
    'upsertThread',
    [{ threadId: 't', participant_id: 'ada' }],
    'participant_id: expected participantId',
  ],
  ['createThread', [{ Tags: ['a'] }], 'Tags: expected tags'],
  ['createStep', [{ start_time: '2026-01-01' }], 'start_time: expected startTime'],
  [
    'getSteps',
    [{ filter: [{ field: 'name', operator: 'eq', value: 'a' }] }],
    'filter: expected one of first, last, after, before, skip, filters, query, orderBy, totalCount',
  ],
  [
    'setConversationEnd',
    [{ tags: ['a'], idleMinute: 5 }],
    'idleMinute: expected one of idleMinutes, tags, toolNames',
  ],
  [
    'set_conversation_end',
    [{ idle_minute: 5 }],
    'idle_minute: expected one of idleMinutes, tags, toolNames',
  ],
  [
    'createApiKey',
    [{ name: 'a', scopes: ['read'], expires: '2030-01-01' }],
    'expires: expected one of name, scopes, expiresAt',
  ],
  ['updateThread', [{ name: 'a' }], 'id: expected a string, got undefined'],
  ['createThread', ['a'], 'params: expected an object, got a string'],
  ['sendSteps', [{}], 'steps: expected a list, got an object'],
  ['sendSteps', [undefined], 'steps: expected a list, got undefined'],
  ['sendSteps', [[undefined]], 'steps[0]: expected an object, got undefined'],
  ['send_steps', [undefined], 'steps: expected a step or a list of steps, got undefined'],
  ['send_steps', [{ steps: 'a' }], 'steps: expected a step or a list of steps, got a string'],
  ['getStepsById', ['a'], 'ids: expected a list, got a string'],
  ['getStepsById', [[1]], 'ids[0]: expected a string, got 1'],
  ['get_steps_by_id', [{}], 'ids: expected a list, got undefined'],
  ['getSteps', ['a'], 'parameters: expected an object, got a string'],
  ['get_steps', ['a'], 'parameters: expected an object, got a string'],
  ['getSteps', [{ first: 1.5 }], 'first: expected a whole number, got 1.5'],
  ['getSteps', [{ first: Number.NaN }], 'first: expected a whole number, got NaN'],
  ['get_steps', [{ last: Infinity }], 'last: expected a whole number, got Infinity'],
  ['getThreads', [{ skip: -Infinity }], 'skip: expected a whole number, got -Infinity'],
  ['updateStep', [{ name: 'a' }], 'id: expected a string, got undefined'],
  ['update_step', [undefined], 'parameters: expected an object, got undefined'],
  [
    'createStep',
    [{ startTime: new Date(Number.NaN) }],
    'startTime: expected a valid Date, got Invalid Date',
  ],
  [
    'sendSteps',
    [[{ id: 'a' }, { id: 'b', endTime: new Date(Number.NaN) }]],
    'steps[1].endTime: expected a valid Date, got Invalid Date',
  ],
  [
    'getSteps',
    [{ filters: [{ field: 'duration', operator: 'gt', value: Number.NaN }] }],
    'filters[0].value: expected a finite number, got NaN',
  ],
  ['createScore', [{ ...score, value: Number.NaN }], 'value: expected a finite number, got NaN'],
  [
    'create_score',
    [{ ...snakeScore, value: {} }],
    'value: expected a number, true or false, or a label, got an object',
  ],
  [
    'createScore',
    [{ ...score, value: '' }],
    'value: expected a number, true or false, or a label, got an empty string',
  ],
  ['createScore', [undefined], 'score: expected an object, got undefined'],
  [
    'createScores',
    [[{ ...score, value: Infinity }]],
    'scores[0].value: expected a finite number, got Infinity',
  ],
  [
    'create_scores',
    [{ scores: [{ value: 1 }] }],
    `scores[0].name: expected ${TEXT}, got undefined`,
  ],
  ['create_scores', [undefined], 'scores: expected a list, got undefined'],
  ['updateScore', ['s', undefined], 'update: expected an object, got undefined'],
  ['updateScore', ['s', { value: Number.NaN }], 'value: expected a finite number, got NaN'],
  ['getUser', [''], `identifier: expected ${TEXT}, got an empty string`],
  ['getUser', [{ id: 'u' }], `identifier: expected ${TEXT}, got an object`],
  ['get_user', [{}], 'id, identifier: expected exactly one of them, got neither'],
  ['get_user', [undefined], 'parameters: expected an object, got undefined'],
  ['getOrCreateUser', [undefined], `identifier: expected ${TEXT}, got undefined`],
  ['get_or_create_user', [{ identifier: '' }], `identifier: expected ${TEXT}, got an empty string`],
  ['deleteUserData', [''], `identifier: expected ${TEXT}, got an empty string`],
  ['deleteUserData', ['u', { dry_run: true }], 'dry_run: expected dryRun'],
  ['deleteUserData', ['u', true], 'options: expected an object'],
  ['delete_user_data', [{}], `identifier: expected ${TEXT}, got undefined`],
  ['update_user', [{ identifier: 'a' }], 'id: expected a string, got undefined'],
  ['createDataset', [{}], 'name: expected a string, got undefined'],
  ['createDataset', ['d'], 'params: expected an object, got a string'],
  ['getDataset', ['d'], 'params: expected an object, got a string'],
  ['get_dataset_items', [{}], 'dataset_id: expected a string, got undefined'],
  ['createDatasetItem', ['d', undefined], 'item: expected an object, got undefined'],
  ['create_dataset_item', [{ input: {} }], 'dataset_id: expected a string, got undefined'],
  ['addGenerationsToDataset', ['d', 'g'], 'generationIds: expected a list, got a string'],
  [
    'add_generations_to_dataset',
    [{ dataset_id: 'd' }],
    'generation_ids: expected a list, got undefined',
  ],
  ['createExperiment', [{}], 'name: expected a string, got undefined'],
  [
    'createExperimentItem',
    [{ datasetExperimentId: 'e', scores: [{ ...score, value: Number.NaN }] }],
    'scores[0].value: expected a finite number, got NaN',
  ],
  [
    'createExperimentItem',
    [{ datasetExperimentId: 'e', scores: score }],
    'scores: expected a list, got an object',
  ],
  [
    'create_experiment_item',
    [{ dataset_experiment_id: 'e', scores: 'good' }],
    'scores: expected a list, got a string',
  ],
  [
    'createExperimentItems',
    [{ datasetExperimentId: 'e', holder: 'h', items: [{ key: 'k', repetition: 1, scores: 7 }] }],
    'items[0].scores: expected a list, got 7',
  ],
  [
    'create_judgements',
    [{ judge_id: 'j', holder: 'h', judgements: [{ id: 's', scores: 'good' }] }],
    'judgements[0].scores: expected a list, got a string',
  ],
  ['getPrompt', [undefined], `name: expected ${TEXT}, got undefined`],
  ['getPrompt', ['p', { labl: 'production' }], 'labl: expected key or label'],
  ['getPrompt', ['p', { key: {} }], 'key: expected a string'],
  ['get_prompt', [{ name: 'p', lable: 'production' }], 'lable: expected key or label'],
  ['getOrCreatePrompt', ['p', undefined], 'templateMessages: expected a list, got undefined'],
  ['get_or_create_prompt', [{ name: 'p' }], 'template_messages: expected a list, got undefined'],
  ['updatePromptAbTesting', ['p', undefined], 'rollouts: expected a list, got undefined'],
  ['createAttachment', [undefined], 'params: expected an object, got undefined'],
  ['createAttachment', [{ content: 'a', step_id: 's' }], 'step_id: expected stepId'],
  ['createAttachment', [{ content: 'a', stepId: 0 }], 'stepId: expected a string, got 0'],
  ['createAttachment', [{ content: 'a', id: Infinity }], 'id: expected a string, got Infinity'],
  ['create_attachment', [{ content: 'a', mime: 0 }], 'mime: expected a string, got 0'],
  ['uploadFile', [{ content: 'a', mime: ['text/csv'] }], 'mime: expected a string, got a list'],
  ['upload_file', [{ content: 'a', thread_id: {} }], 'thread_id: expected a string, got an object'],
  ['createExperiment', [{ name: 'a', promptId: {} }], 'promptId: expected a string, got an object'],
  ['create_experiment', [{ name: 'a', prompt_id: [] }], 'prompt_id: expected a string, got a list'],
  ['createThread', [{ name: new Date(0) }], 'name: expected a string, got an object'],
  ['get_steps', [{ after: new Date(0) }], 'after: expected a string, got an object'],
  ['get_attachment', [undefined], `id: expected ${TEXT}, bare or as { id }, got undefined`],
  ['getMetrics', [{}], 'subject: expected a value, got undefined'],
  ['createGeneration', [null], 'generation: expected an object, got null'],
  ['revokeApiKey', [undefined], `id: expected ${TEXT}, got undefined`],
]

const failureOf = async (call: () => unknown) => {
  try {
    await call()
  } catch (error) {
    const { name, code, message } = error as Record<string, unknown>
    return { name, code, message }
  }
  return 'it was taken'
}
const refused = (message: string) => ({ name: 'StepwellError', code: 'INVALID_ARGUMENT', message })

describe('an invalid argument is named, with what was expected', () => {
  test.each(CALLS)('%s(%j): %s', async (method, parameters, message) => {
    const options = { apiKey: service.apiKeys[0], apiUrl: service.url }
    const asynchronous = new StepwellClient(options).api as unknown as Api
    const blocking = new sync.StepwellClient(options).api as unknown as Api
    expect(await failureOf(() => asynchronous[method]?.(...parameters))).toEqual(refused(message))
    expect(await failureOf(() => blocking[method]?.(...parameters))).toEqual(refused(message))
  })
})

test.each([
  [{ name: () => 'a' }, 'name: expected a string, got a function'],
  [{ name: Symbol('a') }, 'name: expected a string, got a symbol'],
  [{ name: 7n }, 'name: expected a string, got a bigint'],
  [
    { metadata: { used: { rowCount: 7n } } },
    "rowCount: can't be written as JSON: Do not know how to serialize a BigInt",
  ],
])('a value that JSON does not have is named by both flavours', async (parameters, message) => {
  const options = { apiKey: service.apiKeys[0], apiUrl: service.url }
  for (const { api } of [new StepwellClient(options), new sync.StepwellClient(options)])
    expect(await failureOf(() => api.createThread(parameters as never))).toEqual(refused(message))
})

test('an experiment that was read is created again with its prompt', async () => {
  const { api } = new StepwellClient({ apiKey: service.apiKeys[0], apiUrl: service.url })
  const { id: promptId } = await api.getOrCreatePrompt('tried', [{ role: 'user', content: 'a' }])
  const first = await api.createExperiment({ name: 'one', promptId })
  expect(
    await api.createExperiment({ ...first, params: null, identity: null, name: 'two' }),
  ).toMatchObject({
    name: 'two',
    promptExperimentId: promptId,
  })
})

test('a version that is a symbol is named', async () => {
  const { api } = new StepwellClient({ apiKey: service.apiKeys[0], apiUrl: service.url })
  expect(await failureOf(() => api.getPrompt('p', Symbol('s') as never))).toEqual(
    refused('version: expected a whole number, got a symbol'),
  )
})

test('an object that was read is taken as parameters, with the members that no parameter has', async () => {
  const { api } = new StepwellClient({ apiKey: service.apiKeys[0], apiUrl: service.url })
  const made = await api.createThread({ name: 'read', tags: ['a'] })
  const thread = await api.getThread(made.id)
  expect(await api.updateThread({ ...thread, id: made.id, name: 'again' } as never)).toMatchObject({
    name: 'again',
    tags: ['a'],
  })
  const { data } = await api.createStep({ name: 'read', type: 'run', threadId: made.id })
  const id = data.createStep?.id ?? ''
  await api.updateStep({ ...(await api.getStep(id)), name: 'again' } as never)
  expect(await api.getStep(id)).toMatchObject({ name: 'again', type: 'run' })
})

test('filters of a judge that are no list are named, and changes of a score may be none', async () => {
  const { api } = new StepwellClient({ apiKey: service.apiKeys[0], apiUrl: service.url })
  const judge = { name: 'j', version: '1', subject: 'STEPS', sample: 1, filters: 'all' } as never
  await expect(api.leaseJudgements({ judge, holder: 'h', first: 1, seconds: 60 })).rejects.toThrow(
    'judge.filters: ',
  )
  const { id } = await api.createScore({ name: 'q', type: 'HUMAN', value: 0.5, stepId: 's' })
  expect(await api.update_score({ id, update_params: null as never })).toMatchObject({ value: 0.5 })
})

test('no method fails with a bare TypeError or mentions $variables, with any arguments', async () => {
  const { api } = new StepwellClient({ apiKey: service.apiKeys[0], apiUrl: service.url })
  const methods = api as unknown as Api
  const odd = [[], [null], [7], [{}], [[]], ['none', null], ['none', 7], [[null]], [{ id: 7 }]]
  const bad: string[] = []
  for (const name of Object.keys(methods))
    for (const parameters of odd) {
      const failure = await failureOf(() => methods[name]?.(...parameters))
      if (failure === 'it was taken') continue
      const { message } = failure
      if (
        failure.name !== 'StepwellError' ||
        /Variable "|undefined \(|null \(/.test(String(message))
      )
        bad.push(`${name}(${JSON.stringify(parameters)}): ${failure.name}: ${message}`)
    }
  expect(bad).toEqual([])
})

test('every method that takes an id takes it in snake_case as a text and in an object', async () => {
  const methods = new StepwellClient({ apiKey: service.apiKeys[0], apiUrl: service.url })
    .api as unknown as Api
  for (const name of [
    'getStep',
    'getThread',
    'getDatasetItem',
    'deleteStep',
    'deleteThread',
    'getPromptById',
  ])
    for (const given of ['nothing', { id: 'nothing' }])
      expect(await methods[snakeName(name)]?.(given), name).toBeNull()
})

test.each([
  ['trace', (client: StepwellClient) => client.trace('x', undefined as never)],
  ['traced', (client: StepwellClient) => client.traced(undefined as never)],
  ['bind', (client: StepwellClient) => client.bind(undefined as never)],
  ['continueTrace', (client: StepwellClient) => client.continueTrace({}, undefined as never)],
  ['decorate', (client: StepwellClient) => client.decorate({}).wrap(undefined as never)],
  [
    'a step’s wrap',
    (client: StepwellClient) => client.step({ name: 'a' }).wrap(undefined as never),
  ],
  ['a step’s trace', (client: StepwellClient) => client.step().trace('a', undefined as never)],
  ['a thread’s wrap', (client: StepwellClient) => client.thread().wrap(undefined as never)],
])('%s reports that it expects a function', async (_, call) => {
  const client = new StepwellClient({ apiKey: 'k', disabled: true })
  expect(await failureOf(() => call(client))).toEqual(
    refused('work: expected a function, got undefined'),
  )
})

test('unknown options are reported once, all together, by every client', () => {
  const reports: string[] = []
  const options = {
    apiKey: 'k',
    disabled: true,
    apikey: 'x',
    endpoint: 'y',
    onReport: (text: string) => reports.push(text),
  }
  const expected = expect.stringMatching(
    /^unknown option apikey, endpoint: expected some of apiKey, apiUrl/,
  )
  new StepwellClient(options)
  expect(reports.splice(0)).toEqual([expected])
  new sync.StepwellClient(options)
  expect(reports.splice(0)).toEqual([expected])
  createApi(options)
  expect(reports.splice(0)).toEqual([expected])
})

describe('a service that is not reached', () => {
  const failure = async (apiUrl: string) =>
    failureOf(() => new StepwellClient({ apiKey: service.apiKeys[0], apiUrl }).api.getStep('s'))

  test('refuses the connection: the advice is to start it, or name another URL', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    server.close()
    await once(server, 'close')
    const { code, message } = (await failure(`http://127.0.0.1:${port}`)) as Record<string, string>
    expect(code).toBe('NETWORK')
    expect(message).toMatch(
      /nothing listens there: start the service .* or name its URL as apiUrl$/,
    )
  })

  test('speaks no TLS: the right URL is named', async () => {
    const { message } = (await failure(service.url.replace('http:', 'https:'))) as Record<
      string,
      string
    >
    expect(message).toContain(`name ${new URL(service.url).origin} as apiUrl`)
  })

  test.each(['', ' ', '\n', '/ '])('is reached by its URL with %j after it', async (end) => {
    const api = (apiUrl: string) => new StepwellClient({ apiKey: service.apiKeys[0], apiUrl }).api
    expect(await api(` ${service.url}${end}`).getStep('s')).toBeNull()
  })

  test('is elsewhere on its host: the advice is to check the path', async () => {
    const { message } = (await failure(`${service.url}/elsewhere`)) as Record<string, string>
    expect(message).toContain('apiUrl')
  })
})
