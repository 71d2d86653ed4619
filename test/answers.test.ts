import { parse } from 'graphql'
import { expect, test } from 'vitest'
import { StepwellClient } from '../src/index.js'
import { snakeName } from './support/names.js'
import { argumentsOf, CASES, type Made } from './support/operations.js'

type Api = Record<string, (...parameters: unknown[]) => unknown>

/** Creates a client whose service answers each field of a document with one value, or without the fields. */
const clientOf = (value: unknown) =>
  new StepwellClient({
    apiKey: 'k',
    fetch: async (_, init) => {
      const { query } = JSON.parse(String(init?.body)) as { query?: string }
      const [operation] = parse(query ?? '{ none }').definitions
      const fields =
        operation?.kind === 'OperationDefinition' ? operation.selectionSet.selections : []
      return Response.json({
        data: Object.fromEntries(
          fields.map((field) => [field.kind === 'Field' ? field.name.value : '', value]),
        ),
      })
    },
  })

/** Ids that any operation needs. */
const made = new Proxy<Made>({}, { get: () => 'made' })

/** Runs every operation in both spellings. Returns the errors that are no StepwellErrors, and the results. */
const runAll = async (value: unknown) => {
  const api = clientOf(value).api as unknown as Api
  const errors: string[] = []
  const answered: string[] = []
  for (const one of CASES)
    for (const isSnake of [false, true]) {
      const name = isSnake ? snakeName(one.name) : one.name
      try {
        await api[name]?.(...argumentsOf(one, made, isSnake))
        answered.push(name)
      } catch (error) {
        if ((error as Error).name !== 'StepwellError') errors.push(`${name}: ${error}`)
      }
    }
  return { errors, answered }
}

test('an answer with status 200 and without the fields fails every operation with a StepwellError', async () => {
  expect(await runAll(undefined)).toEqual({
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

test.each([[null], [{}], [[]]])(
  'an answer with %j in place of a page names what is missing',
  async (value) => {
    const { api } = clientOf(value)
    const failure = {
      code: 'NETWORK',
      retryable: false,
      message: `expected steps.edges in the service's answer; is apiUrl the URL of a Stepwell service?`,
    }
    await expect(api.getSteps()).rejects.toMatchObject(failure)
    await expect(api.get_steps()).rejects.toMatchObject(failure)
    await expect(api.getSteps.all().next()).rejects.toMatchObject(failure)
  },
)
