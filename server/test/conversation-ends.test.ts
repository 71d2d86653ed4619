import { createService, type Service } from '@stepwell/server'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { StepwellClient } from '../../src/index.js'
import { runs } from '../../test/support/runs.js'

// The end of a conversation, by the rule of its project.
let service: Service
beforeAll(async () => {
  service = await createService()
})
afterAll(() => service?.close())

const newApi = async () => {
  const { apiKey } = await service.createProject(crypto.randomUUID())
  return new StepwellClient({ apiKey, fetch: service.fetch }).api
}
type Api = Awaited<ReturnType<typeof newApi>>

const START = Date.parse('2026-01-01T10:00:00.000Z')
const at = (minute: number) => new Date(START + minute * 60_000).toISOString()

const endOf = async (api: Api, threadId: string) => {
  const end = (await api.getThread(threadId))?.endedAt
  return end == null ? end : new Date(end).toISOString()
}
const ended = async (api: Api, operator: 'is' | 'nis') =>
  (await api.listThreads({ filters: [{ field: 'endedAt', operator, value: null }] })).data
    .map(({ id }) => id)
    .sort()

describe('without a rule', () => {
  test('no thread ends, and no filter by its end finds one', async () => {
    const api = await newApi()
    await api.sendSteps([{ id: 'a', threadId: 't', endTime: at(0) }])
    expect((await api.getProject()).conversationEnd).toBeNull()
    expect(await endOf(api, 't')).toBeNull()
    expect(await ended(api, 'is')).toEqual(['t'])
    expect(await ended(api, 'nis')).toEqual([])
    const { data } = await api.listThreads({
      filters: [{ field: 'endedAt', operator: 'gt', value: at(-1e6) }],
    })
    expect(data).toEqual([])
  })
})

describe('a rule', () => {
  test('is stored, replaced as a whole, and removed by an empty one', async () => {
    const api = await newApi()
    const rule = { idleMinutes: 30, tags: ['done', 'sold'], toolNames: ['hang up'] }
    expect(await api.setConversationEnd({ ...rule, tags: ['done', 'sold', 'done'] })).toEqual(rule)
    expect((await api.getProject()).conversationEnd).toEqual(rule)
    expect(await api.set_conversation_end({ idle_minutes: 5 })).toEqual({
      idle_minutes: 5,
      tags: [],
      tool_names: [],
    })
    expect(await api.setConversationEnd({})).toBeNull()
    expect((await api.getProject()).conversationEnd).toBeNull()
  })

  test.each([
    [{ idleMinutes: 0 }, 'idleMinutes: expected 1 to 525,600, got 0'],
    [{ idleMinutes: 525_601 }, 'idleMinutes: expected 1 to 525,600, got 525601'],
    [{ tags: ['a', ''] }, 'tags[1]: expected 1 to 200 characters, got ""'],
    [{ toolNames: ['x'.repeat(201)] }, 'toolNames[0]: expected 1 to 200 characters'],
    [
      { tags: Array.from({ length: 101 }, (_, index) => `t${index}`) },
      'tags: expected at most 100, got 101',
    ],
  ])('%j is rejected with the field and the expected value', async (rule, message) => {
    const api = await newApi()
    await expect(api.setConversationEnd(rule)).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: expect.stringContaining(message),
    })
    expect((await api.getProject()).conversationEnd).toBeNull()
  })

  test('is set by keys that may write alone', async () => {
    const api = await newApi()
    const { key } = await api.createApiKey({ name: 'reader', scopes: ['read', 'ingest'] })
    const reader = new StepwellClient({ apiKey: key, fetch: service.fetch }).api
    await expect(reader.setConversationEnd({ idleMinutes: 1 })).rejects.toMatchObject({
      code: 'FORBIDDEN',
    })
  })

  test('holds for threads that were there before it', async () => {
    const api = await newApi()
    await api.sendSteps([{ id: 'a', threadId: 't', startTime: at(0), endTime: at(7) }])
    expect(await endOf(api, 't')).toBeNull()
    await api.setConversationEnd({ idleMinutes: 10 })
    expect(await endOf(api, 't')).toBe(at(17))
    await api.setConversationEnd({ idleMinutes: 20 })
    expect(await endOf(api, 't')).toBe(at(27))
  })
})

