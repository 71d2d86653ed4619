import { EventEmitter } from 'node:events'
import { readFile } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { type CompilerOptions, ModuleKind, ScriptTarget, transpileModule } from 'typescript'
import { expect, expectTypeOf, test, vi } from 'vitest'
import type { StepwellClient, StepwellClientOptions } from '../src/index.js'
import { readHeaders } from '../src/tracing/propagation.js'
import { capture } from '../src/values/capture.js'
import { now, toIso } from '../src/values/clock.js'
import { useService } from './support/service.js'

const fixture = useService()
const newClient = (options: Partial<StepwellClientOptions> = {}) =>
  fixture.newClient({ onReport: () => {}, ...options })

/** Returns the stored steps, by name. */
const stored = async (client: StepwellClient) => {
  await client.flush()
  const { data } = await client.api.getSteps({ first: 1000 })
  return Object.fromEntries(data.map((step) => [step.name ?? '', step]))
}

const revoked = (): unknown => {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
}

test('threads, runs and steps keep their tree, as with the legacy client', async () => {
  const client = await newClient({ release: 'r7' })
  const result = await client
    .thread({ id: 't', name: 'chat', participantId: 'bob' })
    .wrap(async () =>
      client.run({ name: 'outer' }).wrap(async () => {
        await client.step({ name: 'tool', type: 'tool' }).wrap(async () => ({ answer: 42 }))
        await client.run({ name: 'inner' }).wrap(async () => {
          await client.step({ name: 'message', type: 'assistant_message' }).send()
        })
        return 'done'
      }),
    )
  expect(result).toBe('done')
  const { outer, tool, inner, message } = await stored(client)
  expect(outer).toMatchObject({
    type: 'run',
    threadId: 't',
    parentId: null,
    rootRunId: null,
    output: { output: 'done' },
    metadata: { release: 'r7' },
  })
  expect(tool).toMatchObject({ parentId: outer?.id, rootRunId: outer?.id, output: { answer: 42 } })
  expect(inner).toMatchObject({ parentId: outer?.id, rootRunId: outer?.id, threadId: 't' })
  expect(message).toMatchObject({ parentId: inner?.id, rootRunId: outer?.id })
  expect(message?.startTime).toBe(message?.endTime)
  expect(await client.api.getThread('t')).toMatchObject({
    name: 'chat',
    participant: { identifier: 'bob' },
    metadata: { release: 'r7' },
  })
})

test('wrap takes changes of the step, or a function from its output to them', async () => {
  const client = await newClient()
  await client.step({ name: 'a' }).wrap(async () => 1, { tags: ['x'], output: { own: true } })
  await client.step({ name: 'b' }).wrap(
    async () => 2,
    async (output) => ({ metadata: { doubled: output * 2 } }),
  )
  await client.step({ name: 'c' }).wrap(
    async () => 3,
    () => {
      throw new Error('a fault of the application’s own')
    },
  )
  const { a, b, c } = await stored(client)
  expect(a).toMatchObject({ tags: ['x'], output: { own: true } })
  expect(b).toMatchObject({ output: { output: 2 }, metadata: { doubled: 4 } })
  expect(c).toMatchObject({ output: { output: 3 } })
})

test('trace returns the result of its function: at once, or as a promise', async () => {
  const client = await newClient()
  const sync = client.trace('sync', () => 5)
  expectTypeOf(sync).toEqualTypeOf<number>()
  expect(sync).toBe(5)
  const promise = client.trace('async', async (step) => {
    step.input = { given: true }
    expect(client.currentStep).toBe(step)
    return 'later'
  })
  expectTypeOf(promise).toEqualTypeOf<Promise<string>>()
  expect(await promise).toBe('later')
  const steps = await stored(client)
  expect(steps.sync).toMatchObject({ type: 'run', output: { output: 5 } })
  expect(steps.async).toMatchObject({ input: { given: true }, output: { output: 'later' } })
})

test('errors are recorded and rethrown unchanged', async () => {
  const client = await newClient()
  const error = new TypeError('boom', { cause: new Error('why') })
  await expect(
    client.trace('outer', async () =>
      client.trace('inner', async () => {
        throw error
      }),
    ),
  ).rejects.toBe(error)
  const thrown = { code: 7 }
  expect(() =>
    client.trace('odd', () => {
      throw thrown
    }),
  ).toThrow(expect.objectContaining({ code: 7 }))
  const { outer, inner, odd } = await stored(client)
  expect(inner?.error).toBe('TypeError: boom (caused by Error: why)')
  expect(outer?.error).toContain('boom')
  expect(odd?.error).toBe('{"code":7}')
  expect(inner?.endTime).not.toBeNull()
})

