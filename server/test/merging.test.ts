import { createService, type Service } from '@stepwell/server'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runs } from '../../test/support/runs.js'
import { type Ask, asker } from './support/ask.js'

let service: Service
let ask: Ask
beforeAll(async () => {
  service = await createService()
  ask = asker(service, (await service.createProject('merging')).apiKey)
})
afterAll(() => service?.close())

const STEP = `id threadId rootRunId parentId type name startTime endTime input output metadata error tags environment
  generation { type model messages messageCompletion tokenCount inputTokenCount tags }
  scores { name type value comment scorer } attachments { id name mime metadata url }`

/** A step in full, from which parts are cut. */
const whole = {
  threadId: 'thread',
  rootRunId: 'root',
  parentId: 'parent',
  type: 'llm',
  name: 'name',
  startTime: '2026-01-01T00:00:00.000Z',
  endTime: '2026-01-01T00:00:01.000Z',
  input: { a: 1 },
  output: { b: [1, null] },
  metadata: { c: 'd' },
  error: 'e',
  tags: ['f'],
  environment: 'dev',
}
const generation = {
  type: 'CHAT',
  model: 'm',
  messages: [{ role: 'user' }],
  messageCompletion: { role: 'assistant' },
  inputTokenCount: 1,
  tags: ['g'],
}
const score = { name: 's', type: 'AI', value: 0.5, scorer: 'x' }
const attachment = {
  id: 'attachment',
  name: 'n',
  mime: 'text/plain',
  metadata: { h: 1 },
  url: 'https://example.org/',
}

type Part = Record<string, unknown>

/** Each member of the step in a part of its own, with other members that add nothing new. */
const atoms: Part[] = [
  ...Object.entries(whole).map(([field, value]) => ({ [field]: value, environment: 'dev' })),
  ...Object.entries(generation).map(([field, value]) => ({
    generation: { [field]: value, error: null },
    environment: 'dev',
  })),
  { scores: [score], environment: 'dev' },
  { attachments: [attachment], environment: 'dev' },
  {
    scores: [],
    attachments: [],
    tags: [],
    type: 'undefined',
    generation: null,
    environment: 'dev',
  },
]

/** All atoms in any order, some of them more than once, cut into parts at any places. */
const sendings = fc
  .tuple(
    fc.shuffledSubarray(atoms, { minLength: atoms.length }),
    fc.array(fc.constantFrom(...atoms), { maxLength: 6 }),
  )
  .chain(([once, again]) =>
    fc.shuffledSubarray([...once, ...again], { minLength: once.length + again.length }),
  )
  .chain((parts) =>
    fc.tuple(
      fc.constant(parts),
      fc.array(fc.integer({ min: 1, max: 6 }), {
        minLength: parts.length,
        maxLength: parts.length,
      }),
    ),
  )
  .map(([parts, sizes]) => {
    const requests: Part[][] = []
    for (let rest = parts, index = 0; rest.length > 0; rest = rest.slice(sizes[index]), index++)
      requests.push(rest.slice(0, sizes[index]))
    return requests
  })

test('any order, repetition and division of a step into parts stores the same step', async () => {
  const expected = {
    ...whole,
    generation: { ...generation, tokenCount: null },
    scores: [{ ...score, comment: null }],
    attachments: [attachment],
  }
  let run = 0
  await fc.assert(
    fc.asyncProperty(sendings, fc.boolean(), async (requests, concurrently) => {
      run++
      const id = `step-${run}`
      const attachmentId = `attachment-${run}`
      const send = async (parts: Part[]) => {
        const steps = parts.map((part) => ({
          id,
          ...part,
          ...(Array.isArray(part.attachments) && part.attachments.length > 0
            ? { attachments: [{ ...attachment, id: attachmentId }] }
            : {}),
        }))
        const { ingestSteps } = await ask(
          'mutation($steps: [StepInput!]!) { ingestSteps(steps: $steps) { ok message } }',
          { steps },
        )
        expect(ingestSteps).toEqual({ ok: true, message: null })
      }
      if (concurrently) await Promise.all(requests.map(send))
      else for (const parts of requests) await send(parts)
      const { step } = await ask(`query($id: String!) { step(id: $id) { ${STEP} } }`, { id })
      expect(step).toEqual({ id, ...expected, attachments: [{ ...attachment, id: attachmentId }] })
    }),
    { numRuns: runs(40) },
  )
})

