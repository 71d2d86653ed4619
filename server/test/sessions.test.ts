import { gzipSync } from 'node:zlib'
import { createService, type Service } from '@stepwell/server'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Ask, asker, post } from './support/ask.js'

let service: Service
let ask: Ask
beforeAll(async () => {
  service = await createService({ apiKey: 'k' })
  ask = asker(service, 'k')
})
afterAll(() => service?.close())

const SEND = `mutation($steps: [StepInput!]!, $threads: [ThreadInput!], $session: SessionInput) {
  ingestSteps(steps: $steps, threads: $threads, session: $session) {
    ok message accepted refused { index id code message } refusedThreads { index id code message } } }`
const SESSION = `query($id: String!) { session(id: $id) {
  recorded received missing endedAt release missingRanges { from to } losses { reason from to threadId } } }`

const startedAt = '2026-01-01T00:00:00.000Z'
const send = async (variables: object) => (await ask(SEND, variables)).ingestSteps
const session = async (id: string) => (await ask(SESSION, { id })).session
const numbered = (sessionId: string, ...sequences: number[]) =>
  sequences.map((sequence) => ({ id: `${sessionId}-${sequence}`, sessionId, sequence }))

test('the service knows which steps of a session it has not received', async () => {
  await send({
    steps: numbered('a', 1, 2, 5, 6, 7),
    session: { id: 'a', startedAt, recorded: 10, release: 'r' },
  })
  expect(await session('a')).toEqual({
    recorded: 10,
    received: 5,
    missing: 5,
    endedAt: null,
    release: 'r',
    missingRanges: [
      { from: 3, to: 4 },
      { from: 8, to: 10 },
    ],
    losses: [],
  })
  await send({
    steps: numbered('a', 8, 3),
    session: {
      id: 'a',
      startedAt,
      recorded: 10,
      endedAt: '2026-01-01T12:03:00.000Z',
      losses: [{ reason: 'memory', from: 9, to: 10, threadId: 'lost-thread' }],
    },
  })
  expect(await session('a')).toMatchObject({
    received: 7,
    missing: 3,
    endedAt: expect.stringContaining('12:03'),
    missingRanges: [
      { from: 4, to: 4 },
      { from: 9, to: 10 },
    ],
    losses: [{ reason: 'memory', from: 9, to: 10, threadId: 'lost-thread' }],
  })
  expect(await session('nothing')).toBeNull()
})

test('a thread has the sessions that recorded it, or lost some of it', async () => {
  const steps = (sessionId: string) =>
    numbered(sessionId, 1).map((step) => ({ ...step, threadId: 'th' }))
  await send({ steps: steps('b'), session: { id: 'b', startedAt, recorded: 1 } })
  await send({
    steps: steps('c'),
    session: { id: 'c', startedAt: '2026-01-02T00:00:00.000Z', recorded: 3 },
  })
  await send({
    steps: [],
    session: {
      id: 'd',
      startedAt: '2026-01-03T00:00:00.000Z',
      recorded: 2,
      losses: [{ reason: 'deadline', from: 1, to: 2, threadId: 'th' }],
    },
  })
  const { threadDetail } = await ask(
    '{ threadDetail(id: "th") { sessions { id missing losses { from to } } } }',
  )
  expect(threadDetail.sessions).toEqual([
    { id: 'b', missing: 0, losses: [] },
    { id: 'c', missing: 2, losses: [] },
    { id: 'd', missing: 2, losses: [{ from: 1, to: 2 }] },
  ])
})

test('a repeated batch changes nothing, even when the step has changed since', async () => {
  const [step] = numbered('e', 1)
  await send({ steps: [{ ...step, name: 'recorded' }] })
  await ask('mutation { updateStep(id: "e-1", name: "edited") { id } }')
  expect(await send({ steps: [{ ...step, name: 'recorded' }] })).toMatchObject({
    ok: true,
    accepted: 1,
  })
  expect((await ask('{ step(id: "e-1") { name } }')).step.name).toBe('edited')
  await ask('mutation { deleteStep(id: "e-1") { id } }')
  await send({ steps: [{ ...step, name: 'recorded' }] })
  expect((await ask('{ step(id: "e-1") { name } }')).step).toBeNull()
})

