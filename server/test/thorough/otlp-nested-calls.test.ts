// A call of a model is often several spans, one in the other, each with its tokens: of an agent, a framework, a client,
// a provider. However they are nested and whenever they come, its tokens count once.
import { createService, type Service } from '@stepwell/server'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { StepwellClient } from '../../../src/index.js'
import { toAttributes } from '../../../src/model-calls/usage/attributes.js'
import { countsOf, type Usage } from '../../../src/model-calls/usage/usage.js'
import { VECTORS } from '../../../test/support/usage-vectors.js'
import { toldBelow } from '../../src/domain/threads/nested-calls.js'
import { asker } from '../support/ask.js'
import { asJson } from '../support/otlp.js'

let service: Service
beforeAll(async () => {
  service = await createService()
})
afterAll(() => service?.close())

type Attributes = Record<string, unknown>
interface Layer {
  name: string
  attributes: Attributes
  /** The place of the span around it in the list; undefined for the first. */
  within?: number
}

let projects = 0
const newProject = async () => {
  const { apiKey } = await service.createProject(`project ${++projects}`)
  const { api } = new StepwellClient({ apiKey, fetch: service.fetch })
  const send = async (spans: Parameters<typeof asJson>[0]['spans']) => {
    const response = await service.fetch('http://stepwell.test/v1/traces', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
      body: asJson({ spans }),
    })
    expect(await response.json()).toEqual({})
  }
  /** Returns the sums of tokens over the project, as metrics have them. */
  const metrics = async () => {
    const day = 86_400_000
    const range = `from: "${new Date(Date.now() - day).toISOString()}", to: "${new Date(Date.now() + day).toISOString()}"`
    const { generations, steps } = await asker(
      service,
      apiKey,
    )(
      `{ generations: metrics(subject: generations, ${range}) { series { total { inputTokens outputTokens tokens } } }
         steps: metrics(subject: steps, ${range}) { series { total { inputTokens outputTokens tokens } } } }`,
    )
    expect(steps.series[0].total).toEqual(generations.series[0].total)
    return generations.series[0].total
  }
  return { api, send, metrics }
}

const spansOf = (layers: readonly Layer[], traceId: string) =>
  layers.map(({ name, attributes, within }, place) => ({
    traceId,
    spanId: String(place + 1).padStart(16, '0'),
    ...(within === undefined ? {} : { parentSpanId: String(within + 1).padStart(16, '0') }),
    name,
    attributes,
  }))

/** A call's attributes by the conventions of OpenTelemetry, OpenInference and OpenLLMetry, with the same sums. */
const told = {
  openTelemetry: (usage: Usage) => ({ 'gen_ai.operation.name': 'chat', ...toAttributes(usage) }),
  openInference: (usage: Usage) => ({
    'openinference.span.kind': 'LLM',
    'llm.token_count.prompt': countsOf(usage).inputTokenCount,
    'llm.token_count.completion': countsOf(usage).outputTokenCount,
    'llm.token_count.total': usage.total,
  }),
  openLlmetry: (usage: Usage) => ({
    'llm.request.type': 'chat',
    'gen_ai.usage.prompt_tokens': countsOf(usage).inputTokenCount,
    'gen_ai.usage.completion_tokens': countsOf(usage).outputTokenCount,
    'llm.usage.total_tokens': usage.total,
  }),
}
const sumsOf = (usage: Usage) => {
  const { 'gen_ai.operation.name': _, ...sums } = told.openTelemetry(usage)
  return sums
}

const agent = (usage: Usage): Layer => ({
  name: 'agent',
  attributes: { 'gen_ai.operation.name': 'invoke_agent', ...sumsOf(usage) },
})
/** Spans around a call, from the outside to the inside; the call itself comes last. */
const NESTINGS: Readonly<Record<string, (usage: Usage, call: Attributes) => Layer[]>> = {
  'in an agent with the same sums': (usage, call) => [
    agent(usage),
    { name: 'call', attributes: call, within: 0 },
  ],
  'in a span of a framework': (usage, call) => [
    { name: 'framework', attributes: told.openInference(usage) },
    { name: 'call', attributes: call, within: 0 },
  ],
  'in those of an agent and a framework': (usage, call) => [
    agent(usage),
    { name: 'framework', attributes: told.openInference(usage), within: 0 },
    { name: 'call', attributes: call, within: 1 },
  ],
  'in those of a framework and a client': (usage, call) => [
    { name: 'framework', attributes: told.openInference(usage) },
    { name: 'client', attributes: told.openLlmetry(usage), within: 0 },
    { name: 'call', attributes: call, within: 1 },
  ],
  'in that of a framework, with the request of the network in between': (usage, call) => [
    agent(usage),
    { name: 'framework', attributes: told.openInference(usage), within: 0 },
    { name: 'POST', attributes: { 'http.request.method': 'POST' }, within: 1 },
    { name: 'call', attributes: call, within: 2 },
  ],
}