describe('idle time', () => {
  test('counts from the latest end of a step, whatever the order in which steps arrive', async () => {
    const api = await newApi()
    await api.setConversationEnd({ idleMinutes: 30 })
    await api.sendSteps([
      { id: 'last', threadId: 't', startTime: at(5), endTime: at(20) },
      { id: 'first', threadId: 't', startTime: at(0), endTime: at(1) },
    ])
    expect(await endOf(api, 't')).toBe(at(50))
    await api.sendSteps([{ id: 'later', threadId: 't', startTime: at(25) }])
    expect(await endOf(api, 't')).toBe(at(55))
    await api.deleteStep('later')
    expect(await endOf(api, 't')).toBe(at(50))
  })

  test('leaves a thread open until it is over, and a later step opens the thread again', async () => {
    const api = await newApi()
    await api.setConversationEnd({ idleMinutes: 60 })
    const now = Date.now()
    await api.sendSteps([
      { id: 'a', threadId: 'quiet', endTime: new Date(now - 61 * 60_000).toISOString() },
      { id: 'b', threadId: 'busy', endTime: new Date(now - 30 * 60_000).toISOString() },
    ])
    expect(await ended(api, 'nis')).toEqual(['quiet'])
    expect(await ended(api, 'is')).toEqual(['busy'])
    await api.sendSteps([{ id: 'c', threadId: 'quiet', startTime: new Date(now).toISOString() }])
    expect(await ended(api, 'is')).toEqual(['busy', 'quiet'])
  })

  test('of a thread without steps counts from its creation', async () => {
    const api = await newApi()
    await api.setConversationEnd({ idleMinutes: 1 })
    await api.upsertThread({ threadId: 'empty' })
    expect(await endOf(api, 'empty')).toBeNull()
  })
})

describe('a tag', () => {
  test('ends a thread at its last activity, for as long as the thread has it', async () => {
    const api = await newApi()
    await api.setConversationEnd({ idleMinutes: 30, tags: ['done', 'lost'] })
    await api.sendSteps([{ id: 'a', threadId: 't', endTime: at(3) }])
    await api.updateThread({ id: 't', tags: ['vip', 'lost'] })
    expect(await endOf(api, 't')).toBe(at(3))
    await api.sendSteps([{ id: 'b', threadId: 't', type: 'user_message', startTime: at(4) }])
    expect(await endOf(api, 't')).toBe(at(4))
    await api.updateThread({ id: 't', tags: ['vip'] })
    expect(await endOf(api, 't')).toBe(at(34))
  })
})

describe('a call of a tool', () => {
  const call = (name: string) => ({
    messageCompletion: {
      role: 'assistant',
      tool_calls: [{ id: 'c', type: 'function', function: { name, arguments: '{}' } }],
    },
  })

  test('ends a thread, with the words that follow it in its turn', async () => {
    const api = await newApi()
    await api.setConversationEnd({ toolNames: ['hang up'] })
    await api.sendSteps([
      { id: 'u', threadId: 't', type: 'user_message', startTime: at(0) },
      { id: 'run', threadId: 't', type: 'run', startTime: at(0) },
      {
        id: 'tool',
        threadId: 't',
        type: 'tool',
        name: 'search',
        parentId: 'run',
        startTime: at(1),
      },
    ])
    expect(await endOf(api, 't')).toBeNull()
    await api.sendSteps([
      {
        id: 'end',
        threadId: 't',
        type: 'tool',
        name: 'hang up',
        parentId: 'run',
        startTime: at(2),
      },
      { id: 'bye', threadId: 't', type: 'assistant_message', startTime: at(3), endTime: at(4) },
    ])
    expect(await endOf(api, 't')).toBe(at(4))
  })

  test('counts in the answer of a model too, and whatever characters the name has', async () => {
    const api = await newApi()
    const name = 'end "call"\\, {now}\u0000'
    await api.setConversationEnd({ toolNames: [name] })
    await api.sendSteps([
      { id: 'm', threadId: 't', type: 'llm', startTime: at(1), generation: call(name) },
      { id: 'n', threadId: 'other', type: 'llm', startTime: at(1), generation: call('end') },
    ])
    expect(await ended(api, 'nis')).toEqual(['t'])
  })

  test.each([
    ['a message of the user', { type: 'user_message' as const, parentId: 'above' }],
    ['a run without a parent', { type: 'run' as const }],
    ['a span without a parent', {}],
  ])('of an earlier turn ends nothing: %s opens the thread again', async (_, turn) => {
    const api = await newApi()
    await api.setConversationEnd({ toolNames: ['hang up'] })
    await api.sendSteps([
      { id: 'end', threadId: 't', type: 'tool', name: 'hang up', startTime: at(2) },
    ])
    expect(await endOf(api, 't')).toBe(at(2))
    await api.sendSteps([{ id: 'next', threadId: 't', startTime: at(3), ...turn }])
    expect(await endOf(api, 't')).toBeNull()
    // One that is told late belongs to the turn in whose time it was.
    await api.sendSteps([
      { id: 'late', threadId: 't', type: 'tool', name: 'hang up', startTime: at(1) },
    ])
    expect(await endOf(api, 't')).toBeNull()
  })

  test.each([{ tool_calls: 'no list' }, { tool_calls: [null, 1, { function: 'x' }] }, [1], 'text'])(
    'is not seen in the answer %j, which hides no other',
    async (messageCompletion) => {
      const api = await newApi()
      await api.setConversationEnd({ toolNames: ['hang up'] })
      await api.sendSteps([
        { id: 'm', threadId: 't', type: 'llm', generation: { messageCompletion } as never },
        { id: 'end', threadId: 'u', type: 'tool', name: 'hang up' },
      ])
      expect(await ended(api, 'nis')).toEqual(['u'])
    },
  )
})