test('a late, older part of a step only fills in values that the newer one left out', async () => {
  const part = (sequence: number, values: object) => ({
    id: 'f',
    sessionId: 'f',
    sequence,
    ...values,
  })
  await send({ steps: [part(2, { name: 'newer', output: { n: 2 } })] })
  await send({ steps: [part(1, { name: 'older', input: { n: 1 }, tags: ['old'] })] })
  expect((await ask('{ step(id: "f") { name input output tags } }')).step).toEqual({
    name: 'newer',
    input: { n: 1 },
    output: { n: 2 },
    tags: ['old'],
  })
  await send({ steps: [part(4, { name: 'fourth' }), part(3, { name: 'third' })] })
  expect((await ask('{ step(id: "f") { name sequence sessionId } }')).step).toEqual({
    name: 'fourth',
    sequence: 4,
    sessionId: 'f',
  })
})

test('an older part neither clears nor replaces values of a newer one', async () => {
  const part = (sequence: number, values: object) => ({
    id: 'o',
    sessionId: 'o',
    sequence,
    ...values,
  })
  const score = (value: number) => [{ id: 'o-score', name: 's', type: 'AI', value }]
  await send({ steps: [part(4, { output: { n: 4 }, tags: [], scores: score(4) })] })
  await send({
    steps: [
      part(3, {
        type: 'llm',
        output: null,
        tags: ['t'],
        generation: { model: 'm' },
        scores: [...score(3), { id: 'o-other', name: 'x', type: 'AI', value: 3 }],
      }),
    ],
  })
  expect(
    (await ask('{ step(id: "o") { type output tags generation { model } scores { id value } } }'))
      .step,
  ).toEqual({
    type: 'llm',
    output: { n: 4 },
    tags: ['t'],
    generation: { model: 'm' },
    scores: [
      { id: 'o-score', value: 4 },
      { id: 'o-other', value: 3 },
    ],
  })
})

test('the result is the same for any order and repetition of a step’s two parts', async () => {
  let run = 0
  await fc.assert(
    fc.asyncProperty(
      fc.shuffledSubarray([1, 2], { minLength: 2 }),
      fc.array(fc.integer({ min: 1, max: 2 }), { maxLength: 4 }),
      async (order, repeated) => {
        const id = `order-${run++}`
        for (const sequence of [...order, ...repeated])
          await send({
            steps: [
              {
                id,
                sessionId: id,
                sequence,
                name: `part ${sequence}`,
                metadata: { sequence },
                ...(sequence === 2 ? { input: { sequence } } : { output: { sequence } }),
              },
            ],
            session: { id, startedAt, recorded: 2 },
          })
        const { step } = await ask(`{ step(id: "${id}") { name input output metadata } }`)
        expect(step).toEqual({
          name: 'part 2',
          input: { sequence: 2 },
          output: { sequence: 1 },
          metadata: { sequence: 2 },
        })
        expect(await session(id)).toMatchObject({ received: 2, missing: 0 })
      },
    ),
    { numRuns: 25 },
  )
})

test('threads of a batch are stored before its steps, and a refused one keeps nothing else out', async () => {
  const result = await send({
    threads: [
      { id: 'g', name: 'named', participantId: 'bob', tags: ['x'] },
      { id: '', name: 'no id' },
      { id: 'h', environment: 'nowhere' },
    ],
    steps: [{ id: 'g-1', threadId: 'g' }, { id: '' }],
  })
  expect(result).toMatchObject({
    ok: false,
    accepted: 1,
    refused: [{ index: 1, code: 'INVALID_ARGUMENT' }],
    refusedThreads: [
      { index: 1, code: 'INVALID_ARGUMENT' },
      { index: 2, id: 'h', code: 'INVALID_ARGUMENT' },
    ],
  })
  expect(
    (await ask('{ threadDetail(id: "g") { name tags participant { identifier } steps { id } } }'))
      .threadDetail,
  ).toEqual({
    name: 'named',
    tags: ['x'],
    participant: { identifier: 'bob' },
    steps: [{ id: 'g-1' }],
  })
})

