import { createService, type Service } from '@stepwell/server'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  judge as byModel,
  judgeAgreement,
  type LiveJudgeOptions,
  liveJudge,
  runJudge,
} from '../../src/evaluate/index.js'
import { StepwellClient } from '../../src/index.js'
import { eventually } from '../support/eventually.js'

let service: Service
beforeAll(async () => {
  service = await createService()
})
afterAll(() => service?.close())

const ENDED = '2026-01-01T00:00:00Z'
let projects = 0

/** A judge in a project of its own, which is known to the service before the first step. */
const live = async (options: Partial<LiveJudgeOptions> = {}) => {
  const { apiKey } = await service.createProject(`live ${projects++}`)
  const client = new StepwellClient({ apiKey, fetch: service.fetch })
  const made = liveJudge({
    name: 'live',
    version: '1',
    on: 'steps',
    sample: 1,
    quietSeconds: 0,
    scorers: [
      function polite({ output }: { output: unknown }) {
        return String(output).includes('please')
      },
    ],
    client,
    ...options,
  } as LiveJudgeOptions)
  const work = (changes: Partial<LiveJudgeOptions> = {}) =>
    runJudge({ ...made, ...changes } as LiveJudgeOptions, { once: true, progress: false })
  await work()
  const send = (outputs: Record<string, string>) =>
    client.api.sendSteps(
      Object.entries(outputs).map(([id, content]) => ({ id, endTime: ENDED, output: { content } })),
    )
  return { apiKey, client, work, send, made, state: async () => (await client.api.getJudges())[0] }
}
const many = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`s${index}`, 'please']))

test('a judgement is a score by the judge, and a run of its own with its calls', async () => {
  const { client, work, send } = await live()
  const { api } = client
  const scorer = byModel({
    name: 'kind',
    criteria: 'Is it kind?',
    call: () =>
      client.trace({ name: 'model', type: 'llm' }, (step) => {
        step.generation = { type: 'CHAT', model: 'm', tokenCount: 12 }
        return 'It is. {"reason": "says please", "choice": "yes"}'
      }),
  })
  const scorers = [scorer] as LiveJudgeOptions['scorers']
  await work({ scorers })
  await send({ a: 'please' })
  expect(await work({ scorers })).toMatchObject({
    judged: 1,
    errors: 0,
    usage: { tokens: 12 },
    exitCode: 0,
  })
  expect((await api.getScores({})).data).toMatchObject([
    {
      stepId: 'a',
      name: 'kind',
      type: 'AI',
      value: 1,
      label: 'yes',
      comment: 'says please',
      scorer: 'live@1',
    },
  ])
  const { data } = await api.getSteps({
    filters: [{ field: 'environment', operator: 'eq', value: 'experiment' }],
  })
  const run = data.find(({ name }) => name === 'judge live')
  expect(run).toMatchObject({ metadata: { judge: 'live@1', stepId: 'a' }, type: 'run' })
  const call = data.find(({ type }) => type === 'llm')
  expect(call).toMatchObject({ rootRunId: run?.id, generation: { tokenCount: 12 } })
})

test('steps are judged at once and once though answers of the service are lost', async () => {
  // Every other answer to the same request: of all requests together, chance could choose each attempt of one.
  const sent = new Map<string, number>()
  const { apiKey, client, send, work, state } = await live()
  await send(many(8))
  const unreliable = async (input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
    const answer = await service.fetch(new Request(input, init))
    if (typeof init?.body !== 'string') return answer
    const attempt = (sent.get(init.body) ?? 0) + 1
    sent.set(init.body, attempt)
    if (attempt % 2 === 1) throw new TypeError('the other side closed')
    return answer
  }
  const other = new StepwellClient({ apiKey, fetch: unreliable as typeof fetch })
  expect(await work({ client: other })).toMatchObject({ judged: 8 })
  expect(await state()).toMatchObject({ judged: 8, waiting: 0, usedToday: { judgements: 8 } })
  expect((await client.api.getScores({ first: 100 })).data).toHaveLength(8)
})

test('a judge never judges the steps of judges, however often it runs', async () => {
  const { client, work, send } = await live()
  await send({ a: 'please', b: 'no' })
  for (let time = 0; time < 3; time++) {
    await work()
    await client.flush()
  }
  const { data } = await client.api.getScores({})
  expect(data.map(({ stepId, value }) => [stepId, value]).toSorted()).toEqual([
    ['a', 1],
    ['b', 0],
  ])
})

test('an answer that can not be read is an error, and never a score', async () => {
  const scorer = byModel({ name: 'kind', criteria: 'Is it kind?', call: () => 'maybe' })
  const { client, work, send, state } = await live({ scorers: [scorer] as never })
  await send({ a: 'please' })
  expect(await work()).toMatchObject({ judged: 0, errors: 1 })
  expect((await client.api.getScores({})).data).toEqual([])
  expect(await state()).toMatchObject({
    waiting: 1,
    lastError: 'kind: the judge’s answer holds no JSON object',
  })
})