const TOLD = VECTORS.flatMap(([name, form, value, usage]) => {
  if (usage === undefined) return []
  const attributes = form === 'otel' ? value : toAttributes(usage)
  return [{ name, usage, attributes: { 'gen_ai.operation.name': 'chat', ...attributes } }]
})

test.each(Object.entries(NESTINGS))(
  'tokens of calls %s count once, whatever the shape in which they were told',
  async (_, nest) => {
    const { api, send, metrics } = await newProject()
    const sent = TOLD.map((one, index) => ({
      ...one,
      traceId: String(index + 1).padStart(32, 'a'),
    }))
    const layers = sent.map(({ usage, attributes, traceId }) => ({
      traceId,
      spans: spansOf(nest(usage, attributes), traceId),
    }))
    // Exporters send spans when they end: the inner ones first. Half of the calls come so, the others all at once.
    const inner = layers.flatMap(({ spans }, index) => (index % 2 ? spans.slice(-1) : []))
    const rest = layers.flatMap(({ spans }, index) => (index % 2 ? spans.slice(0, -1) : spans))
    await send(inner)
    await send(rest)
    // One after the other: all at once would wait for each other longer than a client does, on a busy machine.
    const threads: Awaited<ReturnType<typeof api.getThread>>[] = []
    for (const { traceId } of sent) threads.push(await api.getThread(traceId))
    expect(threads.map((thread) => thread?.tokenCount)).toEqual(
      sent.map(({ usage }) => usage.total),
    )
    const sum = (read: (usage: Usage) => number | undefined) =>
      sent.reduce((all, { usage }) => all + (read(usage) ?? 0), 0)
    expect(await metrics()).toEqual({
      inputTokens: sum((usage) => countsOf(usage).inputTokenCount),
      outputTokens: sum((usage) => countsOf(usage).outputTokenCount),
      tokens: sum(({ total }) => total),
    })
  },
)

test('steps around a call keep their own tokens, which are readable there', async () => {
  const { api, send } = await newProject()
  const usage = { input: 3, output: 4, total: 7 }
  const traceId = 'b'.repeat(32)
  const nest = NESTINGS['in those of a framework and a client']
  await send(spansOf(nest?.(usage, told.openTelemetry(usage)) ?? [], traceId))
  const thread = await api.getThread(traceId)
  expect(thread?.steps?.map(({ generation }) => generation?.tokenCount)).toEqual([7, 7, 7])
  expect(thread?.tokenCount).toBe(7)
})

const CALL = { 'gen_ai.operation.name': 'chat', 'gen_ai.usage.input_tokens': 5 }
const TREE: Layer[] = [
  { name: 'agent', attributes: { ...CALL, 'gen_ai.operation.name': 'invoke_agent' } },
  { name: 'framework', attributes: CALL, within: 0 },
  { name: 'POST', attributes: {}, within: 1 },
  { name: 'attempt 1', attributes: CALL, within: 2 },
  { name: 'attempt 2', attributes: CALL, within: 2 },
  { name: 'tool', attributes: { 'gen_ai.operation.name': 'execute_tool' }, within: 1 },
  { name: 'call of the tool', attributes: CALL, within: 5 },
  { name: 'without tokens', attributes: { 'gen_ai.operation.name': 'chat' }, within: 6 },
  {
    name: 'embedding',
    attributes: { 'gen_ai.operation.name': 'embeddings', 'gen_ai.usage.input_tokens': 7 },
    within: 6,
  },
]
/** Two attempts, the call that a tool makes, and the embedding: 5, 5, 5 and 7. */
const COUNTED = 22