test('the later of two values stays, whether they come in one request or in two', async () => {
  const read = async (id: string) =>
    (
      await ask(
        'query($id: String!) { step(id: $id) { name tags error generation { model prompt error } } }',
        { id },
      )
    ).step
  const later = { name: 'second', tags: ['y'], error: null, generation: { model: 'b' } }
  const earlier = {
    name: 'first',
    tags: ['x'],
    error: 'oops',
    generation: { model: 'a', prompt: 'p', error: 'oops' },
  }
  const mutation = 'mutation($steps: [StepInput!]!) { ingestSteps(steps: $steps) { ok } }'
  await ask(mutation, {
    steps: [
      { id: 'one', ...earlier },
      { id: 'one', ...later },
    ],
  })
  await ask(mutation, { steps: [{ id: 'two', ...earlier }] })
  await ask(mutation, { steps: [{ id: 'two', ...later }] })
  const expected = {
    name: 'second',
    tags: ['y'],
    error: null,
    // The step's error was cleared, and so that of its model call.
    generation: { model: 'b', prompt: 'p', error: null },
  }
  expect(await read('one')).toEqual(expected)
  expect(await read('two')).toEqual(expected)
})

test('a score with an id and the same one without are one, in one request and in two', async () => {
  const mutation = 'mutation($steps: [StepInput!]!) { ingestSteps(steps: $steps) { ok } }'
  const bare = { name: 'q', type: 'AI', value: 1 }
  await ask(mutation, { steps: [{ id: 'scores-1', scores: [{ ...bare, id: 'own-1' }, bare] }] })
  await ask(mutation, { steps: [{ id: 'scores-2', scores: [{ ...bare, id: 'own-2' }] }] })
  await ask(mutation, { steps: [{ id: 'scores-2', scores: [bare] }] })
  const { a, b } = await ask(
    '{ a: step(id: "scores-1") { scores { id } } b: step(id: "scores-2") { scores { id } } }',
  )
  expect([a.scores, b.scores]).toEqual([[{ id: 'own-1' }], [{ id: 'own-2' }]])
})

test('a step with only its thread and a file keeps all other values, and the first environment', async () => {
  const mutation =
    'mutation($id: String!, $threadId: String, $name: String, $attachments: [AttachmentPayloadInput!]) { ingestStep(id: $id, threadId: $threadId, name: $name, attachments: $attachments) { ok } }'
  await ask(mutation, { id: 'cl', threadId: 'cl-thread', name: 'kept' }, { 'x-env': 'staging' })
  await ask(
    mutation,
    {
      id: 'cl',
      threadId: 'cl-thread',
      attachments: [
        { id: 'file', mime: null, url: null, objectKey: 'k', metadata: { size: null } },
      ],
    },
    { 'x-env': 'dev' },
  )
  const { step } = await ask(
    '{ step(id: "cl") { name environment attachments { id metadata objectKey threadId } } }',
  )
  expect(step).toEqual({
    name: 'kept',
    environment: 'staging',
    attachments: [{ id: 'file', metadata: { size: null }, objectKey: 'k', threadId: 'cl-thread' }],
  })
})