test('a provider that has no time makes the worker wait, and costs the step no attempt', async () => {
  let calls = 0
  const { client, work, send } = await live({
    scorers: [
      function busy() {
        if (++calls < 8)
          throw Object.assign(new Error('busy'), {
            status: 429,
            headers: { 'retry-after-ms': '5' },
          })
        return true
      },
    ],
  })
  await send({ a: 'please' })
  expect(await work()).toMatchObject({ judged: 1, errors: 7 })
  expect((await client.api.getScores({})).data).toHaveLength(1)
})

test('two workers share the budget of a day, in tokens', async () => {
  const { client, made, work, send, state } = await live()
  const scorers = [
    async function counted() {
      await client.trace({ name: 'model', type: 'llm' }, (step) => {
        step.generation = { type: 'CHAT', model: 'm', tokenCount: 10 }
      })
      return true
    },
  ]
  const budget = { perDay: { tokens: 100 } }
  await work({ scorers, budget })
  await send(many(40))
  const other = runJudge({ ...made, scorers, budget }, { once: true, progress: false })
  const runs = await Promise.all([work({ scorers, budget }), other])
  expect(runs.reduce((sum, { judged }) => sum + judged, 0)).toBe(10)
  expect(await state()).toMatchObject({ judged: 10, usedToday: { tokens: 100 }, waiting: 30 })
})

test('a worker that is stopped gives back what is under way', async () => {
  const { made, work, send, state } = await live()
  await send(many(3))
  const stopped = new AbortController()
  const never = () => new Promise<never>(() => {})
  const running = runJudge(
    { ...made, scorers: [never] },
    { progress: false, signal: stopped.signal },
  )
  await eventually(async () => expect((await state())?.usedToday.judgements).toBe(3))
  stopped.abort()
  expect(await running).toMatchObject({ status: 'ended', exitCode: 0, judged: 0, errors: 0 })
  expect((await state())?.usedToday.judgements).toBe(0)
  expect(await work()).toMatchObject({ judged: 3 })
})

test('a judgement that takes too long fails', async () => {
  const { work, send } = await live({
    seconds: 1,
    scorers: [() => new Promise<never>(() => {})].map((never) =>
      Object.defineProperty(never, 'name', { value: 'never' }),
    ),
  })
  await send({ a: 'please' })
  expect(await work()).toMatchObject({ judged: 0, errors: 1 })
})

test('a judge whose agreement with people is surely too low judges nothing more', async () => {
  const { client, work, send } = await live()
  await send(many(40))
  await work()
  // The judge says 1 of all; people see a difference.
  await client.api.createScores(
    Object.keys(many(40)).map((stepId, index) => ({
      stepId,
      name: 'polite',
      type: 'HUMAN' as const,
      value: index % 2,
      label: index % 2 === 1 ? 'true' : 'false',
    })),
  )
  const agreement = await judgeAgreement({ judgeId: 'live@1', name: 'polite', client })
  expect(agreement).toMatchObject({ pairs: 40, same: 0.5, kappa: 0, weights: 'none' })
  await send({ late: 'please' })
  expect(await work({ minimumAgreement: 0.6 })).toMatchObject({
    status: 'low',
    exitCode: 1,
    judged: 0,
  })
  expect(await work({ minimumAgreement: 0 })).toMatchObject({ status: 'ended', judged: 1 })
})

test('a judge without pairs goes on, or waits for them when it asks for proof', async () => {
  const { work } = await live()
  expect(await work({ minimumAgreement: 0.9 })).toMatchObject({ status: 'ended' })
  expect(await work({ minimumAgreement: { kappa: 0.9, unproven: 'stop' } })).toMatchObject({
    status: 'unproven',
    exitCode: 2,
  })
})

test.each([
  ['name: expected a text', { name: '' }],
  ['on: expected steps or threads', { on: 'runs' }],
  ['sample: expected a number from 0 to 1, got 2', { sample: 2 }],
  ['scorers: expected a list of at least one', { scorers: [] }],
  ['seconds: expected a number from 1 to 3570, got 0', { seconds: 0 }],
  ['budget.perDay.tokens: expected a number from 0', { budget: { perDay: { tokens: -1 } } }],
  ['prices: expected those of the models', { budget: { perDay: { dollars: 1 } } }],
  ['minimumAgreement: expected a number from 0 to 1, got 7', { minimumAgreement: 7 }],
  ['minimumAgreement: expected a number from 0 to 1, got null', { minimumAgreement: null }],
])('an option that is invalid is named: %s', (message, options) => {
  const valid = { name: 'j', on: 'steps', sample: 1, scorers: [() => true] }
  expect(() => liveJudge({ ...valid, ...options } as never)).toThrow(message)
})

const talkOf = (threadId: string, ...words: string[]) =>
  words.map((content, index) => ({
    id: `${threadId} ${index}`,
    threadId,
    type: index % 2 === 0 ? ('user_message' as const) : ('assistant_message' as const),
    startTime: `2026-01-01T10:00:0${index}Z`,
    output: { content },
  }))