test('context is right across awaits, timers, events and parallel branches, and leaks nowhere', async () => {
  const client = await newClient()
  const emitter = new EventEmitter()
  const names: Record<string, string | undefined> = {}
  await Promise.all(
    ['a', 'b', 'c'].map((name) =>
      client.trace(name, async () => {
        await sleep(Math.random() * 5)
        names[`${name} await`] = client.currentStep?.name
        await new Promise<void>((resolve) =>
          setTimeout(() => {
            names[`${name} timer`] = client.currentStep?.name
            resolve()
          }, 1),
        )
        emitter.once(
          name,
          client.bind(() => {
            names[`${name} event`] = client.currentStep?.name
          }),
        )
        await client.trace(`${name}-child`, async () => sleep(1))
        names[`${name} after a child`] = client.currentStep?.name
      }),
    ),
  )
  for (const name of ['a', 'b', 'c']) emitter.emit(name)
  for (const [what, name] of Object.entries(names)) expect(name, what).toBe(what[0])
  expect(Object.keys(names)).toHaveLength(12)
  expect(client.currentStep).toBeUndefined()
  expect(() => client.getCurrentStep()).toThrow('outside')
  const steps = await stored(client)
  for (const name of ['a', 'b', 'c'])
    expect(steps[`${name}-child`]).toMatchObject({ parentId: steps[name]?.id })
})

test('two clients in one process see nothing of each other', async () => {
  const [one, other] = [await newClient(), await newClient()]
  await one.trace('mine', () =>
    other.trace('theirs', () => {
      expect(one.currentStep?.name).toBe('mine')
      expect(other.currentStep?.name).toBe('theirs')
      one.trace('inside', () => {})
      other.trace('inside too', () => {})
    }),
  )
  const [mine, theirs] = [await stored(one), await stored(other)]
  expect(Object.keys(mine).sort()).toEqual(['inside', 'mine'])
  expect(mine.inside?.parentId).toBe(mine.mine?.id)
  expect(theirs['inside too']?.parentId).toBe(theirs.theirs?.id)
  expect(theirs.theirs?.parentId).toBeNull()
})

test('a generator is a step until its end, and runs in its context', async () => {
  const client = await newClient()
  const words = client.traced(async function* words(count: number) {
    for (let index = 0; index < count; index++) {
      await client.trace(`word ${index}`, async () => sleep(1))
      yield `w${index} `
    }
  })
  const seen: string[] = []
  await client.trace('reader', async () => {
    for await (const word of words(3)) {
      expect(client.currentStep?.name).toBe('reader')
      seen.push(word)
    }
  })
  expect(seen).toEqual(['w0 ', 'w1 ', 'w2 '])
  const broken = client.traced(function* broken() {
    yield 1
    throw new Error('half way')
  })
  expect(() => [...broken()]).toThrow('half way')
  const stopped = client.traced(function* stopped() {
    yield* [1, 2, 3]
  })
  for (const value of stopped()) if (value === 2) break
  const steps = await stored(client)
  expect(steps.words).toMatchObject({
    input: { arguments: [3] },
    output: { output: 'w0 w1 w2 ' },
    parentId: steps.reader?.id,
  })
  expect(steps['word 1']?.parentId).toBe(steps.words?.id)
  expect(steps.broken?.error).toContain('half way')
  expect(steps.stopped).toMatchObject({ output: { output: [1, 2] } })
})

test('until keeps a step open until a stream is read to its end', async () => {
  const client = await newClient()
  const web = await client.trace('web', async (step) =>
    step.until(
      new ReadableStream<Uint8Array>({
        pull(controller) {
          expect(client.currentStep?.name).toBe('web')
          controller.enqueue(new TextEncoder().encode('half '))
          controller.close()
        },
      }),
    ),
  )
  const node = client.trace('node', (step) => step.until(Readable.from(['a', 'b'])))
  const iterable = {
    async *[Symbol.asyncIterator]() {
      yield { delta: 1 }
      yield { delta: 2 }
    },
  }
  const followed = client.trace('iterable', (step) => step.until(iterable))
  const failing = client.trace('failing', (step) =>
    step.until(new Readable({ read: () => failing.destroy(new Error('cable')) })),
  ) as Readable
  expect(Object.keys(await stored(client))).toEqual([])
  expect(await new Response(web).text()).toBe('half ')
  const chunks: string[] = []
  for await (const chunk of node) chunks.push(String(chunk))
  for await (const _ of followed);
  await expect(failing.toArray()).rejects.toThrow('cable')
  expect(chunks).toEqual(['a', 'b'])
  const steps = await stored(client)
  expect(steps.web).toMatchObject({ output: { output: 'half ' } })
  expect(steps.node?.endTime).not.toBeNull()
  expect(steps.iterable).toMatchObject({ output: { output: [{ delta: 1 }, { delta: 2 }] } })
  expect(steps.failing?.error).toContain('cable')
})

test('traced keeps name, length, this and types, and records arguments as they were', async () => {
  const client = await newClient()
  const add = client.traced(function add(this: { base: number }, list: number[], more: number) {
    list.push(more)
    return this.base + list.length
  })
  expect([add.name, add.length]).toEqual(['add', 2])
  expectTypeOf(add).parameters.toEqualTypeOf<[number[], number]>()
  expect(add.call({ base: 10 }, [1], 2)).toBe(12)
  const secret = client.traced((password: string) => password.length, {
    name: 'secret',
    input: (password) => ({ length: password.length }),
    output: false,
  })
  secret('hunter2')
  const steps = await stored(client)
  expect(steps.add?.input).toEqual({ arguments: [[1], 2] })
  expect(steps.secret).toMatchObject({ input: { length: 7 }, output: null })
})