test('aliased steps are one batch: a bad one is rejected alone, and the answer keeps the order of the document', async () => {
  const count = 120
  const variables: Record<string, unknown> = { createdAt_0: 'ignored', environment_0: 'ignored' }
  const definitions: string[] = []
  const fields: string[] = []
  for (let n = 0; n < count; n++) {
    definitions.push(
      `$id_${n}: String!, $type_${n}: StepType, $startTime_${n}: DateTime, $input_${n}: Json`,
    )
    fields.push(
      `step${n}: ingestStep(id: $id_${n}, type: $type_${n}, startTime: $startTime_${n}, input: $input_${n}) { ok message }`,
    )
    Object.assign(variables, {
      [`id_${n}`]: `alias-${n}`,
      [`type_${n}`]: 'tool',
      [`startTime_${n}`]: '2026-01-01T00:00:00Z',
      [`input_${n}`]: { n },
    })
  }
  variables.type_5 = 'thought'
  variables.startTime_7 = 'soon'
  variables.id_9 = ''
  const data = await ask(`mutation(${definitions.join(', ')}) { ${fields.join(' ')} }`, variables)
  expect(Object.keys(data)).toEqual(Array.from({ length: count }, (_, n) => `step${n}`))
  const refused = Object.entries(data).filter(([, value]) => !(value as { ok: boolean }).ok)
  expect(refused.map(([key]) => key)).toEqual(['step5', 'step7', 'step9'])
  expect(data.step7).toMatchObject({ message: expect.stringContaining('startTime') })
  const { steps } = await ask(
    '{ steps(first: 1, filters: [{ field: "id", operator: "ilike", value: "alias-" }]) { totalCount } }',
  )
  expect(steps.totalCount).toBe(count - 3)
})

test('scores and files may arrive before their step, which is listed only after its own arrival', async () => {
  await ask(
    'mutation { createAttachment(stepId: "early", name: "n", url: "https://example.org/") { id } }',
  )
  await ask('mutation { createScore(stepId: "early", name: "n", type: HUMAN, value: 1) { id } }')
  const list =
    'query { steps(filters: [{ field: "id", operator: "eq", value: "early" }]) { edges { node { id type scores { name } attachments { name } } } } }'
  expect((await ask(list)).steps.edges).toEqual([])
  await ask('mutation { ingestStep(id: "early", type: tool, attachments: [], scores: []) { ok } }')
  expect((await ask(list)).steps.edges).toEqual([
    { node: { id: 'early', type: 'tool', scores: [{ name: 'n' }], attachments: [{ name: 'n' }] } },
  ])
})

test('the tokens of a model call are stored in parts, whose sums are the counts that are not given', async () => {
  const mutation =
    'mutation($steps: [StepInput!]!) { ingestSteps(steps: $steps) { ok refused { index message } } }'
  const { ingestSteps } = await ask(mutation, {
    steps: [
      { id: 'parts', generation: { usage: { input: 3, cached: 4, reasoning: 5, total: 20 } } },
      { id: 'counted', generation: { tokenCount: 9, usage: { output: 2 } } },
      { id: 'negative', generation: { usage: { output: -1 } } },
      { id: 'nothing', generation: { usage: {} } },
    ],
  })
  expect(ingestSteps.refused).toEqual([
    { index: 2, message: expect.stringContaining('generation.usage.output: expected tokens') },
  ])
  const read = async (id: string) =>
    (
      await ask(
        `query($id: String!) { step(id: $id) { generation {
          inputTokenCount outputTokenCount tokenCount
          usage { input cached output reasoning unexplained total } } } }`,
        { id },
      )
    ).step.generation
  expect(await read('parts')).toEqual({
    inputTokenCount: 7,
    outputTokenCount: 5,
    tokenCount: 20,
    usage: { input: 3, cached: 4, output: null, reasoning: 5, unexplained: 8, total: 20 },
  })
  expect(await read('counted')).toMatchObject({
    inputTokenCount: null,
    outputTokenCount: 2,
    tokenCount: 9,
    usage: { output: 2, total: 2 },
  })
  expect(await read('nothing')).toMatchObject({ tokenCount: null, usage: null })
})