test('a judge of conversations scores threads, and is compared with people who did', async () => {
  const seen: unknown[] = []
  const { client, work } = await live({
    on: 'threads',
    filters: [{ field: 'stepCount', operator: 'gt', value: 1 }],
    scorers: [
      function resolved(given: object) {
        seen.push(given)
        return true
      },
    ],
  } as never)
  const ids = Array.from({ length: 12 }, (_, index) => `t${index}`)
  await client.api.sendSteps([
    ...ids.flatMap((id) => talkOf(id, 'Where is it?', 'In Lyon.')),
    ...talkOf('short', 'Hello?'),
  ])
  expect(await work()).toMatchObject({ judged: 12, errors: 0 })
  expect(seen[0]).toMatchObject({
    input: { messages: [{ role: 'user', content: 'Where is it?' }] },
    output: { role: 'assistant', content: 'In Lyon.' },
    item: { metadata: { threadId: expect.stringMatching(/^t/) } },
  })
  await client.api.createScores(
    ids.map((threadId, index) => ({
      threadId,
      name: 'resolved',
      type: 'HUMAN' as const,
      value: index % 2,
      label: index % 2 === 1 ? 'true' : 'false',
    })),
  )
  const agreement = await judgeAgreement({ judgeId: 'live@1', name: 'resolved', client })
  expect(agreement).toMatchObject({ pairs: 12, groups: 12, same: 0.5, kappa: 0 })
  const { data } = await client.api.getSteps({
    filters: [{ field: 'environment', operator: 'eq', value: 'experiment' }],
  })
  const runs = data.filter(({ name }) => name === 'judge live')
  expect(
    runs.map(({ metadata }) => (metadata as { threadId: string }).threadId).toSorted(),
  ).toEqual(ids.toSorted())
  expect(runs[0]).toMatchObject({ threadId: null, metadata: { judge: 'live@1' } })
  await client.flush()
  expect(await work()).toMatchObject({ judged: 0 })
})

test('a judge reads tools, calls of models and nothing else of a conversation by itself', async () => {
  const seen = new Map<string, unknown>()
  const { client, work, state } = await live({
    on: 'threads',
    scorers: [
      function noted({
        input,
        output,
        item,
      }: {
        input: unknown
        output: unknown
        item: { key: string }
      }) {
        seen.set(item.key, { input, output })
        return true
      },
    ],
  } as never)
  const [first, second, third] = talkOf('tools', 'Where?', 'In Lyon.', 'Thanks')
  await client.api.sendSteps([
    { ...first, id: 'q' },
    {
      id: 'tool',
      threadId: 'tools',
      type: 'tool',
      name: 'find',
      startTime: '2026-01-01T10:00:00.5Z',
      input: { of: 1 },
      output: { content: 'Lyon' },
    },
    {
      id: 'inner',
      threadId: 'tools',
      type: 'tool',
      name: 'inner',
      parentId: 'tool',
      startTime: '2026-01-01T10:00:00.6Z',
    },
    { ...second, id: 'answer' },
    { ...third, id: 'thanks' },
    {
      id: 'm',
      threadId: 'model',
      type: 'llm',
      startTime: ENDED,
      generation: {
        type: 'CHAT',
        messages: [{ role: 'user', content: 'Hi' }],
        messageCompletion: { role: 'assistant', content: 'Hello' },
      },
    },
    { id: 'r', threadId: 'none', type: 'run', startTime: ENDED },
  ] as never)
  expect(await work()).toMatchObject({ judged: 2, errors: 1 })
  expect((await state())?.lastError).toContain('read: expected one for a thread without steps')
  expect(seen.get('tools')).toEqual({
    input: {
      messages: [
        { role: 'user', content: 'Where?' },
        {
          role: 'assistant',
          content: null,
          tool_calls: [
            { id: 'tool', type: 'function', function: { name: 'find', arguments: '{"of":1}' } },
          ],
        },
        { role: 'tool', tool_call_id: 'tool', name: 'find', content: 'Lyon' },
        { role: 'assistant', content: 'In Lyon.' },
        { role: 'user', content: 'Thanks' },
      ],
    },
    output: undefined,
  })
  expect(seen.get('model')).toEqual({
    input: { messages: [{ role: 'user', content: 'Hi' }] },
    output: { role: 'assistant', content: 'Hello' },
  })
})

test('the filters and the reader of a judge are typed by its subject', () => {
  const scorers = [({ output }: { output: number }) => output > 1]
  const made = liveJudge({
    name: 'long',
    on: 'threads',
    sample: 1,
    filters: [{ field: 'endedAt', operator: 'nis', value: null }],
    read: ({ steps }) => ({ input: undefined, output: steps.length }),
    scorers,
  })
  expect(made.on).toBe('threads')
  const filters = [{ field: 'endedAt', operator: 'nis', value: null }] as const
  // @ts-expect-error Steps have no end of a conversation.
  liveJudge({ name: 'long', on: 'steps', sample: 1, filters, scorers })
})
