import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parse } from 'graphql'
import { expect, expectTypeOf, test } from 'vitest'
import { StepwellClient } from '../src/index.js'
import { toCamelCase } from '../src/spelling.js'
import type { StepwellClient as SyncClient } from '../src/sync/index.js'
import { eventually } from './support/eventually.js'
import { snakeName } from './support/names.js'
import { argumentsOf, CASES, keep, type Made } from './support/operations.js'
import { useServiceProcess } from './support/service-process.js'

// The built module: the sources have no thread.
const built = pathToFileURL(join(import.meta.dirname, '../dist/esm/src/sync/index.js')).href
const sync = (await import(/* @vite-ignore */ built)) as { StepwellClient: typeof SyncClient }

const service = useServiceProcess(11)

type Api = Record<string, (...parameters: unknown[]) => unknown>

/** Runs all operations in their order. Returns the outcome of each: its result, or its error. */
const runAll = async (api: Api, isSnake: boolean): Promise<unknown[]> => {
  const made: Made = { none: 'nothing' }
  const outcomes: unknown[] = []
  for (const one of CASES) {
    const method = api[isSnake ? snakeName(one.name) : one.name]
    try {
      const result = await method?.(...argumentsOf(one, made, isSnake))
      if (one.keeps !== undefined) keep(one, made, result)
      outcomes.push(result)
    } catch (error) {
      outcomes.push(errorOf(error))
    }
  }
  return outcomes
}

/** Returns the visible parts of an error. Ids and times differ from one project to the other. */
const errorOf = (error: unknown) => {
  const { name, message, code, status, retryable } = error as Record<string, unknown>
  return { name, message, code, status, retryable }
}

/**
 * Replaces the parts of outcomes that differ each time: ids, moments and signatures, by the order in which they appear.
 * An alert may be evaluated before the next call, and calls may be priced.
 */
const comparable = (outcome: unknown): unknown => {
  const seen = new Map<string, string>()
  const text = JSON.stringify(outcome, (_, value) => (value === undefined ? null : value))
  return JSON.parse(
    (text ?? 'null')
      .replace(/"WyJ[\w-]+"/g, '"<cursor>"')
      .replace(/"(files|threads\/[^"/]*)\/[^"]*"/g, '"<object key>"')
      .replace(/"project \d+"/g, '"project"')
      .replace(/"[0-9a-f]{8}-[0-9a-f]{4}"/g, '"<key id>"')
      .replace(/"database_?[bB]ytes":\d+/g, '"databaseBytes":0')
      .replace(/"(key|prefix)":"lsk_[^"]*"/g, '"$1":"<key>"')
      .replace(/"whsec_[^"]*"/g, '"<secret>"')
      .replace(
        /"(state|state_?[sS]ince|evaluated_?[aA]t)":(null|"OK"|"[\d-]+T[^"]*")/g,
        '"$1":null',
      )
      .replace(/("state":null,(?:"state_?[sS]ince":null,)?"value":)0\b/g, '$1null')
      .replace(
        /"done":\d+,"(started_?[aA]t)":"[^"]*","(ended_?[aA]t)":(?:null|"[^"]*")/,
        '"done":null,"$1":"<moment>","$2":null',
      )
      .replace(/https?:\/\/127[^"]*/g, '<url>')
      .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<moment>')
      .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, (id) => {
        if (!seen.has(id)) seen.set(id, `<id ${seen.size}>`)
        return seen.get(id) as string
      }),
  )
}

const camelKeys = (value: unknown, key = ''): unknown => {
  if (['input', 'metadata', 'settings', 'variables', 'params', 'output', 'messages'].includes(key))
    return value
  if (Array.isArray(value)) return value.map((item) => camelKeys(item))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [toCamelCase(name), camelKeys(inner, name)]),
  )
}

const clients = () => {
  const [a, b, c, d] = service.apiKeys
  const apiUrl = service.url
  return {
    camel: new StepwellClient({ apiKey: a, apiUrl }).api as unknown as Api,
    snake: new StepwellClient({ apiKey: b, apiUrl }).api as unknown as Api,
    syncCamel: new sync.StepwellClient({ apiKey: c, apiUrl }).api as unknown as Api,
    syncSnake: new sync.StepwellClient({ apiKey: d, apiUrl }).api as unknown as Api,
  }
}

