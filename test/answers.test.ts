import { isNonNullType, parse } from 'graphql'
import { expect, test } from 'vitest'
import { StepwellClient } from '../src/index.js'
import { snakeName } from './support/names.js'
import { argumentsOf, CASES, type Made } from './support/operations.js'
import { readSchema } from './support/schema.js'

type Api = Record<string, (...parameters: unknown[]) => unknown>

/** Creates a client whose service answers each field of a document with one value, or without the fields. */
const clientOf = (value: unknown, asked: string[] = []) =>
  new StepwellClient({
    apiKey: 'k',
    fetch: async (_, init) => {
      const { query } = JSON.parse(String(init?.body)) as { query?: string }
      const [operation] = parse(query ?? '{ none }').definitions
      const fields =
        operation?.kind === 'OperationDefinition' ? operation.selectionSet.selections : []
      const names = fields.map((field) => (field.kind === 'Field' ? field.name.value : ''))
      asked.push(...names)
      return Response.json({ data: Object.fromEntries(names.map((name) => [name, value])) })
    },
  })

/** Ids that any operation needs. */
const made = new Proxy<Made>({}, { get: () => 'made' })

/** Runs every operation in both spellings. Returns the errors that are no StepwellErrors, and the results. */
const runAll = async (value: unknown) => {
  const asked: string[] = []
  const api = clientOf(value, asked).api as unknown as Api
  const errors: string[] = []
  const answered: string[] = []
  /** The fields that were asked for, and those of them that are named as missing. */
  const fields = { asked, missing: new Set<string>() }
  for (const one of CASES)
    for (const isSnake of [false, true]) {
      const name = isSnake ? snakeName(one.name) : one.name
      try {
        await api[name]?.(...argumentsOf(one, made, isSnake))
        answered.push(name)
      } catch (error) {
        const { name: kind, message } = error as Error
        if (kind !== 'StepwellError') errors.push(`${name}: ${error}`)
        const [, missing] = /^expected (\w+) in the service's answer/.exec(message) ?? []
        if (missing !== undefined) fields.missing.add(missing)
      }
    }
  return { errors, answered, fields }
}

test('an answer with status 200 and without the fields fails every operation with a StepwellError', async () => {
  expect(await runAll(undefined)).toMatchObject({
    errors: [],
    // A call without a document, and one with the caller's own.
    answered: ['getDataset', 'get_dataset', 'getPromptWithQuery', 'get_prompt_with_query'],
  })
})

test.each([7, 'a'])(
  'an answer with %j in place of objects fails with a StepwellError',
  async (value) => {
    expect((await runAll(value)).errors).toEqual([])
  },
)

test.each([{ edges: [null] }, { edges: [{}] }, { edges: [{ node: null }] }, { edges: {} }])(
  'a list of %j fails with a StepwellError, in an object too',
  async (connection) => {
    const list = { ...connection, pageInfo: {} }
    const expected = (path: string) => ({
      name: 'StepwellError',
      message: expect.stringContaining(`expected ${path}.edges in the service's answer`),
    })
    await expect(clientOf(list).api.getSteps()).rejects.toMatchObject(expected('steps'))
    await expect(
      clientOf({ items: list }).api.get_dataset_items({ dataset_id: 'd' }),
    ).rejects.toMatchObject(expected('dataset.items'))
  },
)

test.each<[string, string, unknown, (api: StepwellClient['api']) => Promise<unknown>]>([
  ['dataset.items', 'null', { items: null }, (api) => api.getDatasetItems({ datasetId: 'd' })],
  [
    'dataset.items.pageInfo',
    'nothing',
    { items: { edges: [] } },
    (api) => api.getDatasetItems({ datasetId: 'd' }),
  ],
  [
    'datasetExperiment.items',
    'null',
    { items: null },
    (api) => api.get_experiment_items({ experiment_id: 'e' }),
  ],
  [
    'outline.skeleton',
    'null',
    { names: [], types: [] },
    (api) => api.getOutline({ threadId: 't' }),
  ],
  ['promptRollout.versions', 'no list', { versions: {} }, (api) => api.getPrompt('greeting')],
  [
    'promptRollout.versions',
    'a list with null',
    { versions: [null] },
    (api) => api.getPrompt('greeting'),
  ],
  ['stepsById', 'no list', {}, (api) => api.get_steps_by_id({ ids: ['s'] })],
  ['modelEndpoints', 'no list', {}, (api) => api.get_model_endpoints()],
])('an answer whose %s is %s fails with a StepwellError', async (path, _, value, read) => {
  await expect(read(clientOf(value).api)).rejects.toMatchObject({
    name: 'StepwellError',
    message: expect.stringContaining(`expected ${path} in the service's answer`),
  })
})

test('a step that is not there is null in a list of steps by their ids', async () => {
  expect(await clientOf([null]).api.get_steps_by_id({ ids: ['s'] })).toEqual([null])
})

test('a stored value may have any members, also those of lists', async () => {
  const node = { id: 's', input: { edges: [null] } }
  const { data } = await clientOf({ edges: [{ node }], pageInfo: {} }).api.getSteps()
  expect(data).toEqual([node])
})

test('an answer with null fails with a StepwellError where the schema has an object, and nowhere else', async () => {
  const { errors, fields } = await runAll(null)
  expect(errors).toEqual([])
  const schema = readSchema()
  const root = { ...schema.getQueryType()?.getFields(), ...schema.getMutationType()?.getFields() }
  const expected = fields.asked.filter((name) => root[name] && isNonNullType(root[name].type))
  // Of these, the members are read.
  expected.push('createParticipant', 'createPromptExperiment')
  expect([...fields.missing].toSorted()).toEqual([...new Set(expected)].toSorted())
})

test.each([{}, { isComplete: null }])(
  'an answer of %j to the deletion of a person fails with a StepwellError',
  async (value) => {
    await expect(clientOf(value).api.deleteUserData('ada')).rejects.toMatchObject({
      name: 'StepwellError',
      message: expect.stringContaining('deleteParticipantData.isComplete'),
    })
  },
)

test.each([{}, []])(
  'an answer of %j to steps that are sent fails with a StepwellError',
  async (value) => {
    await expect(clientOf(value).api.sendSteps([{ id: 'a' }])).rejects.toMatchObject({
      name: 'StepwellError',
      message: expect.stringContaining('ingestSteps.refused'),
    })
  },
)

test.each([[{}], [[]], [{ edges: null }]])(
  'an answer with %j in place of a page names what is missing',
  async (value) => {
    const { api } = clientOf(value)
    const failure = {
      code: 'NETWORK',
      retryable: false,
      message: `expected steps.pageInfo in the service's answer; is apiUrl the URL of a Stepwell service?`,
    }
    await expect(api.getSteps()).rejects.toMatchObject(failure)
    await expect(api.get_steps()).rejects.toMatchObject(failure)
    await expect(api.getSteps.all().next()).rejects.toMatchObject(failure)
  },
)