/** Returns the functions of `modern-syntax.ts`, compiled for the oldest Node that is supported. */
const modernSyntax = async (
  options: CompilerOptions = {},
): Promise<typeof import('./support/modern-syntax.js')> => {
  const source = await readFile(new URL('./support/modern-syntax.ts', import.meta.url), 'utf8')
  const { outputText } = transpileModule(source, {
    compilerOptions: { target: ScriptTarget.ES2022, module: ModuleKind.ESNext, ...options },
  })
  return import(/* @vite-ignore */ `data:text/javascript,${encodeURIComponent(outputText)}`)
}

test.each([
  ['a standard decorator', false],
  ['a decorator of the kind before, as of NestJS,', true],
])('%s records the calls of a method', async (_, experimentalDecorators) => {
  const client = await newClient()
  const { decorated } = await modernSyntax({ experimentalDecorators })
  expect(await decorated(client).double(21)).toBe(42)
  expect((await stored(client)).double).toMatchObject({
    type: 'tool',
    tags: ['d'],
    input: { arguments: [21] },
    output: { output: 42 },
  })
})

test('using ends a step with its block', async () => {
  const client = await newClient()
  const { block } = await modernSyntax()
  block(client)
  const { block: ended, inside } = await stored(client)
  expect(ended).toMatchObject({ output: { done: true } })
  expect(inside?.parentId).toBe(ended?.id)
  expect(Date.parse(inside?.endTime ?? '')).toBeLessThanOrEqual(Date.parse(ended?.endTime ?? ''))
})

test('decorate adds tags and metadata to the steps inside, and names the first', async () => {
  const client = await newClient()
  await client.decorate({ tags: ['a'], metadata: { m: 1 }, stepId: 'first' }).wrap(async () => {
    client.trace({ name: 'one', tags: ['own'], metadata: { m: 2 } }, () =>
      client.decorate({ tags: ['b'] }).wrap(async () => client.trace('two', () => 1)),
    )
  })
  client.trace('outside', () => 1)
  const { one, two, outside } = await stored(client)
  expect(one).toMatchObject({ id: 'first', tags: ['a', 'own'], metadata: { m: 2 } })
  expect(two).toMatchObject({ tags: ['a', 'b'], metadata: { m: 1 }, parentId: 'first' })
  expect(outside).toMatchObject({ tags: null, metadata: null })
})

test('an experiment item’s run and all inside it are of the environment experiment', async () => {
  const client = await newClient({ environment: 'staging' })
  const experiment = await client.api.createExperiment({ name: 'e' })
  const item = await client.experimentItemRun().wrap(async () => {
    client.trace('inside', () => 1)
    await client.api.createGeneration({ model: 'm', messages: [] })
    return client.api.createExperimentItem({ datasetExperimentId: experiment.id })
  })
  client.trace('outside', () => 1)
  await client.flush()
  const run = await client.api.getStep(item.experimentRunId as string)
  expect(run).toMatchObject({ type: 'run', name: 'Experiment Run', environment: 'experiment' })
  const { data } = await client.api.getSteps()
  const environments = Object.fromEntries(data.map((step) => [step.name, step.environment]))
  expect(environments).toMatchObject({ inside: 'experiment', outside: 'staging' })
  expect(data.find(({ type }) => type === 'llm')?.environment).toBe('experiment')
})

test('an attachment made inside a step belongs to it and to its thread', async () => {
  const client = await newClient()
  const step = client.thread({ id: 't-file' }).step({ id: 'with-file', name: 'f' })
  await step.wrap(async () => {
    const attachment = await client.api.createAttachment({ content: 'x', name: 'a.txt' })
    expect(attachment).toMatchObject({ threadId: 't-file', stepId: 'with-file' })
    await client.api.create_attachment({ content: 'y', name: 'b.txt' })
  })
  await client.flush()
  const { attachments = [] } = (await client.api.getStep('with-file')) ?? {}
  expect(attachments.map(({ name, threadId }) => [name, threadId]).sort()).toEqual([
    ['a.txt', 't-file'],
    ['b.txt', 't-file'],
  ])
})

test('a trace spans services by traceparent and baggage', async () => {
  const client = await newClient()
  const headers: Record<string, string> = await client
    .thread({ id: 't-span' })
    .wrap(async () =>
      client
        .run({ name: 'caller' })
        .wrap(async () =>
          client.trace('request', () => ({ ...client.traceHeaders(), other: 'x' })),
        ),
    )
  expect(headers.traceparent).toMatch(/^00-[\da-f]{32}-[\da-f]{16}-01$/)
  const baggage = `${headers.baggage},tenant=acme%20inc`
  await client.continueTrace(new Headers({ ...headers, baggage }), async () => {
    expect(client.baggage.get('tenant')).toBe('acme inc')
    await client.trace('callee', async () => {
      expect(client.traceHeaders().baggage).toContain('tenant=acme%20inc')
      expect(client.traceHeaders().traceparent?.slice(3, 35)).toBe(
        headers.traceparent?.slice(3, 35),
      )
    })
  })
  const { caller, request, callee } = await stored(client)
  expect(callee).toMatchObject({
    parentId: request?.id,
    rootRunId: caller?.id,
    threadId: 't-span',
  })
})