test('every operation is tried', () => {
  const { api } = new StepwellClient({ apiKey: 'k' })
  const tried = new Set(CASES.flatMap(({ name }) => [name, snakeName(name)]))
  const both = Object.keys(api).filter((name) => name !== 'create_prompt_lineage')
  expect(both.filter((name) => !tried.has(name))).toEqual([])
})

test('both flavours and both spellings give equal results and equal errors', async () => {
  const { camel, snake, syncCamel, syncSnake } = clients()
  const outcomes = {
    camel: await runAll(camel, false),
    snake: await runAll(snake, true),
    syncCamel: await runAll(syncCamel, false),
    syncSnake: await runAll(syncSnake, true),
  }
  for (const [index, one] of CASES.entries()) {
    const where = `${one.name} (${index})`
    const asynchronous = comparable(outcomes.camel[index])
    expect(comparable(outcomes.syncCamel[index]), where).toEqual(asynchronous)
    expect(comparable(outcomes.syncSnake[index]), where).toEqual(comparable(outcomes.snake[index]))
    if (!one.differs)
      expect(camelKeys(comparable(outcomes.snake[index])), where).toEqual(camelKeys(asynchronous))
  }
  // Most of them succeeded: equal errors prove little.
  const failed = CASES.flatMap(({ name }, index) => {
    const { code } = (outcomes.camel[index] ?? {}) as { code?: string }
    return code === undefined ? [] : [`${name}: ${code}`]
  })
  expect(failed).toEqual([
    'createUser: CONFLICT',
    'createScore: BAD_REQUEST',
    'getScores: INVALID_ARGUMENT',
    'createDataset: CONFLICT',
    'revokeApiKey: NOT_FOUND',
  ])
})

test('for any mistake in a call, both flavours report the same', async () => {
  const apiUrl = service.url
  const asynchronous = new StepwellClient({ apiKey: service.apiKeys[4], apiUrl })
    .api as unknown as Api
  const blocking = new sync.StepwellClient({ apiKey: service.apiKeys[5], apiUrl })
    .api as unknown as Api
  const wrong: unknown[][] = [
    [],
    [null],
    ['nothing'],
    [{}],
    [{ id: 'nothing', name: 7, first: 'x', thread_id: {}, stepId: 7, value: 'x' }],
    ['nothing', { value: 'x', input: 7 }, 'nothing'],
    [[{ name: 1 }]],
  ]
  const outcomeOf = async (call: () => unknown) => {
    try {
      return { result: await call() }
    } catch (error) {
      return errorOf(error)
    }
  }
  for (const name of Object.keys(asynchronous))
    for (const [index, parameters] of wrong.entries()) {
      const there = await outcomeOf(() => asynchronous[name]?.(...parameters))
      const here = await outcomeOf(() => blocking[name]?.(...parameters))
      expect(comparable(here), `${name} with ${JSON.stringify(wrong[index])}`).toEqual(
        comparable(there),
      )
    }
})

test('lists walk in both directions, by item and by page, and can be left early', async () => {
  const apiUrl = service.url
  const apiKey = service.apiKeys[6]
  const { api } = new StepwellClient({ apiKey, apiUrl })
  const blocking = new sync.StepwellClient({ apiKey, apiUrl }).api
  await api.sendSteps(
    Array.from({ length: 25 }, (_, index) => ({ id: `step-${index}`, name: `${index}` })),
  )
  const all = async <Item>(items: AsyncIterable<Item>): Promise<Item[]> => {
    const list: Item[] = []
    for await (const item of items) list.push(item)
    return list
  }
  for (const params of [{ first: 10 }, { last: 10 }, { first: 7, skip: 3 }]) {
    expect([...blocking.getSteps.all(params)]).toEqual(await all(api.getSteps.all(params)))
    expect([...blocking.get_steps.all(params)]).toEqual(await all(api.get_steps.all(params)))
    expect([...blocking.getSteps.pages(params)]).toEqual(await all(api.getSteps.pages(params)))
  }
  const names: (string | null)[] = []
  for (const { name } of blocking.getSteps.all({ first: 5 })) {
    names.push(name)
    if (names.length === 7) break
  }
  expect(names).toHaveLength(7)
  expect(() => [
    ...blocking.getSteps.all({ filters: [{ field: 'no' as never, operator: 'eq', value: '1' }] }),
  ]).toThrow('filters[0].field')
})

