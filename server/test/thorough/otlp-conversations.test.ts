import { createService, type Service } from '@stepwell/server'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { StepwellClient } from '../../../src/index.js'
import { asker } from '../support/ask.js'
import { asJson } from '../support/otlp.js'
import {
  expectedOf,
  idOf,
  newTrace,
  type Planned,
  planOfTrace,
  requestsOf,
} from '../support/planned-traces.js'

let service: Service
let api: StepwellClient['api']
beforeAll(async () => {
  service = await createService({ apiKey: 'k' })
  api = new StepwellClient({ apiKey: 'k', fetch: service.fetch }).api
})
afterAll(() => service?.close())

const send = async (traceId: string, spans: readonly Planned[]) => {
  const response = await service.fetch('http://stepwell.test/v1/traces', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': 'k' },
    body: asJson({ spans: spans.map((span) => ({ ...span, traceId, name: span.spanId })) }),
  })
  expect(await response.json()).toEqual({})
}

const usersOfSteps = async (id: string) => {
  const { threadDetail } = await asker(service, 'k')(
    'query($id: String!) { threadDetail(id: $id) { steps { participantIdentifier } } }',
    { id },
  )
  const steps: { participantIdentifier: string | null }[] = threadDetail.steps
  return [...new Set(steps.map(({ participantIdentifier }) => participantIdentifier))]
}

test.each(['one after the other', 'at once'])(
  'the spans of a trace are in one thread of one user, however they come, and in the same one: requests %s',
  async (manner) => {
    await fc.assert(
      fc.asyncProperty(planOfTrace, async (spans) => {
        const traceId = newTrace()
        const sent = requestsOf(traceId, spans)
        if (manner === 'at once') await Promise.all(sent.map((some) => send(traceId, some)))
        else for (const some of sent) await send(traceId, some)
        const expected = expectedOf(traceId, spans)
        const thread = await api.getThread(expected.threadId)
        expect(thread?.steps?.map(({ id }) => id).sort()).toEqual(expected.stepIds)
        expect(thread?.participant?.identifier ?? null).toBe(expected.user)
        expect(await usersOfSteps(expected.threadId)).toEqual([expected.user])
        for (const other of expected.leftThreads) expect(await api.getThread(other)).toBeNull()
      }),
      { numRuns: 60 },
    )
  },
)

test('a trace that moves leaves threads that others named or described', async () => {
  const traceId = newTrace()
  const span = (index: number, parent: string, conversation: string): Planned => ({
    spanId: idOf(index),
    parentSpanId: parent,
    start: 5n,
    attributes: { 'session.id': conversation },
  })
  await api.upsertThread({ threadId: 'named before', name: 'Kept' })
  await send(traceId, [span(1, idOf(0), 'named before')])
  expect((await api.getThread('named before'))?.steps).toHaveLength(1)
  await send(traceId, [span(0, '', 'of the first span')])
  expect((await api.getThread('of the first span'))?.steps).toHaveLength(2)
  expect(await api.getThread('named before')).toMatchObject({ name: 'Kept', steps: [] })
})

test('a deleted conversation is not named by the traces that were in it any more', async () => {
  const traceId = newTrace()
  const span = (index: number, attributes = {}): Planned => ({
    spanId: idOf(index),
    parentSpanId: '',
    start: 5n,
    attributes,
  })
  await send(traceId, [span(0, { 'session.id': 'forgotten' })])
  await api.deleteThread('forgotten')
  await send(traceId, [span(1)])
  expect(await api.getThread('forgotten')).toBeNull()
  expect((await api.getThread(traceId))?.steps).toHaveLength(1)
})

test('a user who is deleted is not given to a trace that moves', async () => {
  const traceId = newTrace()
  const span = (index: number, attributes = {}): Planned => ({
    spanId: idOf(index),
    parentSpanId: idOf(99),
    start: BigInt(9 - index),
    attributes,
  })
  await send(traceId, [span(1, { 'user.id': 'left' })])
  const [left] = (await api.getUsers({ query: 'user=left' })).data
  await api.deleteUser(left?.id ?? '')
  await send(traceId, [span(2, { 'session.id': 'without a user' })])
  const thread = await api.getThread('without a user')
  expect(thread?.steps).toHaveLength(2)
  expect(thread?.participant).toBeNull()
})

test('a conversation has the user of the trace that came last, and one in it that comes again changes nothing', async () => {
  const [first, second] = [newTrace(), newTrace()]
  const span = (user: string): Planned => ({
    spanId: idOf(1),
    parentSpanId: '',
    start: user === 'guest' ? 5n : 6n,
    attributes: { 'session.id': 'signed in', 'user.id': user },
  })
  const userOf = async () => (await api.getThread('signed in'))?.participant?.identifier
  await send(first, [span('guest')])
  expect(await userOf()).toBe('guest')
  await send(second, [span('member')])
  await send(first, [span('guest')])
  expect(await userOf()).toBe('member')
})

test('a user who was deleted is there again once a span names them again, and gives way to any other one', async () => {
  const [again, other] = [newTrace(), newTrace()]
  const span = (user: string, index = 0) => ({
    spanId: idOf(index),
    parentSpanId: index === 0 ? '' : idOf(0),
    start: BigInt(index),
    attributes: { 'user.id': user },
  })
  for (const trace of [again, other]) await send(trace, [span('cleo')])
  const ask = asker(service, 'k')
  const { participant } = await ask('{ participant(identifier: "cleo") { id } }')
  await ask('mutation ($id: String!) { deleteParticipant(id: $id) { id } }', participant)
  await send(again, [span('cleo')])
  await send(other, [span('dora', 1)])
  expect(await usersOfSteps(again)).toEqual(['cleo'])
  expect(await usersOfSteps(other)).toEqual(['dora'])
})
