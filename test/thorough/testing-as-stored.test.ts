import { createService, type Service } from '@stepwell/server'
import fc from 'fast-check'
import { StepwellClient } from 'stepwell'
import { recordInMemory } from 'stepwell/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runs } from '../support/runs.js'

/** Records whatever merges: steps that end twice, a failure, a thread that changes. */
const record = async (stepwell: StepwellClient) => {
  const thread = stepwell.thread({ id: 't1', name: 'Order', metadata: { a: 1, b: 2 } })
  await thread.wrap(async () => {
    await stepwell
      .trace({ id: 's1', name: 'agent' }, async (step) => {
        step.tags = ['eu']
        step.scores = [{ id: 'judgement', name: 'good', type: 'HUMAN', value: 0, comment: 'why' }]
        stepwell.trace({ id: 's2', name: 'search', type: 'retrieval' }, () => ['a', 'b'])
        throw new Error('no stock')
      })
      .catch(() => {})
    thread.assign({ metadata: { a: null }, tags: ['urgent'] })
  })
  const twice = stepwell.step({ id: 's3', name: 'draft', type: 'llm', threadId: 't1', tags: ['x'] })
  twice.generation = { model: 'm1', inputTokenCount: 3, outputTokenCount: 4 }
  twice.input = { one: 1 }
  twice.scores = [{ name: 'short', type: 'CODE', value: 0, scorer: 'lint' }]
  twice.end()
  await stepwell.flush()
  twice.tags = []
  twice.input = undefined
  twice.environment = 'dev'
  twice.generation = { outputTokenCount: 5 }
  twice.scores = [{ name: 'short', type: 'CODE', value: 1, scorer: 'lint' }]
  twice.end({ output: 'done' })
  await stepwell.flush()
}

test('memory holds what a service would have stored, also of steps that were recorded twice', async () => {
  const service = await createService()
  try {
    const { apiKey } = await service.createProject('testing')
    const stepwell = new StepwellClient({ apiKey, fetch: service.fetch, environment: 'staging' })
    await record(stepwell)
    const memory = recordInMemory({ environment: 'staging' })
    await record(memory.stepwell)
    expect(memory.steps.map(({ id }) => id)).toEqual(['s1', 's2', 's3'])
    for (const step of memory.steps) {
      const stored = await stepwell.api.getStep(step.id)
      const { name, type, parentId, threadId, rootRunId, input, output, error, tags } = step
      expect(stored).toMatchObject({
        ...{ name, type, threadId, environment: step.environment },
        ...{ parentId: parentId ?? null, rootRunId: rootRunId ?? null, error: error ?? null },
        ...{ input: input ?? null, output: output ?? null },
        ...(step.generation === undefined ? {} : { generation: step.generation }),
      })
      expect(stored?.tags ?? []).toEqual(tags)
      expect(stored?.scores).toMatchObject(step.scores)
      expect(step.scores).toHaveLength(stored?.scores?.length ?? 0)
    }
    const { name, metadata, tags } = memory.thread('t1') ?? {}
    expect(await stepwell.api.getThread('t1')).toMatchObject({ name, metadata, tags })
    await stepwell.close()
  } finally {
    await service.close()
  }
})

/** Any value that a JavaScript program may put into a field, whatever its type says. */
const anything = fc.oneof(
  fc.constantFrom(null, undefined, '', 'text', 0, 1.5, true, Number.NaN, 10n, new Date(0)),
  fc.constantFrom({}, { a: 1 }, { a: null, b: [1] }, { value: { c: null } }),
  fc.constantFrom([], [1], [null, 'x'], [{ role: 'user', content: 'hi' }]),
)
const field = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined })
const tags = fc.constantFrom<unknown>(null, [], ['a'], ['a', 'b', 'a'], 'no list')
const count = fc.constantFrom<unknown>(null, 0, 3, 2.4, '5', 'many', Number.NaN)
const generation = fc.record(
  {
    type: fc.constantFrom<unknown>(null, 'CHAT', 'COMPLETION', 'OTHER'),
    model: fc.constantFrom<unknown>(null, 'm', '', 4),
    provider: fc.constantFrom<unknown>(null, 'p'),
    prompt: fc.constantFrom<unknown>(null, 'ask'),
    completion: fc.constantFrom<unknown>(null, '', 'said'),
    messages: anything,
    messageCompletion: anything,
    settings: anything,
    variables: anything,
    tools: anything,
    metadata: anything,
    tags,
    error: fc.constantFrom<unknown>(null, 'failed'),
    tokenCount: count,
    inputTokenCount: count,
    outputTokenCount: count,
    duration: fc.constantFrom<unknown>(null, 1.5, 'long'),
    own: anything,
  },
  { requiredKeys: [] },
)
// A label alone is a value by a definition of the service, which memory has not.
const score = fc
  .record(
    {
      id: fc.constantFrom(null, 'x', 'y'),
      name: fc.constantFrom('one', 'two'),
      type: fc.constantFrom('AI', 'CODE', 'guess'),
      value: fc.constantFrom<unknown>(0, 1, '0.5', null),
      scorer: fc.constantFrom(null, 's'),
      comment: fc.constantFrom(null, '', 'why'),
      label: fc.constantFrom(null, 'good'),
      tags,
    },
    { requiredKeys: ['name', 'type', 'value'] },
  )
  .map((one) => (one.value === null ? { ...one, label: null } : one))
