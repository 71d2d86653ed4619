import { createService, type Service } from '@stepwell/server'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { placesOf, storedSteps } from '../../../src/cli/exporting/stored-steps.js'
import { StepwellClient } from '../../../src/index.js'
import { type PlacedStep, spanIdOf, TraceIds } from '../../../src/otlp/stored/ids.js'
import { readAnswer, writeRequest, writeSpan } from '../../../src/otlp/stored/protobuf.js'
import { type StoredStep, toStoredSpan } from '../../../src/otlp/stored/stored-span.js'
import { attributesOf } from '../../../src/otlp/values.js'

let service: Service
beforeAll(async () => {
  service = await createService()
})
afterAll(() => service?.close())

let projects = 0
const newProject = async () => {
  const { apiKey } = await service.createProject(`copies ${++projects}`)
  const fetch = (url: string, init?: RequestInit) => service.fetch(url, init)
  return { apiKey, client: new StepwellClient({ apiKey, fetch: fetch as never, disabled: true }) }
}
const post = async (apiKey: string, body: Buffer) => {
  const response = await service.fetch('http://stepwell.test/v1/traces', {
    method: 'POST',
    headers: { 'content-type': 'application/x-protobuf', 'x-api-key': apiKey },
    body: new Uint8Array(body),
  })
  return { status: response.status, ...readAnswer(Buffer.from(await response.arrayBuffer())) }
}
const request = (spans: readonly Buffer[]) =>
  writeRequest([{ resource: attributesOf({ 'service.name': 's' }), spans }], {
    name: 'stepwell',
    version: '1',
  })
const copyAll = async (from: StepwellClient, apiKey: string) => {
  const traceIds = new TraceIds((ids) => placesOf(from, ids))
  for await (const { steps } of storedSteps(
    from,
    { query: undefined, filters: undefined },
    undefined,
  )) {
    const ids = await traceIds.of(steps)
    const spans = steps.map((step, at) => writeSpan(toStoredSpan(step, ids[at] ?? '', true).span))
    expect(await post(apiKey, request(spans))).toEqual({ status: 200, rejected: 0, message: '' })
  }
}
const stored = async (client: StepwellClient) => {
  const found: unknown[] = []
  for await (const { steps } of storedSteps(
    client,
    { query: undefined, filters: undefined },
    undefined,
  ))
    for (const { createdAt: _, ...step } of steps) found.push(step)
  return found.sort((one, other) => ((one as PlacedStep).id < (other as PlacedStep).id ? -1 : 1))
}