test.each(['one after the other', 'at once'])(
  'tokens count once in whatever order and division the spans of a trace come, and repeated: requests %s',
  async (manner) => {
    const { api, send } = await newProject()
    let traces = 0
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat({ max: 4 }), { minLength: TREE.length, maxLength: TREE.length }),
        fc.shuffledSubarray([0, 1, 2, 3, 4]),
        async (division, again) => {
          const traceId = String(++traces).padStart(32, 'c')
          const requests = new Map<number, ReturnType<typeof spansOf>>()
          for (const [place, span] of spansOf(TREE, traceId).entries()) {
            const request = division[place] ?? 0
            requests.set(request, [...(requests.get(request) ?? []), span])
          }
          const sent = [...again, 0, 1, 2, 3, 4].flatMap((one) => {
            const spans = requests.get(one)
            return spans === undefined ? [] : [() => send(spans)]
          })
          if (manner === 'at once') await Promise.all(sent.map((one) => one()))
          else for (const one of sent) await one()
          expect((await api.getThread(traceId))?.tokenCount).toBe(COUNTED)
        },
      ),
      { numRuns: 25 },
    )
  },
)

test('a span of the provider that comes minutes later, in or around a call, changes no sum, and says what it says', async () => {
  for (const isWithin of [true, false]) {
    const { api, send, metrics } = await newProject()
    const traceId = 'd'.repeat(32)
    const own = {
      name: 'mine',
      attributes: { ...CALL, 'gen_ai.usage.output_tokens': 2, 'gen_ai.request.model': 'claude' },
    }
    const theirs = {
      name: 'theirs',
      attributes: {
        ...CALL,
        'gen_ai.usage.output_tokens': 2,
        'gen_ai.provider.name': 'anthropic',
        'gen_ai.response.model': 'claude-1',
        'gen_ai.usage.cache_read.input_tokens': 4,
      },
    }
    const layers: Layer[] = isWithin
      ? [
          { name: 'run', attributes: {} },
          { ...own, within: 0 },
          { ...theirs, within: 1 },
        ]
      : [
          { name: 'run', attributes: {} },
          { ...own, within: 2 },
          { ...theirs, within: 0 },
        ]
    const [run, mine, late] = spansOf(layers, traceId)
    if (run === undefined || mine === undefined || late === undefined) throw new Error('no spans')
    await send([mine])
    await send([run])
    // Read in between, so that the sums are known by then.
    expect((await api.getThread(traceId))?.tokenCount).toBe(7)
    expect(await metrics()).toMatchObject({ tokens: 7 })
    await send([late])
    await send([late])
    const thread = await api.getThread(traceId)
    expect(thread?.tokenCount).toBe(7)
    expect(thread?.steps?.length).toBe(3)
    expect(await metrics()).toMatchObject({ inputTokens: 5, outputTokens: 2, tokens: 7 })
    expect(await api.getStep(`${traceId}-${late.spanId}`)).toMatchObject({
      threadId: traceId,
      parentId: `${traceId}-${late.parentSpanId}`,
      generation: { model: 'claude-1', usage: { input: 1, cached: 4, output: 2, total: 7 } },
    })
  }
})

const between = Array.from(
  { length: 12 },
  (_, level): Layer => ({ name: `level ${level}`, attributes: {}, within: level }),
)
/** An outer call with more tokens than those in it, twelve spans of no type in between, and calls side by side. */
const DEEP: Layer[] = [
  { name: 'framework', attributes: { ...CALL, 'gen_ai.usage.input_tokens': 12 } },
  ...between,
  { name: 'client', attributes: CALL, within: 12 },
  { name: 'provider', attributes: CALL, within: 13 },
  { name: 'another attempt', attributes: CALL, within: 12 },
]

test('an outer call counts with the tokens that calls in it have not told, however far below they are', async () => {
  const { api, send, metrics } = await newProject()
  const traceId = 'e'.repeat(32)
  await send(spansOf(DEEP, traceId))
  // 5 and 5 of the two attempts, and 2 of the framework's 12.
  expect((await api.getThread(traceId))?.tokenCount).toBe(12)
  expect(await metrics()).toMatchObject({ inputTokens: 12, tokens: 12 })
  await api.deleteStep(`${traceId}-${'16'.padStart(16, '0')}`)
  expect((await api.getThread(traceId))?.tokenCount).toBe(12)
  await api.deleteStep(`${traceId}-${'1'.padStart(16, '0')}`)
  expect((await api.getThread(traceId))?.tokenCount).toBe(5)
  expect(await metrics()).toMatchObject({ inputTokens: 5, tokens: 5 })
})

