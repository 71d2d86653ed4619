import { createService, type Service } from '@stepwell/server'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Ask, asker } from './support/ask.js'

describe('an outline', () => {
  let service: Service
  let ask: Ask
  beforeAll(async () => {
    service = await createService({ apiKey: 'k' })
    ask = asker(service, 'k')
    await ask('mutation($steps: [StepInput!]!) { ingestSteps(steps: $steps) { ok } }', {
      steps: [
        {
          id: 'q',
          threadId: 't',
          type: 'user_message',
          startTime: '2026-01-01T10:00:00Z',
          output: { content: 'a Needle' },
        },
        {
          id: 'r',
          threadId: 't',
          type: 'run',
          name: 'agent',
          startTime: '2026-01-01T10:00:01Z',
          endTime: '2026-01-01T10:00:03.5Z',
        },
        {
          id: 'g',
          threadId: 't',
          parentId: 'r',
          type: 'llm',
          name: 'agent',
          startTime: '2026-01-01T10:00:02Z',
          generation: {
            model: 'm',
            inputTokenCount: 3,
            outputTokenCount: 4,
            error: 'boom',
            ttFirstToken: 12,
          },
        },
        { id: 'o', threadId: 't', parentId: 'gone', type: 'tool', name: 'x' },
      ],
    })
  })
  afterAll(() => service?.close())

  test('gives columns of one length, in pre-order', async () => {
    const { outline } = await ask(
      '{ outline(threadId: "t") { stepCount isWhole errorCount runningCount startedAt endedAt maxDepth names types skeleton } }',
    )
    expect(outline).toEqual({
      stepCount: 4,
      isWhole: true,
      errorCount: 1,
      runningCount: 1,
      startedAt: '2026-01-01T10:00:00.000Z',
      endedAt: '2026-01-01T10:00:03.500Z',
      maxDepth: 2,
      names: ['agent', 'x'],
      types: ['user_message', 'run', 'llm', 'tool'],
      skeleton: {
        id: ['q', 'r', 'g', 'o'],
        depth: [0, 0, 1, 0],
        type: [0, 1, 2, 3],
        name: [-1, 0, 0, 1],
        start: [0, 1000, 2000, null],
        duration: [null, 2500, null, null],
        firstToken: [null, null, 12, null],
        tokens: [null, null, 7, null],
        cost: [null, null, null, null],
        flags: [0, 0, 1 + 2 + 16 + 32, 4],
      },
    })
  })

  test('has the cost of each call, marks those without a price, and is another one when a cost changes', async () => {
    const call = (id: string, generation: object) => ({
      id,
      threadId: 'costs',
      type: 'llm',
      startTime: '2026-01-01T10:00:00Z',
      generation: { inputTokenCount: 1000, outputTokenCount: 100, ...generation },
    })
    const send = (...steps: object[]) =>
      ask('mutation($steps: [StepInput!]!) { ingestSteps(steps: $steps) { ok } }', { steps })
    await send(
      call('c1', { cost: 0.25 }),
      call('c2', { model: 'of-nobody' }),
      call('c3', { model: 'gpt-4o', provider: 'openai' }),
    )
    const read = async () =>
      (await ask('{ outline(threadId: "costs") { revision skeleton } }')).outline
    const before = await read()
    expect(before.skeleton.id).toEqual(['c1', 'c2', 'c3'])
    expect(before.skeleton.cost).toEqual([0.25, null, 0.0035])
    expect(before.skeleton.flags).toEqual([2 + 16, 2 + 16 + 32, 2 + 16])
    await send(call('c2', { cost: 0.5 }))
    // A call that changes is priced in the background, or before its thread is summed up.
    await ask('{ threadDetail(id: "costs") { cost } }')
    const after = await read()
    expect(after.skeleton.cost).toEqual([0.25, 0.5, 0.0035])
    expect(after.skeleton.flags).toEqual([2 + 16, 2 + 16, 2 + 16])
    expect(after.revision).not.toBe(before.revision)
  })

  test('comes in parts, from a single step, and searches contents', async () => {
    const { all, below } = await ask(
      `{ all: outline(threadId: "t") { skeleton(from: 1, count: 2) matches(text: "needle") }
        below: outline(rootStepId: "r") { stepCount skeleton } }`,
    )
    expect(all.skeleton.id).toEqual(['r', 'g'])
    expect(all.matches).toEqual(['q'])
    expect(below.skeleton.id).toEqual(['r', 'g'])
  })

  test('of a number of steps is the beginning of the thread, or of the tree below a step', async () => {
    const { thread, below, more } = await ask(
      `{ thread: outline(threadId: "t", first: 2) { stepCount isWhole startedAt skeleton }
        below: outline(rootStepId: "r", first: 1) { isWhole skeleton }
        more: outline(threadId: "t", first: 5) { isWhole stepCount } }`,
    )
    expect(thread).toMatchObject({ stepCount: 2, isWhole: false })
    expect(thread.startedAt).toBe('2026-01-01T10:00:00.000Z')
    expect(thread.skeleton.id).toEqual(['q', 'r'])
    expect(below).toMatchObject({ isWhole: false, skeleton: { id: ['r'] } })
    expect(more).toEqual({ isWhole: true, stepCount: 4 })
    for (const first of [-1, 0])
      await expect(
        ask(`{ outline(threadId: "t", first: ${first}) { stepCount } }`),
      ).rejects.toThrow('first: expected a whole number from 1 to')
    await ask('mutation { upsertThread(id: "without steps") { id } }')
    expect(
      await ask(
        '{ a: outline(threadId: "without steps", first: 2) { stepCount isWhole } b: outline(threadId: "no", first: 2) { stepCount } }',
      ),
    ).toEqual({ a: { stepCount: 0, isWhole: true }, b: null })
  })

  test('of a revision stays as it was read, and is the newest once another is asked for', async () => {
    const send = (id: string) =>
      ask('mutation($id: String!) { ingestStep(id: $id, threadId: "kept") { ok } }', { id })
    await send('k1')
    const before = (await ask('{ outline(threadId: "kept") { revision stepCount } }')).outline
    await send('k2')
    const read = async (revision: string | null) =>
      (
        await ask(
          'query($revision: String) { outline(threadId: "kept", revision: $revision) { revision stepCount } }',
          { revision },
        )
      ).outline
    expect(await read(before.revision)).toEqual(before)
    const after = await read(null)
    expect(after.stepCount).toBe(2)
    expect(await read('unknown')).toEqual(after)
  })

  test('finds text below a step, and not in steps beside it', async () => {
    await ask('mutation($steps: [StepInput!]!) { ingestSteps(steps: $steps) { ok } }', {
      steps: ['top', 'below', 'beside'].map((id) => ({
        id,
        ...(id === 'below' ? { parentId: 'top' } : {}),
        startTime: '2026-01-01T10:00:00Z',
        output: { content: `haystack of ${id}` },
        ...(id === 'top'
          ? { generation: { messages: [{ role: 'user', content: 'Thimble' }] } }
          : {}),
      })),
    })
    const found = async (text: string) =>
      (
        await ask('query($text: String!) { outline(rootStepId: "top") { matches(text: $text) } }', {
          text,
        })
      ).outline.matches
    expect(await found('HAYSTACK')).toEqual(['top', 'below'])
    expect(await found('thimble')).toEqual(['top'])
    expect(await found('beside')).toEqual([])
  })

  test('names the types that it numbers, the most frequent first, with any part', async () => {
    const types = ['rerank', 'tool', 'embedding', 'tool', 'embedding', 'tool'] as const
    await ask('mutation($steps: [StepInput!]!) { ingestSteps(steps: $steps) { ok } }', {
      steps: types.map((type, index) => ({
        id: `typed-${index}`,
        threadId: 'typed',
        type,
        startTime: `2026-01-01T10:00:0${index}Z`,
      })),
    })
    const { outline } = await ask(
      '{ outline(threadId: "typed") { types all: skeleton part: skeleton(from: 3) } }',
    )
    expect(outline.types).toEqual(['tool', 'embedding', 'rerank'])
    const named = (numbers: readonly number[]) => numbers.map((number) => outline.types[number])
    expect(named(outline.all.type)).toEqual(types)
    expect(named(outline.part.type)).toEqual(types.slice(3))
  })

  test('has another revision when a step arrives or ends', async () => {
    const revision = async () =>
      (await ask('{ outline(threadId: "t") { revision } }')).outline.revision
    const before = await revision()
    expect(await revision()).toBe(before)
    await ask('mutation { ingestStep(id: "g", endTime: "2026-01-01T10:00:03Z") { ok } }')
    const ended = await revision()
    expect(ended).not.toBe(before)
    await ask('mutation { ingestStep(id: "new", threadId: "t") { ok } }')
    expect(await revision()).not.toBe(ended)
  })

  test('has another revision when a step is renamed or moved', async () => {
    const names = async () => (await ask('{ outline(threadId: "t") { names revision } }')).outline
    const before = await names()
    await ask('mutation { ingestStep(id: "r", name: "renamed") { ok } }')
    const after = await names()
    expect(after.revision).not.toBe(before.revision)
    expect(after.names).toContain('renamed')
  })

  test('from a step inside of a thread begins with that step, circles or not', async () => {
    const { outline } = await ask('{ outline(rootStepId: "g") { skeleton } }')
    expect(outline.skeleton).toMatchObject({ id: ['g'], depth: [0] })
    expect(outline.skeleton.flags[0] & 4).toBe(0)
    await ask(
      'mutation { a: ingestStep(id: "A", parentId: "B", threadId: "c") { ok } b: ingestStep(id: "B", parentId: "A", threadId: "c") { ok } c: ingestStep(id: "C", parentId: "A", threadId: "c") { ok } }',
    )
    const circle = await ask('{ outline(rootStepId: "A") { skeleton } }')
    expect(circle.outline.skeleton).toMatchObject({ id: ['A', 'B', 'C'], depth: [0, 1, 1] })
  })

  test('finds text that JSON escapes', async () => {
    await ask('mutation($o: Json) { ingestStep(id: "e", threadId: "t", output: $o) { ok } }', {
      o: { content: 'he said "hi"\nthere' },
    })
    const found = async (text: string) =>
      (
        await ask('query($text: String!) { outline(threadId: "t") { matches(text: $text) } }', {
          text,
        })
      ).outline.matches
    expect(await found('"hi"\nthere')).toEqual(['e'])
    expect(await found('nul \u0000')).toEqual([])
  })

  test('is rejected when a document asks for too many', async () => {
    const many = Array.from({ length: 20 }, (_, index) => `a${index}: skeleton`).join(' ')
    await expect(ask(`{ outline(threadId: "t") { ${many} } }`)).rejects.toThrow('at most 12 times')
  })

  test('requires exactly one of thread and step, and is null for an unknown id', async () => {
    await expect(ask('{ outline { revision } }')).rejects.toThrow('exactly one')
    await expect(ask('{ outline(threadId: "t", rootStepId: "r") { revision } }')).rejects.toThrow(
      'exactly one',
    )
    expect(
      await ask(
        '{ a: outline(threadId: "no") { revision } b: outline(rootStepId: "no") { revision } }',
      ),
    ).toEqual({
      a: null,
      b: null,
    })
  })

  test('lists of threads contain steps, errors, the first message and the newest scores', async () => {
    await ask(
      'mutation { a: createScore(stepId: "g", name: "x", type: AI, value: 1) { id } b: createScore(stepId: "r", name: "y", type: AI, value: 2) { id } }',
    )
    const { threads } = await ask(
      '{ threads(filters: [{ field: "errorCount", operator: "gt", value: 0 }]) { edges { node { stepCount errorCount firstMessage scores(first: 1) { name } } } } }',
    )
    expect(threads.edges).toEqual([
      { node: { stepCount: 6, errorCount: 1, firstMessage: 'a Needle', scores: [{ name: 'y' }] } },
    ])
  })

  test('steps contain the size and the beginning of their payloads', async () => {
    const { step } = await ask(
      '{ step(id: "q") { outputBytes outputPreview(chars: 3) inputBytes inputPreview } }',
    )
    expect(step).toEqual({
      outputBytes: 22,
      outputPreview: 'a N',
      inputBytes: null,
      inputPreview: null,
    })
  })
})