test('steps recorded around a call are its context, and its attachments are recorded with the step', () => {
  const stepwell = new sync.StepwellClient({ apiKey: service.apiKeys[7], apiUrl: service.url })
  stepwell.trace({ id: 'around', type: 'run' }, () => {
    const { stepId } = stepwell.api.createAttachment({ content: Buffer.from('hi'), name: 'hi.txt' })
    expect(stepId).toBe('around')
    const [message] = stepwell.api
      .getOrCreatePrompt('linked', [{ role: 'user', content: 'Hi {{name}}' }])
      .format({ name: 'Ada' })
    stepwell.api.createGeneration({ messages: [message as never] })
  })
  expect(stepwell.flush()).toMatchObject({ recorded: 1, delivered: 1, pending: 0 })
  expect(stepwell.api.getStep('around')?.attachments).toMatchObject([{ name: 'hi.txt' }])
  const [generation] = stepwell.api.getGenerations().data
  expect(generation).toMatchObject({ variables: { name: 'Ada' } })
  expect(generation?.promptId).toBe(stepwell.api.getPrompt('linked')?.id)
  stepwell.trace('last', () => 1)
  expect(stepwell.close()).toMatchObject({ recorded: 2, delivered: 2 })
  expect(
    stepwell.query<{ step: { name: string } | null }, object>('{ step(id: "around") { id } }'),
  ).toEqual({
    step: { id: 'around' },
  })
})

test('without promises, create_attachment creates a missing step', () => {
  const { api } = new sync.StepwellClient({ apiKey: service.apiKeys[10], apiUrl: service.url })
  const linked = api.create_attachment({ content: 'x', name: 'a.txt', thread_id: 't-linked' })
  expect(linked).toMatchObject({ name: 'a.txt', thread_id: 't-linked', mime: expect.any(String) })
  expect(api.get_attachment(linked.id)).toMatchObject({ object_key: linked.object_key })
  expect(api.getThread('t-linked')?.steps).toMatchObject([
    { id: linked.step_id, name: 'a.txt', attachments: [{ id: linked.id }] },
  ])
  const alone = api.create_attachment({ url: 'https://example.org/b.txt', id: 'chosen' })
  expect(alone).toMatchObject({ id: 'chosen', name: 'b.txt', thread_id: null })
  expect(() => api.create_attachment({})).toThrow('content, path: expected')
})

test('an attachment added after its step has ended reaches it, without promises too', () => {
  const stepwell = new sync.StepwellClient({ apiKey: service.apiKeys[10], apiUrl: service.url })
  stepwell.trace({ id: 'ended-early', name: 'n' }, (step) => {
    step.end()
    stepwell.flush()
    stepwell.api.createAttachment({ content: 'x', name: 'late.txt' })
    stepwell.flush()
    expect(stepwell.api.getStep('ended-early')?.attachments).toMatchObject([{ name: 'late.txt' }])
  })
  stepwell.close()
})

test('without arguments, every operation answers or names what it expected, in both flavours alike', async () => {
  const options = { apiUrl: service.url }
  const api = new StepwellClient({ ...options, apiKey: service.apiKeys[6] }).api as unknown as Api
  const blocking = new sync.StepwellClient({ ...options, apiKey: service.apiKeys[7] })
    .api as unknown as Api
  for (const [name, method] of Object.entries(api)) {
    const attempt = async (call: () => unknown) => {
      try {
        await call()
        return 'answered'
      } catch (error) {
        return errorOf(error)
      }
    }
    const outcome = await attempt(() => method())
    if (outcome !== 'answered') expect(outcome, name).toMatchObject({ name: 'StepwellError' })
    expect(await attempt(() => blocking[name]?.()), name).toEqual(outcome)
  }
  for (const name of ['getDataset', 'get_dataset'])
    await expect(api[name]?.()).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: 'id, name: expected one of them, got neither',
    })
})