const text = fc.string({ unit: 'grapheme', maxLength: 12 })
const json = fc.jsonValue({ maxDepth: 3 })
const object = fc.dictionary(text, json, { maxKeys: 4 })
const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined })
const call = fc.record({
  id: text,
  type: fc.constant('function'),
  function: fc.record({
    name: text,
    arguments: fc.oneof(
      text,
      json.map((value) => JSON.stringify(value)),
    ),
  }),
})
const part = fc.oneof(
  fc.record({ type: fc.constant('text'), text }),
  fc.record({
    type: fc.constant('image_url'),
    image_url: fc.record({ url: fc.oneof(text, fc.constant('data:image/png;base64,AA==')) }),
  }),
  object,
)
/** Messages of the form that the conventions have, and of any other. */
const usual = fc.oneof(
  fc.record({
    role: fc.constantFrom('user', 'system'),
    content: fc.oneof(text, fc.array(part, { minLength: 2, maxLength: 3 })),
  }),
  fc.record({
    role: fc.constant('assistant'),
    content: fc.constant(null),
    tool_calls: fc.array(call, { minLength: 1, maxLength: 2 }),
  }),
  fc.record({ role: fc.constant('tool'), tool_call_id: text, content: fc.oneof(text, json) }),
)
const unusual = fc.record(
  {
    role: fc.constantFrom('user', 'assistant', 'tool', 'system'),
    content: fc.oneof(text, fc.constant(null), fc.array(part, { maxLength: 3 }), json),
    tool_calls: fc.array(call, { maxLength: 2 }),
    tool_call_id: text,
    uuid: text,
    name: text,
  },
  { requiredKeys: ['role'] },
)
const message = fc.oneof({ weight: 4, arbitrary: usual }, { weight: 1, arbitrary: unusual })
const generation = fc.record(
  {
    type: fc.constantFrom('CHAT', 'COMPLETION'),
    model: text,
    provider: text,
    prompt: text,
    completion: text,
    messages: fc.array(message, { maxLength: 3 }),
    messageCompletion: message,
    tools: fc.array(object, { maxLength: 2 }),
    settings: object,
    variables: object,
    metadata: object,
    tags: fc.array(text, { maxLength: 2 }),
    inputTokenCount: fc.nat(10_000),
    outputTokenCount: fc.nat(10_000),
    ttFirstToken: fc.double({ min: 0, max: 1e6, noNaN: true }),
    cost: fc.integer({ min: 0, max: 9000 }),
    error: text,
  },
  { requiredKeys: ['type'] },
)
const moment = maybe(
  fc
    .date({ min: new Date('1950-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
    .map((date) => date.toISOString()),
)
const step = fc.record({
  type: fc.constantFrom('run', 'llm', 'tool', 'embedding', 'undefined', 'user_message', 'rerank'),
  name: maybe(text),
  startTime: moment,
  endTime: moment,
  input: maybe(object),
  output: maybe(object),
  metadata: maybe(object),
  error: maybe(text),
  tags: maybe(
    fc.array(
      text.filter((one) => one !== ''),
      { minLength: 1, maxLength: 3 },
    ),
  ),
  environment: maybe(fc.constantFrom('dev', 'prod')),
  generation: maybe(generation),
  parent: maybe(fc.nat(20)),
  thread: maybe(fc.nat(2)),
})

test('any steps that are sent as spans to another service are the same there', async () => {
  let told = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (given) => {
      const [from, to] = [await newProject(), await newProject()]
      const steps = given.map(({ parent, thread, ...fields }, at) => ({
        ...fields,
        id: `step ${at}`,
        ...(parent === undefined ? {} : { parentId: `step ${parent}` }),
        ...(thread === undefined ? {} : { threadId: `thread ${thread}` }),
      }))
      const response = await service.fetch('http://stepwell.test/api/graphql', {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': from.apiKey },
        body: JSON.stringify({ query: INGEST, variables: { steps } }),
      })
      expect((await response.json()).data).toEqual({ ingestSteps: { ok: true, message: null } })
      await copyAll(from.client, to.apiKey)
      const expected = await stored(from.client)
      told += expected.filter((one) => isToldInParts(one as StoredStep)).length
      expect(await stored(to.client)).toEqual(expected)
    }),
    { numRuns: 25 },
  )
  // Messages that are read back from their form of the conventions, too.
  expect(told).toBeGreaterThan(10)
})
const isToldInParts = (step: StoredStep): boolean =>
  JSON.stringify(toStoredSpan(step, 'ab'.repeat(16), true).span).includes('told\\":[\\"messages')
const INGEST = 'mutation($steps: [StepInput!]!) { ingestSteps(steps: $steps) { ok message } }'

const tree = fc.array(
  fc.record({
    parent: maybe(fc.nat(30)),
    hasParent: fc.boolean(),
    root: maybe(fc.nat(3)),
    isAway: fc.boolean(),
  }),
  { minLength: 1, maxLength: 30 },
)

test('steps of one tree are in one trace, whatever the pages they come in, and steps above them are looked up', async () => {
  await fc.assert(
    fc.asyncProperty(tree, fc.integer({ min: 1, max: 31 }), async (nodes, size) => {
      const steps: PlacedStep[] = nodes.map(({ parent, hasParent, root }, at) => ({
        id: `s${at}`,
        parentId: hasParent && parent !== undefined ? `s${parent}` : null,
        rootRunId: root === undefined ? null : `r${root}`,
      }))
      const byId = new Map(steps.map((one) => [one.id, one]))
      const find = async (ids: readonly string[]) => ids.flatMap((id) => byId.get(id) ?? [])
      const inPages = new TraceIds(find)
      const found: string[] = []
      for (let from = 0; from < steps.length; from += size)
        found.push(...(await inPages.of(steps.slice(from, from + size))))
      expect(found).toEqual(await new TraceIds(find).of(steps))
      expect(found.every((id) => /^[\da-f]{32}$/.test(id) && !/^0+$/.test(id))).toBe(true)
      for (const [at, { parentId }] of steps.entries()) {
        const above = steps.findIndex(({ id }) => id === parentId)
        if (above >= 0) expect(found[at]).toBe(found[above])
      }
    }),
    { numRuns: 300 },
  )
})

test('a chain of 3,000 steps that comes from its end is looked up without end of the stack', async () => {
  const steps = Array.from({ length: 3000 }, (_, at) => ({
    id: `s${at}`,
    parentId: at === 0 ? null : `s${at - 1}`,
    rootRunId: null,
  }))
  const byId = new Map(steps.map((one) => [one.id, one]))
  let asked = 0
  const ids = new TraceIds(async (wanted) => {
    asked++
    return wanted.flatMap((id) => byId.get(id) ?? [])
  })
  const [last] = await ids.of(steps.slice(-1))
  expect(asked).toBeLessThanOrEqual(1000)
  expect(last).toMatch(/^[\da-f]{32}$/)
  expect(new Set(await new TraceIds(async () => []).of(steps)).size).toBe(1)
})

test('ids of spans differ for a million ids of any form', () => {
  const ids = new Set<string>()
  for (let at = 0; at < 500_000; at++) {
    ids.add(spanIdOf(`s${at}`))
    ids.add(spanIdOf(`order-${at * 7919}/ü`))
  }
  expect(ids.size).toBe(1_000_000)
})

const span = (attributes: Record<string, unknown>) => {
  const made = toStoredSpan(
    { id: 'any', type: 'tool', parentId: null, rootRunId: null, startTime: '2026-03-04T05:06:07Z' },
    'ab'.repeat(16),
    false,
  ).span
  return writeSpan({ ...made, attributes: attributesOf(attributes) })
}
const FIELDS = 'stepwell.step.fields'
const COPY = { 'stepwell.step.format': 1, 'stepwell.step.id': 'copied' }

test.each([
  [{ [FIELDS]: 'no JSON' }],
  [{ [FIELDS]: '[1]' }],
  [
    {
      [FIELDS]: JSON.stringify({
        name: 5,
        tags: [1],
        threadId: {},
        startTime: 'x',
        scores: 7,
        generation: 'y',
        environment: null,
      }),
    },
  ],
  [
    {
      [FIELDS]: JSON.stringify({
        tags: 'a',
        scores: [{ name: 1 }, null, { name: 'x', type: 'GOD', value: 1 }],
        told: 'messages',
        generation: { type: 7, usage: [], inputTokenCount: 1.5, model: [] },
      }),
    },
  ],
  [
    {
      [FIELDS]: JSON.stringify({
        generation: {},
        told: ['messages', 'messageCompletion', 'tools', '__proto__'],
      }),
      'gen_ai.input.messages': '{"a":1}',
      'gen_ai.output.messages': '[7]',
    },
  ],
  [
    {
      'stepwell.step.type': '__proto__',
      'stepwell.thread': '{"id":7}',
      metadata: '7',
      'input.value': 'text',
    },
  ],
  [{ 'stepwell.thread': '{"id":"t","tags":7,"metadata":[],"name":{},"participantId":1}' }],
])('a copy whose members are of other types is a step without them: %j', async (attributes) => {
  const { apiKey, client } = await newProject()
  expect(await post(apiKey, request([span({ ...COPY, ...attributes })]))).toMatchObject({
    status: 200,
    rejected: 0,
  })
  expect(await client.api.getStep('copied')).toMatchObject({
    id: 'copied',
    name: null,
    tags: null,
    scores: [],
  })
})

test('a copy that no step can be is rejected with a reason, and keeps no other out', async () => {
  const { apiKey, client } = await newProject()
  const answer = await post(
    apiKey,
    request([
      span({ ...COPY, 'stepwell.step.id': 'x'.repeat(100_000) }),
      span({ ...COPY, [FIELDS]: JSON.stringify({ environment: 'moon' }) }),
      span({ ...COPY, 'stepwell.step.id': 'sound' }),
    ]),
  )
  expect(answer).toMatchObject({ status: 200, message: expect.stringContaining('id') })
  expect(answer.rejected).toBeGreaterThan(0)
  expect(await client.api.getStep('sound')).not.toBeNull()
})

test('a span that names a step, and is no copy of it, has the ids of spans', async () => {
  const { apiKey, client } = await newProject()
  for (const format of [undefined, 2, '1'])
    await post(apiKey, request([span({ ...COPY, 'stepwell.step.format': format })]))
  expect(await client.api.getStep('copied')).toBeNull()
  expect(await client.api.getStep(`${'ab'.repeat(16)}-${spanIdOf('any')}`)).not.toBeNull()
})

test('the answer of a receiver is read whatever it holds', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
      const { rejected, message } = readAnswer(Buffer.from(bytes))
      expect([rejected >= 0, typeof message]).toEqual([true, 'string'])
    }),
  )
})