test('a filter finds the threads whose end it describes, and with pages and other conditions', async () => {
  const api = await newApi()
  await api.setConversationEnd({ idleMinutes: 10, tags: ['done'] })
  await api.sendSteps(
    Array.from({ length: 20 }, (_, minute) => ({
      id: `s${minute}`,
      threadId: `t${minute}`,
      endTime: at(minute),
    })),
  )
  await api.updateThread({ id: 't19', tags: ['done'] })
  const filters = [
    { field: 'endedAt' as const, operator: 'gte' as const, value: at(15) },
    { field: 'endedAt' as const, operator: 'lt' as const, value: at(20) },
  ]
  const expected = ['t5', 't6', 't7', 't8', 't9', 't19'].sort()
  const { data } = await api.listThreads({ filters })
  expect(data.map(({ id }) => id).sort()).toEqual(expected)
  const ids: string[] = []
  for await (const { id } of api.listThreads.all({ filters, first: 2 })) ids.push(id)
  expect(ids.sort()).toEqual(expected)
  const some = await api.listThreads({
    filters: [...filters, { field: 'tags', operator: 'in', value: ['done'] }],
  })
  expect(some.data).toMatchObject([{ id: 't19', endedAt: at(19) }])
})

test('a key that may only record gets no end of a thread that it names', async () => {
  const api = await newApi()
  await api.setConversationEnd({ tags: ['done'] })
  await api.upsertThread({ threadId: 't', tags: ['done'] })
  const { key } = await api.createApiKey({ name: 'recorder', scopes: ['ingest'] })
  const recorder = new StepwellClient({ apiKey: key, fetch: service.fetch }).api
  expect((await recorder.upsertThread({ threadId: 't', name: 'x' })).endedAt).toBeNull()
  expect((await api.upsertThread({ threadId: 't', name: 'x' })).endedAt).not.toBeNull()
})

test('the end follows from the steps, the tags and the rule, whatever the order of arrival', async () => {
  const api = await newApi()
  const step = fc.record({
    type: fc.constantFrom('user_message', 'assistant_message', 'run', 'tool', 'llm', 'undefined'),
    name: fc.constantFrom('hang up', 'search'),
    isRoot: fc.boolean(),
    start: fc.nat(50),
    minutes: fc.option(fc.nat(20)),
  })
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 1, maxLength: 8 }),
      fc.subarray(['done', 'vip']),
      fc.record({
        idleMinutes: fc.option(fc.integer({ min: 1, max: 100 })),
        tags: fc.subarray(['done']),
        toolNames: fc.subarray(['hang up']),
      }),
      fc.array(fc.nat()),
      async (steps, tags, rule, places) => {
        const threadId = crypto.randomUUID()
        const sent = steps.map(({ type, name, isRoot, start, minutes }) => ({
          id: crypto.randomUUID(),
          threadId,
          type: type as never,
          name,
          ...(isRoot ? {} : { parentId: 'elsewhere' }),
          startTime: at(start),
          ...(minutes === null ? {} : { endTime: at(start + minutes) }),
        }))
        await api.setConversationEnd(rule)
        for (const place of places) sent.push(...sent.splice(place % sent.length, 1))
        await api.sendSteps(sent.slice(0, 3))
        await api.upsertThread({ threadId, tags })
        await endOf(api, threadId)
        await api.sendSteps(sent.slice(3))
        const activity = Math.max(...steps.map(({ start, minutes }) => start + (minutes ?? 0)))
        const turn = Math.max(
          ...steps
            .filter(
              ({ type, isRoot }) =>
                type === 'user_message' || (isRoot && /run|undefined/.test(type)),
            )
            .map(({ start }) => start),
        )
        const isCalled = steps.some(
          ({ type, name, start }) =>
            type === 'tool' && rule.toolNames.includes(name) && start >= turn,
        )
        const isMarked = isCalled || tags.some((tag) => rule.tags.includes(tag))
        const minute = isMarked
          ? activity
          : rule.idleMinutes === null
            ? null
            : activity + rule.idleMinutes
        expect(await endOf(api, threadId)).toBe(minute === null ? null : at(minute))
        const value = at(minute ?? 0)
        const found = async (operator: 'gt' | 'gte' | 'lt' | 'lte') =>
          (
            await api.listThreads({
              filters: [
                { field: 'id', operator: 'eq', value: threadId },
                { field: 'endedAt', operator, value },
              ],
            })
          ).data.length
        const isEnded = minute === null ? 0 : 1
        expect([await found('gt'), await found('lt')]).toEqual([0, 0])
        expect([await found('gte'), await found('lte')]).toEqual([isEnded, isEnded])
      },
    ),
    { numRuns: runs(60) },
  )
})