test('a foreign trace is continued without inventing a parent, and invalid headers change nothing', async () => {
  const client = await newClient()
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00'
  client.continueTrace({ traceparent }, () =>
    client.trace('foreign', () => {
      expect(client.traceHeaders().traceparent).toContain('0af7651916cd43dd8448eb211c80319c')
    }),
  )
  for (const headers of [{}, { traceparent: 'x' }, { traceparent: ['a'] }, { baggage: ';;=,%%%' }])
    client.continueTrace(headers, () => client.trace('plain', () => 1))
  const { foreign, plain } = await stored(client)
  expect(foreign?.parentId).toBeNull()
  expect(plain?.parentId).toBeNull()
})

test('ids in headers that the service would not take are left out, and those beside them used', () => {
  const long = 'x'.repeat(513)
  const limit = 'é'.repeat(256)
  const baggage = `stepwell.step=${long},stepwell.run=${encodeURIComponent(limit)},stepwell.thread=${encodeURIComponent(`${limit}y`)}`
  expect(readHeaders({ baggage })).toMatchObject({
    stepId: undefined,
    rootRunId: limit,
    threadId: undefined,
  })
})

test('headers with any content are read without throwing', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (traceparent, baggage) => {
      readHeaders({ traceparent, baggage })
    }),
  )
})

test('sampling keeps or drops whole traces, and keeps those with errors whole', async () => {
  const client = await newClient({ sample: ({ name }) => name !== 'boring' })
  client.trace('kept', () => client.trace('kept child', () => 1))
  client.trace('boring', () => client.trace('boring child', () => 1))
  await expect(
    client.trace({ name: 'boring', id: 'failing-root' }, async () => {
      client.trace('before the error', () => 1)
      await client.trace('the error', async () => {
        throw new Error('x')
      })
    }),
  ).rejects.toThrow('x')
  const none = await newClient({ sample: 0 })
  none.trace('nothing', () => none.step({ name: 'sent' }).end())
  expect(Object.keys(await stored(client)).sort()).toEqual([
    'before the error',
    'boring',
    'kept',
    'kept child',
    'the error',
  ])
  expect(client.stats()).toMatchObject({ recorded: 5, sampledOut: 2 })
  expect(await stored(none)).toEqual({})
})

test('a rate samples about that share of traces', async () => {
  const client = await newClient({ sample: 0.3, disabled: false })
  for (let index = 0; index < 2000; index++) client.trace('t', () => 1)
  const { recorded, sampledOut } = client.stats()
  expect(recorded + sampledOut).toBe(2000)
  expect(recorded).toBeGreaterThan(450)
  expect(recorded).toBeLessThan(750)
  await client.close()
})

test('content that a mask removes never leaves the process, and a mask that fails withholds everything', async () => {
  const hidden = (value: unknown) =>
    JSON.parse(JSON.stringify(value).replaceAll('card wxyz', '[card]'))
  const client = await newClient({ mask: hidden })
  const data = {
    input: { card: 'card wxyz' },
    output: { list: ['card wxyz'] },
    metadata: { card: 'card wxyz' },
    generation: { prompt: 'card wxyz', model: 'm' },
    error: new Error('no card wxyz'),
    scores: [{ name: 's', type: 'AI' as const, value: 1, comment: 'card wxyz' }],
  }
  client.step({ name: 'masked', ...data }).end()
  await client.thread({ id: 't', name: 'card wxyz', metadata: { a: 'card wxyz' } }).upsert()
  const failing = await newClient({
    mask: () => {
      throw new Error('mask')
    },
  })
  failing.step({ name: 'withheld', id: 'w', ...data }).end()
  const promising = await newClient({ mask: async () => ({ ok: true }) })
  promising.step({ name: 'promised', ...data }).end()
  for (const one of [client, failing, promising]) {
    const all = JSON.stringify([await stored(one), (await one.api.getThreads()).data])
    expect(all).not.toContain('wxyz')
  }
  expect((await stored(client)).masked?.input).toEqual({ card: '[card]' })
  expect((await stored(failing)).withheld).toMatchObject({
    name: 'withheld',
    input: { withheld: '[withheld: the mask failed]' },
    error: '[withheld: the mask failed]',
  })
})

test('a value longer than the limit is cut, with a mark', async () => {
  const client = await newClient({ maxValueLength: 100 })
  client
    .step({ name: 'long', input: { text: 'x'.repeat(300) }, output: Array(100).fill('word') })
    .end()
  const { long } = await stored(client)
  expect(JSON.stringify(long?.input)).toMatch(/x{40,}… \[cut: \d+ of 300 characters kept\]/)
  expect(JSON.stringify(long?.output)).toMatch(/\[cut: \d+ more of 100 items\]/)
})

