import { expect, test } from 'vitest'
import { readHeaders } from '../src/tracing/propagation.js'
import { useService } from './support/service.js'

const fixture = useService()

test('a trace that fails is kept with the last 1,000 steps before the failure, not the first', async () => {
  const client = await fixture.newClient({ sample: 0 })
  await expect(
    client.trace({ name: 'root' }, async () => {
      for (let index = 0; index < 1500; index++) client.trace({ name: `${index}` }, () => 1)
      throw new Error('so it is kept')
    }),
  ).rejects.toThrow('kept')
  expect(client.stats()).toMatchObject({ recorded: 1001, sampledOut: 500 })
  await client.flush()
  const names = new Set<string | null>()
  for await (const { name } of client.api.getSteps.all()) names.add(name)
  expect(names.size).toBe(1001)
  expect([names.has('499'), names.has('500'), names.has('1499')]).toEqual([false, true, true])
})

test('a conversation whose steps are all sampled out leaves no thread', async () => {
  const client = await fixture.newClient({ sample: 0 })
  await client
    .thread({ id: 'empty', name: 'chat' })
    .wrap(async () => client.trace('turn', async () => client.trace('inner', () => 1)))
  // A step that begins before the thread is left, and ends later.
  let end = () => {}
  await client.thread({ id: 'slow' }).wrap(async () => {
    const open = new Promise<void>((resolve) => {
      end = resolve
    })
    void client.trace('late', () => open)
  })
  end()
  await client.flush()
  expect((await client.api.getThreads()).data).toEqual([])
})

test('a thread is recorded with all its changes once a step of it is kept', async () => {
  const client = await fixture.newClient({ sample: ({ name }) => name === 'kept' })
  await client
    .thread({ id: 't', name: 'chat', participantId: 'ada', metadata: { a: 1 } })
    .wrap(async (thread) => {
      client.trace('let go', () => 1)
      thread.tags = ['first']
    })
  await client
    .thread({ id: 't', metadata: { b: 2 } })
    .wrap(async () => client.trace('let go', () => 1))
  await client.flush()
  expect(await client.api.getThread('t')).toBeNull()
  await client.thread({ id: 't' }).wrap(async () => client.trace('kept', () => 1))
  await client.flush()
  await client.thread({ id: 't', metadata: { c: 3 } }).wrap(async () => {
    client.trace('let go', () => 1)
  })
  await client.flush()
  expect(await client.api.getThread('t')).toMatchObject({
    name: 'chat',
    participant: { identifier: 'ada' },
    tags: ['first'],
    metadata: { a: 1, b: 2, c: 3 },
    steps: [{ name: 'kept' }],
  })
})

test('a thread that waited for a kept step equals one that was never held back', async () => {
  const stored = []
  for (const sample of [1, 0]) {
    const client = await fixture.newClient({ sample })
    const change = (environment: string, metadata: Record<string, unknown>) =>
      client.thread({ id: 't', environment, metadata }).wrap(async () => {
        client.trace('let go', () => 1)
      })
    await change('staging', { a: 1 })
    await change('prod', { b: 2 })
    await client.thread({ id: 't' }).wrap(async () => {
      const step = client.step({ name: 'kept' })
      step.error = 'so it is kept'
      step.end()
    })
    await client.flush()
    const { environment, metadata } = (await client.api.getThread('t')) ?? {}
    stored.push({ environment, metadata })
  }
  expect(stored[0]).toMatchObject({ metadata: { a: 1, b: 2 } })
  expect(stored[1]).toEqual(stored[0])
})

test('sampling keeps threads that are recorded by hand, that have no steps, or whose trace fails', async () => {
  const client = await fixture.newClient({ sample: 0 })
  await client.thread({ id: 'by-hand', name: 'n' }).upsert()
  await client.thread({ id: 'without-steps', name: 'n' }).wrap(async () => 1)
  const failing = client.trace('root', async () =>
    client.thread({ id: 'failing', name: 'why' }).wrap(async () => {
      client.trace('inside', () => 1)
      throw new Error('x')
    }),
  )
  await expect(failing).rejects.toThrow('x')
  await client.flush()
  const { data } = await client.api.getThreads()
  expect(data.map(({ id }) => id).sort()).toEqual(['by-hand', 'failing', 'without-steps'])
  expect(await client.api.getThread('failing')).toMatchObject({ name: 'why' })
})

test('steps of a called service have the root run of the caller on every level, and pass it on', async () => {
  const client = await fixture.newClient()
  let headers: Record<string, string> = {}
  let onwards: Record<string, string> = {}
  client.run({ id: 'caller' }).trace('request', () => {
    headers = client.traceHeaders()
  })
  client.continueTrace(headers, () =>
    client.trace({ id: 'first' }, (first) => {
      client.trace({ id: 'second' }, () => {
        client.run({ id: 'nested run' }).trace({ id: 'third' }, () => {
          onwards = client.traceHeaders()
        })
      })
      first.step({ id: 'by hand' }).end()
    }),
  )
  expect(readHeaders(onwards)).toMatchObject({ rootRunId: 'caller', stepId: 'third' })
  await client.flush()
  for (const id of ['first', 'second', 'third', 'by hand'])
    expect(await client.api.getStep(id), id).toMatchObject({ rootRunId: 'caller' })
  expect(await client.api.getStep('second')).toMatchObject({ parentId: 'first' })
})