test('a call counts in whole again once the call in it is deleted, has left the thread, or is in a tool', async () => {
  const { api, send, metrics } = await newProject()
  const layers: Layer[] = [
    { name: 'outer', attributes: { ...CALL, 'gen_ai.usage.input_tokens': 7 } },
    { name: 'between', attributes: {}, within: 0 },
    { name: 'inner', attributes: CALL, within: 1 },
  ]
  const idOf = (traceId: string, place: number) => `${traceId}-${`${place}`.padStart(16, '0')}`
  for (const [letter, change, sums] of [
    ['1', (trace: string) => api.deleteStep(idOf(trace, 3)), [7]],
    ['2', (trace: string) => api.updateStep({ id: idOf(trace, 2), type: 'tool' }), [12]],
    ['3', (trace: string) => api.sendSteps([{ id: idOf(trace, 3), threadId: null }]), [7]],
    ['4', (trace: string) => api.deleteStep(idOf(trace, 2)), [12]],
    [
      '5',
      (trace: string) => api.sendSteps([{ id: idOf(trace, 3), threadId: `other ${trace}` }]),
      [7, 5],
    ],
  ] as const) {
    const traceId = letter.repeat(32)
    await send(spansOf(layers, traceId))
    expect((await api.getThread(traceId))?.tokenCount, letter).toBe(7)
    await change(traceId)
    const threads = sums.length === 2 ? [traceId, `other ${traceId}`] : [traceId]
    const counts = await Promise.all(
      threads.map(async (id) => (await api.getThread(id))?.tokenCount),
    )
    expect(counts, letter).toEqual(sums)
  }
  // The third step that left its thread counts too.
  expect(await metrics()).toMatchObject({ tokens: 7 + 12 + 7 + 5 + 12 + 7 + 5 })
})

test('after any spans, repetitions, moves and deletions, in any order, sums are those of the steps that are there', async () => {
  const { api, send, metrics } = await newProject()
  let traces = 0
  const spans = fc.record({
    kind: fc.constant('send' as const),
    place: fc.nat({ max: 5 }),
    within: fc.option(fc.nat({ max: 5 })),
    operation: fc.constantFrom('chat', 'chat', 'embeddings', 'execute_tool', undefined),
    input: fc.nat({ max: 20 }),
  })
  const change = fc.record({
    kind: fc.constantFrom('delete' as const, 'leave' as const, 'return' as const),
    place: fc.nat({ max: 5 }),
  })
  // Metrics have no series of a project without calls.
  await send(spansOf([{ name: 'another call', attributes: CALL }], 'a'.repeat(32)))
  let expected = 5
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(spans, spans, change), { maxLength: 14 }), async (work) => {
      const traceId = String(++traces).padStart(32, 'f')
      const idOf = (place: number) => `${traceId}-${`${place + 1}`.padStart(16, '0')}`
      const sent = new Set<number>()
      for (const one of work) {
        if (one.kind === 'send') {
          const { place, within, operation, input } = one
          const attributes = {
            'gen_ai.operation.name': operation,
            'gen_ai.usage.input_tokens': input,
          }
          const layers = [...Array(place).fill({ name: '', attributes: {} })]
          layers.push({
            name: 'span',
            attributes: operation === undefined ? {} : attributes,
            ...(within === null ? {} : { within }),
          })
          await send(spansOf(layers, traceId).slice(-1))
          sent.add(place)
        } else if (!sent.has(one.place)) continue
        else if (one.kind === 'delete') {
          await api.deleteStep(idOf(one.place))
          sent.delete(one.place)
        } else {
          const threadId = one.kind === 'leave' ? null : traceId
          await api.sendSteps([{ id: idOf(one.place), threadId }])
        }
        if (one.place % 2 === 0) await api.getThread(traceId)
      }
      const steps = (await api.getSteps({ first: 100, filters: [] })).data.filter(({ id }) =>
        id.startsWith(traceId),
      )
      const sum = (threadId: string | null) => {
        const calls = steps
          .filter((step) => step.threadId === threadId)
          .map(({ id, parentId, type, generation }) => ({
            id,
            parentId: parentId ?? null,
            type: type ?? 'undefined',
            tokens: generation?.tokenCount ?? null,
            inputTokens: null,
            outputTokens: null,
          }))
        const told = threadId === null ? undefined : toldBelow(calls)
        return calls.reduce(
          (all, { id, tokens }) => all + (tokens ?? 0) - (told?.get(id)?.tokens ?? 0),
          0,
        )
      }
      expect((await api.getThread(traceId))?.tokenCount ?? 0).toBe(sum(traceId))
      expected += sum(traceId) + sum(null)
      expect((await metrics()).tokens ?? 0).toBe(expected)
    }),
    // Shrinking would add to the project's sums.
    { numRuns: 40, endOnFailure: true },
  )
})