test('no value from an application makes recording throw', async () => {
  const client = await newClient()
  const circular: Record<string, unknown> = { n: 1n, when: new Date(0), set: new Set([1]) }
  circular.self = circular
  const hostile = {
    get broken(): never {
      throw new Error('getter')
    },
    toJSON: undefined,
    symbol: Symbol('s'),
    bytes: new Uint8Array(3),
    map: new Map([['k', new Error('inside')]]),
    fn: () => 1,
  }
  const step = client.step({ name: 'odd', input: circular, output: hostile })
  Object.assign(step, {
    tags: 'no list',
    id: 'odd-id',
    metadata: new Proxy(
      {},
      {
        ownKeys: () => {
          throw new Error('proxy')
        },
      },
    ),
  })
  step.end()
  const { odd } = await stored(client)
  expect(odd?.input).toEqual({
    n: '1',
    when: '1970-01-01T00:00:00.000Z',
    set: [1],
    self: '[circular]',
  })
  expect(odd?.output).toMatchObject({
    broken: '[unreadable: getter]',
    bytes: '[Uint8Array of 3 bytes]',
    map: { k: { name: 'Error', message: 'inside' } },
  })
  expect(client.stats()).toMatchObject({ recorded: 1, delivered: 1 })
})

test('a step is recorded with its values at its end', async () => {
  const client = await newClient()
  const messages = [{ role: 'user', content: 'first' }]
  client.trace({ name: 'snapshot', input: { messages } }, () => 1)
  messages.push({ role: 'user', content: 'second' })
  Object.assign(messages[0] as object, { content: 'changed' })
  expect((await stored(client)).snapshot?.input).toEqual({
    messages: [{ role: 'user', content: 'first' }],
  })
})

test('capturing returns plain data that JSON writes like the original', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
      expect(JSON.stringify(capture(value, 1_000_000))).toBe(JSON.stringify(value))
    }),
  )
  fc.assert(
    fc.property(
      fc.anything({
        withMap: true,
        withSet: true,
        withBigInt: true,
        withDate: true,
        withTypedArray: true,
        withNullPrototype: true,
      }),
      fc.integer({ min: 1, max: 200 }),
      (value, most) => {
        const text = JSON.stringify(capture(value, most)) ?? ''
        expect(text.length).toBeLessThan(most * 12 + 2000)
      },
    ),
  )
})

test('moments are in order and precise to the microsecond', () => {
  const moments = Array.from({ length: 1000 }, now)
  expect(moments).toEqual([...new Set(moments)].sort((a, b) => a - b))
  expect(Math.abs((moments[0] as number) - Date.now())).toBeLessThan(1000)
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 4e12 }),
      fc.integer({ min: 0, max: 999 }),
      (ms, micros) => {
        const text = toIso(ms + micros / 1000)
        expect(Math.abs(Date.parse(text) - ms)).toBeLessThanOrEqual(1)
        expect(text).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
      },
    ),
  )
})

test('a step that is being recorded can be sent by sendSteps, and read steps can be sent again', async () => {
  const client = await newClient()
  const step = client.thread({ id: 't-send' }).step({ name: 'made', id: 'made' })
  step.input = { a: 1 }
  await client.api.sendSteps([step, step.step({ name: 'child', id: 'child' })])
  const read = await client.api.getStep('child')
  expect(read).toMatchObject({
    parentId: 'made',
    threadId: 't-send',
    startTime: expect.any(String),
  })
})

test('results that throw when they are read, frozen steps and odd thenables reach the application unchanged', async () => {
  const client = await newClient()
  const strict = new Proxy(
    {},
    {
      get: (_, name) => {
        if (name === 'then') return undefined
        throw new Error(`no member ${String(name)}`)
      },
      has: () => {
        throw new Error('nothing to see')
      },
    },
  )
  expect(client.trace('proxy', () => strict) === strict).toBe(true)
  expect((await client.trace('later', async () => ({ strict }))).strict === strict).toBe(true)
  // biome-ignore lint/suspicious/noThenProperty: the subject of the test
  const thenable = { then: (resolve: (value: number) => void) => void resolve(5) }
  expect(await client.trace('thenable', () => thenable as unknown as Promise<number>)).toBe(5)
  class RichPromise<Value> extends Promise<Value> {
    withResponse() {
      return 'response'
    }
  }
  const rich = client.trace('rich', () => RichPromise.resolve(7) as RichPromise<number>)
  expect([rich.withResponse(), await rich]).toEqual(['response', 7])
  const error = new Error('mine')
  await expect(
    client.trace('frozen', async (step) => {
      Object.freeze(step)
      throw error
    }),
  ).rejects.toBe(error)
  const frozen = client.traced(function* frozen() {
    yield 1
  })
  expect([...Object.freeze(frozen())]).toEqual([1])
  expect(Object.keys(await stored(client)).sort()).toEqual(
    ['frozen', 'later', 'proxy', 'rich', 'thenable'].sort(),
  )
})

test('data of the wrong kind breaks neither the application nor the steps beside it', async () => {
  const client = await newClient({
    onReport: () => {
      throw new Error('nobody listens')
    },
  })
  expect(client.trace({ name: 'tags', tags: 5 as never, scores: {} as never }, () => 1)).toBe(1)
  expect(client.trace(null as never, () => 2)).toBe(2)
  client.thread({ id: 'odd', tags: 5 as never })
  client.thread(null as never)
  expect(client.traced(() => 3, null as never)()).toBe(3)
  expect(await client.decorate(null as never).wrap(() => 4)).toBe(4)
  await client.experimentItemRun(null as never).wrap(async () => 5)
  client.step({ name: 'big', type: 10n as never, environment: 10n as never }).end()
  client.step({ name: 'moment', startTime: 10n as never, metadata: 'text' as never }).end()
  client.step({ name: 'ended' }).end(null as never)
  client.step({ name: 'fine' }).end()
  await client.step({ name: 'updated' }).wrap(
    async () => 1,
    () => {
      throw new Error('update')
    },
  )
  const steps = await stored(client)
  expect(Object.keys(steps)).toEqual(
    expect.arrayContaining(['tags', 'moment', 'ended', 'fine', 'updated']),
  )
  expect(steps.moment?.metadata).toEqual({
    value: 'text',
    withheld: { startTime: 'expected a moment, got 10' },
  })
  const { recorded, delivered, dropped } = client.stats()
  expect(recorded).toBe(delivered + dropped)
})