test('a live step, a Blob and a File can be passed, a stream and a function cannot', () => {
  const client = new sync.StepwellClient({ apiKey: service.apiKeys[8], apiUrl: service.url })
  const { api } = client
  const live = client.step({ id: 'live', name: 'live', startTime: '2026-01-01T00:00:00.000Z' })
  api.sendSteps([live])
  expect(api.getStep('live')).toMatchObject({ name: 'live', startTime: '2026-01-01T00:00:00.000Z' })
  expect(api.uploadFile({ content: new Blob(['x']) }).objectKey).not.toBeNull()
  expect(api.createAttachment({ content: new File(['x'], 'named.txt'), stepId: 'live' }).name).toBe(
    'named.txt',
  )
  expect(() => api.uploadFile({ content: new ReadableStream() })).toThrow(
    /^content: expected a Buffer/,
  )
  expect(() => new sync.StepwellClient({ apiKey: 'k', fetch })).toThrow('fetch: expected none')
})

test("an unreachable service is the same error, with the caller's stack", async () => {
  const away = { apiKey: 'k', apiUrl: 'http://127.0.0.1:9', timeoutMs: 500 }
  const there = await new StepwellClient(away).api.getStep('x').catch(errorOf)
  expect(there).toMatchObject({ code: 'NETWORK', retryable: true })
  try {
    new sync.StepwellClient(away).api.getStep('x')
    expect.unreachable()
  } catch (error) {
    expect(errorOf(error)).toEqual(there)
    expect((error as Error).stack).toContain('flavours.test')
  }
})

test('the types of the synchronous flavour are those of the asynchronous one, without promises', () => {
  type There = StepwellClient['api']
  type Here = SyncClient['api']
  expectTypeOf<keyof Here>().toEqualTypeOf<keyof There>()
  expectTypeOf<ReturnType<Here['getStep']>>().toEqualTypeOf<Awaited<ReturnType<There['getStep']>>>()
  expectTypeOf<Parameters<Here['create_score']>>().toEqualTypeOf<
    Parameters<There['create_score']>
  >()
  expectTypeOf<ReturnType<Here['getSteps']>>().toEqualTypeOf<
    Awaited<ReturnType<There['getSteps']>>
  >()
  type Item = ReturnType<Here['get_threads']['all']> extends Generator<infer T> ? T : never
  type There2 = ReturnType<There['get_threads']['all']> extends AsyncGenerator<infer T> ? T : never
  expectTypeOf<Item>().toEqualTypeOf<There2>()
  type PromiseIn<Name extends keyof Here> = Here[Name] extends (...p: never[]) => infer Result
    ? Result extends Promise<unknown>
      ? Name
      : never
    : Name
  expectTypeOf<{ [Name in keyof Here]: PromiseIn<Name> }[keyof Here]>().toEqualTypeOf<never>()
})

test('values are stored as by the asynchronous flavour', async () => {
  const apiUrl = service.url
  const apiKey = service.apiKeys[9]
  const asynchronous = new StepwellClient({ apiKey, apiUrl })
  const blocking = new sync.StepwellClient({ apiKey, apiUrl })
  class Decimal {
    readonly value: number
    constructor(value: number) {
      this.value = value
    }
    toJSON() {
      return `dec:${this.value}`
    }
  }
  const metadata = () => ({
    decimal: new Decimal(3),
    date: new Date(0),
    url: new URL('http://x.example/'),
    buffer: Buffer.from('hi'),
    left: undefined,
    work: () => 1,
    list: [undefined, new Decimal(1)],
    proxy: new Proxy({ a: 1 }, {}),
  })
  await asynchronous.api.sendSteps([{ id: 'there', metadata: metadata() }])
  blocking.api.sendSteps([{ id: 'here', metadata: metadata() }])
  const there = (await asynchronous.api.getStep('there'))?.metadata
  expect((await asynchronous.api.getStep('here'))?.metadata).toEqual(there)
  expect(there).toMatchObject({ decimal: 'dec:3', list: [null, 'dec:1'] })
  const big = { id: 'x', metadata: { big: 10n } } as never
  const failure = await asynchronous.api.sendSteps([big]).catch(errorOf)
  try {
    blocking.api.sendSteps([big])
    expect.unreachable()
  } catch (error) {
    expect(errorOf(error)).toEqual(failure)
  }
})