test('a malformed step or thread is refused alone, and nothing is stored before the session is checked', async () => {
  const result = await send({
    threads: [
      { id: 'p', tags: 5 },
      { id: 'q', name: 'kept' },
    ],
    steps: [{ id: 'p-1', sequence: 1.5 }, { id: 'p-2' }, { id: 'p-3', startTime: 'yesterday' }],
    session: { id: 'p', startedAt, recorded: 0 },
  })
  expect(result).toMatchObject({
    accepted: 1,
    refused: [{ index: 0 }, { index: 2 }],
    refusedThreads: [{ index: 0 }],
  })
  expect((await ask('{ threadDetail(id: "q") { name } }')).threadDetail).toEqual({ name: 'kept' })
  expect(await session('p')).toMatchObject({ recorded: 0, missing: 0, missingRanges: [] })
  await expect(
    send({ steps: [{ id: 'p-4' }], session: { id: 'p', startedAt, recorded: -1 } }),
  ).rejects.toThrow('session.recorded')
  expect((await ask('{ step(id: "p-4") { id } }')).step).toBeNull()
  const last = numbered('r', 2 ** 31 - 1, 2 ** 31 - 2)
  expect(await send({ steps: last })).toMatchObject({ accepted: 1, refused: [{ index: 0 }] })
  expect(await session('r')).toMatchObject({ recorded: 2 ** 31 - 2, received: 1 })
})

test('a value that is too large is refused with its own code', async () => {
  const { refused } = await send({ steps: [{ id: 'i', input: { text: 'x'.repeat(3_100_000) } }] })
  expect(refused).toMatchObject([{ index: 0, code: 'TOO_LARGE' }])
})

test.each([
  [{ id: '', startedAt, recorded: 1 }, 'session.id'],
  [{ id: 'j', startedAt, recorded: -1 }, 'session.recorded'],
  [{ id: 'j', startedAt, recorded: 2 ** 31 - 1 }, 'session.recorded'],
  [{ id: 'j', startedAt, recorded: 1, losses: [{ reason: 'x', from: 2, to: 1 }] }, 'losses[0]'],
])('an invalid session is rejected: %j', async (told, field) => {
  await expect(send({ steps: [], session: told })).rejects.toThrow(field)
})

test('the thread of a loss whose id is too long is left out, and the steps beside the report are stored', async () => {
  const losses = [{ reason: 'refused', from: 1, to: 1, threadId: 'x'.repeat(513) }]
  const told = { id: 'long', startedAt, recorded: 2, losses }
  expect(await send({ steps: numbered('long', 2), session: told })).toMatchObject({ accepted: 1 })
  expect(await session('long')).toMatchObject({
    received: 1,
    losses: [{ reason: 'refused', from: 1, to: 1, threadId: null }],
  })
})

test('another project sees no session, and has a separate one of the same name', async () => {
  const theirs = asker(service, (await service.createProject('theirs')).apiKey)
  await send({ steps: numbered('k', 1), session: { id: 'k', startedAt, recorded: 1 } })
  expect((await theirs(SESSION, { id: 'k' })).session).toBeNull()
  await theirs(SEND, { steps: numbered('k', 1, 2), session: { id: 'k', startedAt, recorded: 5 } })
  expect(await session('k')).toMatchObject({ recorded: 1, received: 1 })
})

test('compressed bodies are read, and those in another encoding than announced are rejected', async () => {
  const body = JSON.stringify({ query: '{ steps { edges { node { id } } } }' })
  const ask = (sent: Uint8Array, encoding: string) =>
    post(service, '/api/graphql', sent, { 'x-api-key': 'k', 'content-encoding': encoding })
  expect(await ask(gzipSync(body), 'gzip')).toMatchObject({ status: 200, body: { data: {} } })
  expect(await ask(gzipSync(body), 'br')).toMatchObject({ status: 400 })
  expect(await ask(new TextEncoder().encode(body), 'gzip')).toMatchObject({ status: 400 })
  expect(await ask(gzipSync(body).subarray(0, 30), 'gzip')).toMatchObject({ status: 400 })
})

test('a small body that unpacks to a huge one is rejected', async () => {
  const small = await createService({ apiKey: 'k', limits: { requestBytes: 100_000 } })
  const bomb = gzipSync(JSON.stringify({ query: 'x'.repeat(10_000_000) }))
  expect(bomb.length).toBeLessThan(100_000)
  expect(
    await post(small, '/api/graphql', bomb, { 'x-api-key': 'k', 'content-encoding': 'gzip' }),
  ).toMatchObject({ status: 413 })
  await small.close()
})