test('a type and an environment that the service does not know are left out and told, and the rest is stored', async () => {
  const client = await newClient()
  client.thread({ id: 'odd', name: 'kept', environment: 'production' }).wrap(() => {
    client
      .step({
        name: 'odd',
        type: 'chain' as never,
        environment: 'production',
        metadata: { own: 1 },
        input: { kept: 1 },
        scores: [{ name: 's', type: 'AI', value: 1 }],
      })
      .end()
    client.step({ name: 'empty', environment: '', type: null }).end()
  })
  const environment = 'expected one of dev, staging, prod, experiment, got production'
  const { odd, empty } = await stored(client)
  expect(odd).toMatchObject({
    type: 'undefined',
    environment: 'prod',
    input: { kept: 1 },
    scores: [{ value: 1 }],
    metadata: {
      own: 1,
      withheld: {
        environment,
        type: expect.stringMatching(/^expected one of .*user_message, got chain$/),
      },
    },
  })
  expect(empty?.metadata ?? {}).toEqual({})
  expect(await client.api.getThread('odd')).toMatchObject({
    name: 'kept',
    environment: 'prod',
    metadata: { withheld: { environment } },
  })
  expect(client.stats()).toMatchObject({ dropped: 0 })
})

test.each(['type', 'environment'])(
  'no value as %s, whatever it is, costs its step, and none its thread',
  async (field) => {
    const client = await newClient()
    const revoked = Proxy.revocable({}, {})
    revoked.revoke()
    const throwing = () => 1
    throwing.toString = () => {
      throw new Error('toString')
    }
    const values = ['', 10n, Symbol('s'), ['run'], throwing, revoked.proxy, 'x'.repeat(100_000)]
    for (const [index, value] of values.entries()) {
      client.step({ name: `odd ${index}`, [field]: value as never, input: { kept: 1 } }).end()
      const thread = client.thread({ id: `${field} ${index}`, environment: value as never })
      thread.score({ name: 's', type: 'AI', value: 1 })
      await thread.upsert()
    }
    const steps = Object.values(await stored(client))
    expect(steps.map((step) => step?.input)).toEqual(values.map(() => ({ kept: 1 })))
    expect((await client.api.getThreads()).data).toHaveLength(values.length)
    expect(client.stats()).toMatchObject({ dropped: 0, droppedThreadChanges: 0, droppedScores: 0 })
  },
)

test.each([
  ['a date that is none', new Date(Number.NaN), 'Invalid Date'],
  ['NaN', Number.NaN, 'NaN'],
  ['Infinity', Number.NEGATIVE_INFINITY, '-Infinity'],
  ['milliseconds beyond the year 9999', 1e15, '1000000000000000'],
  ['a text', 'yesterday', 'yesterday'],
  ['a day on no calendar', '2026-02-30T10:00:00Z', '2026-02-30T10:00:00Z'],
  ['an object', { year: 2026 }, '{"year":2026}'],
  ['an object without a prototype', Object.create(null), '{}'],
  ['an object that is only like a date', Object.create(Date.prototype), '[Date]'],
  ['a symbol', Symbol('noon'), 'Symbol(noon)'],
  [
    'a proxy that was revoked',
    revoked(),
    "[unreadable: Cannot perform 'IsArray' on a proxy that has been revoked]",
  ],
])(
  'a moment that is invalid is left out and told, and its step is stored: %s',
  async (_, moment, got) => {
    const client = await newClient()
    const step = client.step({ name: 'odd', startTime: moment as never, output: { kept: 1 } })
    expect(step.startTime).toBeUndefined()
    step.endTime = moment as never
    step.end()
    const reason = `expected a moment, got ${got}`
    expect((await stored(client)).odd).toMatchObject({
      startTime: null,
      output: { kept: 1 },
      metadata: { withheld: { startTime: reason, ...(step.endTime ? {} : { endTime: reason }) } },
    })
  },
)

test('a date of any library that writes itself as JSON is a moment', async () => {
  const client = await newClient()
  const noon = { toJSON: () => '2026-07-01T12:00:00.000Z' } as never
  const step = client.step({
    name: 'dated',
    startTime: noon,
    endTime: new Date('2026-07-01T12:00:01Z') as never,
  })
  expect(step.startTime).toBe('2026-07-01T12:00:00.000Z')
  step.end()
  expect((await stored(client)).dated).toMatchObject({
    startTime: '2026-07-01T12:00:00.000Z',
    endTime: '2026-07-01T12:00:01.000Z',
  })
})