test('a query takes syntax trees and options, and returns fields of any name', () => {
  const client = new sync.StepwellClient({ apiKey: service.apiKeys[9], apiUrl: service.url })
  expect(client.query('{ format: __typename }')).toEqual({ format: 'Query' })
  const document = parse(
    `mutation { createStep(name: "staged") { id environment } ${'# x\n'.repeat(10)} }`,
  )
  expect(client.query(document, {}, { environment: 'staging' })).toMatchObject({
    createStep: { environment: 'staging' },
  })
})

test('an unanswered flush loses nothing: its records are sent once the service is back', async () => {
  let isUp = false
  const server = createServer((request, response) => {
    if (!isUp) return request.socket.destroy()
    void fetch(`${service.url}${request.url}`, {
      method: 'POST',
      headers: request.headers as Record<string, string>,
      body: request as never,
      duplex: 'half',
    } as RequestInit).then(async (answer) =>
      response.writeHead(answer.status).end(Buffer.from(await answer.arrayBuffer())),
    )
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const client = new sync.StepwellClient({
    apiKey: service.apiKeys[9],
    apiUrl: `http://127.0.0.1:${port}`,
    onReport: () => {},
  })
  for (let round = 0; round < 6; round++) {
    client.trace(`step ${round}`, () => round)
    expect(client.flush({ timeoutMs: 100 })).toMatchObject({ delivered: 0, pending: round + 1 })
  }
  expect(client.stats().lastProblem).toBeDefined()
  isUp = true
  await eventually(() =>
    expect(client.stats()).toMatchObject({ delivered: 6, pending: 0, dropped: 0 }),
  )
  server.close()
  server.closeAllConnections()
})

test('the session ends with close, also when everything was delivered before', async () => {
  const apiUrl = service.url
  const client = new sync.StepwellClient({ apiKey: service.apiKeys[9], apiUrl })
  client.trace('only', () => 1)
  expect(client.flush()).toMatchObject({ delivered: 1 })
  const { sessionId } = client.close()
  const { api } = new StepwellClient({ apiKey: service.apiKeys[9], apiUrl })
  expect((await api.getSession(sessionId))?.endedAt).not.toBeNull()
  // A closed client still answers.
  expect(client.api.getProjectId()).toEqual(expect.any(String))
})

test('close delivers the steps that are still open, as unfinished', async () => {
  const apiUrl = service.url
  const client = new sync.StepwellClient({ apiKey: service.apiKeys[9], apiUrl })
  let id = ''
  const open = client.trace('open', (step) => {
    id = step.id
    return new Promise<void>((resolve) => setImmediate(resolve))
  })
  expect(client.close()).toMatchObject({ recorded: 1, delivered: 1 })
  const { api } = new StepwellClient({ apiKey: service.apiKeys[9], apiUrl })
  expect(await api.getStep(id)).toMatchObject({ error: 'unfinished: the client was closed' })
  await open
})

test('an invalid time-out does not mean an infinite one', () => {
  const client = new sync.StepwellClient({
    apiKey: 'k',
    apiUrl: 'http://127.0.0.1:9',
    onReport: () => {},
  })
  client.trace('step', () => 1)
  expect(client.flush({ timeoutMs: -1 })).toMatchObject({ pending: 1 })
  expect(client.close({ timeoutMs: 1 })).toMatchObject({ dropped: 1 })
})

test('a batch that has to be divided is delivered, and counted, once', async () => {
  const client = new sync.StepwellClient({
    apiKey: service.apiKeys[9],
    apiUrl: service.url,
    delivery: { maxBatchBytes: 4_000_000, maxRequests: 1 },
  })
  // Three bytes each in the request, so that 2.7 million counted characters are twice the limit.
  for (let index = 0; index < 3; index++)
    client.trace({ input: { text: '€'.repeat(900_000) } }, () => index)
  expect(client.flush()).toMatchObject({ recorded: 3, delivered: 3, pending: 0 })
  // Undelivered records would go before the next step, in the background and one request after another.
  client.trace({ id: 'after-the-parts' }, () => 1)
  await eventually(() => expect(client.api.getStep('after-the-parts')).not.toBeNull())
  await eventually(() => expect(client.stats().delivered).toBeGreaterThan(3))
  expect(client.stats()).toMatchObject({ recorded: 4, delivered: 4, pending: 0, dropped: 0 })
})
