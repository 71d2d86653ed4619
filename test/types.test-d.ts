import { expect, expectTypeOf, test } from 'vitest'
import type {
  DatasetWithItems,
  Generation,
  Page,
  Prompt,
  Score,
  Snake,
  Step,
  StepwellClient,
  User,
} from '../src/index.js'
import { assertStep, type RecordedStep, recordInMemory } from '../src/testing/index.js'
import '../src/testing/vitest.js'

declare const stepwell: StepwellClient
const { api } = stepwell

test('single reads may be null, getUser may be undefined', () => {
  expectTypeOf(api.getStep('s')).resolves.toEqualTypeOf<Step | null>()
  expectTypeOf(api.getDataset({ id: 'd' })).resolves.toEqualTypeOf<DatasetWithItems | null>()
  expectTypeOf(api.getPrompt('p')).resolves.toEqualTypeOf<Prompt | null>()
  expectTypeOf(api.getUser('u')).resolves.toEqualTypeOf<User | undefined>()
  expectTypeOf(api.getOrCreateUser('u')).resolves.toEqualTypeOf<string>()
  expectTypeOf(api.get_or_create_user({ identifier: 'u' })).resolves.toEqualTypeOf<Snake<User>>()
})

test('lists give pages, and walk over items', () => {
  expectTypeOf(api.getScores()).resolves.toEqualTypeOf<Page<Score>>()
  expectTypeOf(api.getScores.all()).toEqualTypeOf<AsyncGenerator<Score, void, undefined>>()
  expectTypeOf(api.getGenerations.pages()).toEqualTypeOf<
    AsyncGenerator<Page<Generation>, void, undefined>
  >()
})

test("snake_case results have snake_case fields, and users' own data is unchanged", () => {
  type SnakeStep = NonNullable<Awaited<ReturnType<typeof api.get_step>>>
  expectTypeOf<SnakeStep['thread_id']>().toEqualTypeOf<string | null>()
  expectTypeOf<NonNullable<SnakeStep['generation']>['tt_first_token']>().toEqualTypeOf<
    number | null
  >()
  expectTypeOf<SnakeStep['metadata']>().toEqualTypeOf<unknown>()
  expectTypeOf<SnakeStep>().not.toHaveProperty('threadId')
  type SnakePage = Awaited<ReturnType<typeof api.get_steps>>
  expectTypeOf<SnakePage['page_info']['has_next_page']>().toEqualTypeOf<boolean>()
})

test('filters know their fields, operators and values', () => {
  api.getSteps({ filters: [{ field: 'tags', operator: 'in', value: ['prod'] }] })
  api.getSteps({ filters: [{ field: 'error', operator: 'is', value: null }] })
  api.getThreads({
    filters: [{ field: 'scoreValue', operator: 'eq', value: 1, path: 'user-feedback' }],
  })
  // @ts-expect-error no such field
  api.getSteps({ filters: [{ field: 'colour', operator: 'eq', value: 'red' }] })
  // @ts-expect-error tags are a list
  api.getSteps({ filters: [{ field: 'tags', operator: 'eq', value: 'prod' }] })
  api.getThreads({
    filters: [
      { field: 'createdAt', operator: 'gte', value: new Date() },
      { field: 'stepType', operator: 'in', value: ['llm'] },
      { field: 'errorCount', operator: 'gt', value: 0 },
      { field: 'environment', operator: 'eq', value: 'prod' },
    ],
    orderBy: { column: 'duration', direction: 'DESC' },
  })
  api.get_steps({ filters: [{ field: 'startTime', operator: 'lt', value: new Date() }] })
  // @ts-expect-error no such type of step
  api.getSteps({ filters: [{ field: 'type', operator: 'eq', value: 'lmm' }] })
  // @ts-expect-error no such type of step among those of a thread
  api.getThreads({ filters: [{ field: 'stepType', operator: 'in', value: ['lmm'] }] })
  // @ts-expect-error no such type in the other spelling either
  api.get_steps({ filters: [{ field: 'type', operator: 'eq', value: 'lmm' }] })
  // @ts-expect-error each step has a type
  api.getSteps({ filters: [{ field: 'type', operator: 'is', value: null }] })
  // @ts-expect-error names have no path
  api.getSteps({ filters: [{ field: 'name', operator: 'eq', value: 'a', path: 'b' }] })
  // @ts-expect-error no such column
  api.getThreads({ orderBy: { column: 'durations', direction: 'DESC' } })
  // @ts-expect-error no such direction
  api.getThreads({ orderBy: { column: 'duration', direction: 'DOWN' } })
  // @ts-expect-error no such column of users
  api.getUsers({ orderBy: { column: 'tokens', direction: 'ASC' } })
})

test('required parameters are required', () => {
  // @ts-expect-error a score has a value
  api.createScore({ name: 'q', type: 'HUMAN', stepId: 's' })
  // @ts-expect-error a step has an id
  api.sendSteps([{ name: 'n' }])
  // @ts-expect-error no such type of step
  api.sendSteps([{ id: 's', type: 'thought' }])
  // @ts-expect-error snake_case calls take snake_case parameters
  api.create_score({ name: 'q', type: 'HUMAN', value: 1, stepId: 's' })
})

test('steps in memory have the types of stored steps, and expectations know their fields', () => {
  const recording = recordInMemory({ environment: 'dev', mask: (value) => value })
  const { steps, threads } = recording
  expectTypeOf(recording.stepwell).toEqualTypeOf<StepwellClient>()
  expectTypeOf(steps).toEqualTypeOf<readonly RecordedStep[]>()
  expectTypeOf(steps[0]?.parent).toEqualTypeOf<RecordedStep | undefined>()
  expectTypeOf(threads[0]?.steps).toEqualTypeOf<readonly RecordedStep[] | undefined>()
  expect(steps).toHaveStep({ name: /a/, tokens: { input: (count: number) => count > 1 } })
  expect(steps).toHaveStep({ scores: [{ name: 'good', value: 1 }], parent: { type: 'run' } })
  expect(steps).toHaveSteps(['a', { input: { question: expect.any(String) } }], { only: true })
  assertStep(recording, 'a', { times: 2 })
  assertStep({} as Step[], { error: null })
  // @ts-expect-error no such field
  assertStep(steps, { nmae: 'a' })
  // @ts-expect-error no such type
  expect(steps).toHaveStep({ type: 'agent' })
  // @ts-expect-error delivery is not that of a service
  recordInMemory({ spool: 'folder' })
})