/** Runs a function while the clock is off by a time, once that was noticed. */
const withClockOff = async <Result>(milliseconds: number, work: () => Promise<Result> | Result) => {
  const { now: wall } = Date
  try {
    Date.now = () => wall() + milliseconds
    await expect.poll(() => Math.abs(now() - Date.now())).toBeLessThan(1000)
    return await work()
  } finally {
    Date.now = wall
    await expect.poll(() => Math.abs(now() - Date.now())).toBeLessThan(1000)
  }
}

const durationOf = (step: { startTime: string | undefined; endTime: string | undefined }) =>
  Date.parse(String(step.endTime)) - Date.parse(String(step.startTime))

test('a step lasts as long as it did when the clock is put back meanwhile, and when it is put right again', async () => {
  const client = await newClient()
  const [one, other] = [client.step({ name: 'back' }), client.step({ name: 'back and forth' })]
  const given = client.step({ name: 'given', startTime: '2030-01-01T00:00:00Z' })
  await sleep(50)
  await withClockOff(-3_600_000, async () => {
    one.end()
    given.end()
    const inner = client.step({ name: 'after' })
    await sleep(50)
    inner.end()
    expect(durationOf(inner)).toBeGreaterThan(40)
    expect(durationOf(inner)).toBeLessThan(60_000)
  })
  other.end()
  for (const step of [one, other]) {
    expect(durationOf(step)).toBeGreaterThan(40)
    expect(durationOf(step)).toBeLessThan(60_000)
  }
  expect(Date.parse(String(given.endTime))).toBeLessThan(Date.now() + 3_600_000)
})

test('the clock is right again as soon as a test ends its mocks of timers', () => {
  vi.useFakeTimers()
  try {
    now()
    vi.advanceTimersByTime(3_600_000)
    now()
  } finally {
    vi.useRealTimers()
  }
  expect(Math.abs(now() - Date.now())).toBeLessThan(60_000)
})

test('the sleep of the machine is a part of the step that runs meanwhile', async () => {
  const client = await newClient()
  const step = client.step({ name: 'asleep' })
  await withClockOff(3_600_000, () => step.end())
  expect(durationOf(step)).toBeGreaterThan(3_590_000)
})

test.each([
  [5, '5'],
  [{ build: 7 }, '{"build":7}'],
])('a release that is no text, such as %j, is one, and costs no step', async (release, text) => {
  const client = await newClient({ release: release as never })
  client.trace({ id: `released ${text}` }, () => 1)
  expect(await client.flush()).toMatchObject({ delivered: 1, dropped: 0 })
  expect(client.release).toBe(text)
})

test('moments are stored as they were given: as dates, milliseconds, and texts of several forms', async () => {
  const client = await newClient()
  const moments = [
    new Date(0),
    0,
    -62_135_596_800_000,
    '2024-02-29',
    '2026-11-21T10:00:00.123456Z',
    '2026-11-21 10:00:00+02:00',
    'Sat, 21 Nov 2026 10:00:00 GMT',
  ]
  for (const [at, moment] of moments.entries())
    client.step({ name: `${at}`, startTime: moment as never }).end()
  const steps = await stored(client)
  expect(moments.map((_, at) => steps[at]?.startTime)).toEqual([
    '1970-01-01T00:00:00.000Z',
    '1970-01-01T00:00:00.000Z',
    '0001-01-01T00:00:00.000Z',
    '2024-02-29T00:00:00.000Z',
    '2026-11-21T10:00:00.123456Z',
    '2026-11-21T08:00:00.000Z',
    '2026-11-21T10:00:00.000Z',
  ])
  expect(Object.values(steps).map(({ metadata }) => metadata)).toEqual(moments.map(() => null))
})

test('a reader who leaves in the middle of a stream ends its step once, without an error', async () => {
  const client = await newClient()
  const stream = client.trace('left', (step) =>
    step.until(
      new ReadableStream<string>({
        pull: async (controller) => {
          await sleep(20)
          controller.enqueue('late')
        },
      }),
    ),
  )
  const reader = stream.getReader()
  void reader.read()
  await sleep(5)
  await reader.cancel()
  await sleep(30)
  const { left } = await stored(client)
  expect(left?.error).toBeNull()
  expect(client.stats().recorded).toBe(1)
})

test('the context in which a step is created stays its context, wherever it runs', async () => {
  const client = await newClient()
  const made = client.thread({ id: 't-made' }).step({ name: 'made' })
  await client
    .thread({ id: 't-other' })
    .wrap(async () =>
      client.run({ name: 'other run' }).wrap(async () => made.trace('child of made', () => 1)),
    )
  made.end()
  const steps = await stored(client)
  expect(steps['child of made']).toMatchObject({
    parentId: steps.made?.id,
    threadId: 't-made',
    rootRunId: null,
  })
})

test('a tree that is created by hand is sampled as a whole, and every dropped step is counted', async () => {
  const client = await newClient({ sample: 0 })
  const tree = (fails: boolean) => {
    const root = client.run({ name: 'root' })
    root.step({ name: 'child' }).end()
    root.end(fails ? { error: 'failed' } : {})
    root.step({ name: 'late' }).end()
  }
  tree(false)
  expect(client.stats()).toMatchObject({ recorded: 0, sampledOut: 3 })
  tree(true)
  expect(Object.keys(await stored(client)).sort()).toEqual(['child', 'late', 'root'])
  expect(client.stats()).toMatchObject({ recorded: 3, sampledOut: 3 })
})