const attachment = fc.record(
  {
    id: fc.constantFrom('f', 'g', null),
    name: fc.constantFrom(null, 'n', 'o'),
    mime: fc.constantFrom(null, 'text/plain'),
    url: fc.constantFrom(null, 'https://example.org/'),
    metadata: anything,
  },
  { requiredKeys: ['id'] },
)
const stepData = fc.record(
  {
    name: fc.constantFrom<unknown>(null, '', 'n', 5),
    type: fc.constantFrom<unknown>(null, undefined, 'llm', 'tool', 'undefined'),
    threadId: fc.constantFrom<unknown>(null, undefined, 'thread'),
    parentId: fc.constantFrom<unknown>(null, 'parent'),
    input: anything,
    output: anything,
    metadata: anything,
    error: fc.constantFrom<unknown>(null, '', 'failed', new Error('broken')),
    environment: fc.constantFrom<unknown>(null, undefined, 'dev', 'staging'),
    startTime: fc.constantFrom<unknown>('2026-01-01T00:00:00.000Z', Number.NaN),
    endTime: fc.constant('2026-01-01T00:00:01.000Z'),
    tags,
    generation: field(fc.oneof(generation, anything)),
    scores: field(fc.array(score, { maxLength: 3 })),
    attachments: field(fc.array(attachment, { maxLength: 2 })),
  },
  { requiredKeys: ['startTime', 'endTime'] },
)
const threadData = fc.record(
  {
    name: fc.constantFrom<unknown>(null, '', 'n'),
    metadata: fc.constantFrom<unknown>(null, {}, { a: 1 }, { a: null, b: 2 }, [1], 'text'),
    tags,
    environment: fc.constantFrom<unknown>(undefined, 'dev', 'staging'),
  },
  { requiredKeys: [] },
)
/** Records of one step and its thread, again and again with other values. */
const story = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('step' as const), data: stepData }),
    fc.record({ kind: fc.constant('thread' as const), data: threadData }),
  ),
  { minLength: 1, maxLength: 4 },
)

type Event = (typeof story extends fc.Arbitrary<infer Events> ? Events : never)[number]

let service: Service
beforeAll(async () => {
  service = await createService()
})
afterAll(() => service?.close())

const tell = async (stepwell: StepwellClient, events: readonly Event[]) => {
  for (const { kind, data } of events) {
    if (kind === 'step') stepwell.step({ id: 'step', ...data } as never).end()
    else await stepwell.thread({ id: 'thread', ...data } as never).upsert()
    await stepwell.flush()
  }
}

/** Leaves out what is not stored: nulls of a row's columns, and no tags. */
const withoutNulls = (row: object | null | undefined, ...names: string[]) =>
  row &&
  Object.fromEntries(
    Object.entries(row).filter(
      ([name, value]) =>
        value != null && !names.includes(name) && !(name === 'tags' && String(value) === ''),
    ),
  )
const PLACES = ['id', 'stepId', 'threadId', 'generationId', 'datasetExperimentItemId']
// A generation repeats the start of its step.
const MOMENTS = ['createdAt', 'updatedAt', 'startedAt']
// The prices are the service's.
const COSTS = ['cost', 'costSource', 'isCostPartial', 'unpricedCount']

test('memory holds what a service would have stored, of any step and thread recorded any number of times', async () => {
  await fc.assert(
    fc.asyncProperty(story, async (events) => {
      const { apiKey } = await service.createProject(`${Math.random()}`)
      const options = { onReport: () => undefined }
      const stepwell = new StepwellClient({ ...options, apiKey, fetch: service.fetch })
      const memory = recordInMemory(options)
      await tell(stepwell, events)
      await tell(memory.stepwell, events)
      const { dropped, delivered } = stepwell.stats()
      expect({ dropped, delivered }).toEqual({
        dropped: 0,
        delivered: memory.stepwell.stats().delivered,
      })
      const stored = await stepwell.api.getStep('step')
      const [step] = memory.steps
      expect(step === undefined).toBe(stored === null)
      if (step !== undefined && stored !== null) {
        // Without one, the service takes that of the request.
        const { environment = 'prod', scores, attachments, generation, tags: labels } = step
        for (const name of ['name', 'type', 'threadId', 'parentId', 'rootRunId', 'error'] as const)
          expect({ [name]: step[name] ?? null }).toEqual({ [name]: stored[name] })
        for (const name of ['input', 'output', 'metadata', 'startTime', 'endTime'] as const)
          expect({ [name]: step[name] ?? null }).toEqual({ [name]: stored[name] })
        expect(environment).toBe(stored.environment)
        expect(labels).toEqual(stored.tags ?? [])
        expect(withoutNulls(generation, 'id')).toEqual(
          withoutNulls(stored.generation ?? undefined, ...PLACES, ...MOMENTS, ...COSTS),
        )
        const sorted = (list: readonly object[], ...unnamed: string[]) =>
          list
            .map((item) => JSON.stringify(withoutNulls(item, ...unnamed), sortedKeys(item)))
            .sort()
        expect(sorted(scores, ...PLACES)).toEqual(sorted(stored.scores, ...PLACES, ...MOMENTS))
        const notSent = ['threadId', 'stepId', 'objectKey']
        expect(sorted(attachments, ...notSent)).toEqual(
          sorted(stored.attachments, ...notSent, ...MOMENTS),
        )
      }
      const thread = memory.thread('thread')
      const storedThread = await stepwell.api.getThread('thread')
      expect(thread === undefined).toBe(storedThread === null)
      if (thread !== undefined && storedThread !== null) {
        expect(thread.name ?? null).toEqual(storedThread.name)
        expect(thread.metadata ?? null).toEqual(storedThread.metadata)
        expect(thread.tags).toEqual(storedThread.tags ?? [])
        expect(thread.environment ?? 'prod').toBe(storedThread.environment)
      }
      await stepwell.close()
    }),
    { numRuns: runs(60) },
  )
})

const sortedKeys = (item: object): string[] => [...Object.keys(item), 'a', 'b', 'c', 'value'].sort()