test('the id of a decoration is given to one step, and a bound function keeps its this', async () => {
  const client = await newClient()
  await client.decorate({ stepId: 'only' }).wrap(async () => {
    await client.decorate({ tags: ['x'] }).wrap(async () => client.trace('first', () => 1))
    client.trace('second', () => 1)
  })
  const counter = {
    count: 1,
    add: client.bind(function add(this: { count: number }, by: number) {
      this.count += by
      return client.currentStep
    }),
  }
  client.trace('caller', () => expect(counter.add(2)).toBeUndefined())
  expect(counter.count).toBe(3)
  const { first, second } = await stored(client)
  expect(first?.id).toBe('only')
  expect(second?.id).not.toBe('only')
})

test('a thread’s changes are recorded also when its function fails', async () => {
  const client = await newClient()
  const failing = client.thread({ id: 't-fail' }).wrap(async (thread) => {
    thread.name = 'named before the failure'
    throw new Error('x')
  })
  await expect(failing).rejects.toThrow('x')
  await client.flush()
  expect(await client.api.getThread('t-fail')).toMatchObject({ name: 'named before the failure' })
})

test('a thread is scored in the background, and a second score of a judge replaces the first', async () => {
  const client = await newClient()
  const thread = client.thread({ id: 'scored', name: 'chat' })
  await thread.wrap(() => client.step({ name: 'inside' }).wrap(() => 'done'))
  thread.score({ name: 'resolved', type: 'HUMAN', value: false })
  thread.score({ name: 'resolved', type: 'HUMAN', value: true, comment: 'at last' })
  thread.score({ name: 'effort', type: 'CODE', value: 0.5, tags: ['a'] })
  await client.flush()
  const filters = [{ field: 'threadId', operator: 'eq', value: 'scored' } as const]
  const { data } = await client.api.getScores({ filters })
  expect(data.toSorted((a, b) => (a.name < b.name ? -1 : 1))).toMatchObject([
    { name: 'effort', type: 'CODE', value: 0.5, label: null, tags: ['a'], stepId: null },
    { name: 'resolved', value: 1, label: 'true', comment: 'at last' },
  ])
  expect((await client.api.getThread('scored'))?.name).toBe('chat')
})

test('a score that does not fit its definition costs nothing else, is counted, and is reported once', async () => {
  const reports: string[] = []
  const client = await newClient({ onReport: (message) => reports.push(message) })
  await client.api.setScoreDefinition({ name: 'ok', kind: 'BOOLEAN', isEnforced: true })
  await client.api.setScoreDefinition({
    name: 'tone',
    kind: 'CATEGORY',
    labels: [{ value: 0.5, label: 'dry' }],
  })
  client
    .step({
      id: 'judged',
      scores: [
        { name: 'ok', type: 'AI', value: 0.5 },
        { name: 'ok', type: 'HUMAN', value: true },
        { name: 'tone', type: 'AI', value: 'dry' },
        { name: 'tone', type: 'CODE', value: 'unheard' },
      ],
    })
    .end()
  client.thread({ id: 'judged' }).score({ name: 'ok', type: 'AI', value: 7 })
  await client.flush()
  expect((await client.api.getStep('judged'))?.scores).toMatchObject([
    { name: 'ok', type: 'HUMAN', value: 1, label: 'true' },
    { name: 'tone', type: 'AI', value: 0.5, label: 'dry' },
  ])
  expect(await client.api.getThread('judged')).not.toBeNull()
  expect(client.stats()).toMatchObject({ delivered: 1, dropped: 0, droppedScores: 3 })
  expect(reports).toEqual([expect.stringMatching(/rejected a score: .*value: expected/)])
})

test('a score of a thread passes through the mask, and one without a form is reported and throws nothing', async () => {
  const reports: string[] = []
  const client = await newClient({
    onReport: (message) => reports.push(message),
    mask: (value, field) =>
      field === 'scores' && Array.isArray(value)
        ? value.map((one) => ({ ...(one as object), comment: 'masked' }))
        : value,
  })
  const thread = client.thread({ id: 'masked' })
  thread.score({ name: 'q', type: 'AI', value: 1, comment: 'a secret' })
  thread.score({ name: 'q', type: 'AI' })
  thread.score(undefined as never)
  await client.flush()
  const filters = [{ field: 'threadId', operator: 'eq', value: 'masked' } as const]
  expect((await client.api.getScores({ filters })).data).toMatchObject([{ comment: 'masked' }])
  expect(
    reports.filter((one) => /a score of a thread could not be recorded/.test(one)),
  ).toHaveLength(2)
})

test('a score keeps its thread where sampling drops the steps', async () => {
  const client = await newClient({ sample: 0 })
  await client.thread({ id: 'sampled', name: 'kept' }).wrap(async (thread) => {
    await client.step({ name: 'dropped' }).wrap(() => 'done')
    thread.score({ name: 'q', type: 'HUMAN', value: 1 })
  })
  await client.flush()
  expect(await client.api.getThread('sampled')).toMatchObject({ name: 'kept', steps: [] })
})
