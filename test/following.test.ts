import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { eventually } from './support/eventually.js'
import { useService } from './support/service.js'

const fixture = useService()

/** Returns the stored steps, by name. */
const stored = async (client: Awaited<ReturnType<typeof fixture.newClient>>) => {
  await client.flush()
  const { data } = await client.api.getSteps({ first: 1000 })
  return Object.fromEntries(data.map((step) => [step.name ?? '', step]))
}

const readAll = async <Value>(source: AsyncIterable<Value>): Promise<Value[]> => {
  const values: Value[] = []
  for await (const value of source) values.push(value)
  return values
}

test('values yielded before a failure are kept beside the error', async () => {
  const client = await fixture.newClient()
  const words = client.traced(function* words() {
    yield 'half '
    yield 'way'
    throw new Error('broken')
  })
  expect(() => [...words()]).toThrow('broken')
  const numbers = client.traced(async function* numbers() {
    yield 1
    throw new Error('broken')
  })
  await expect(readAll(numbers())).rejects.toThrow('broken')
  const iterable = client.trace('iterable', (step) =>
    step.until({
      async *[Symbol.asyncIterator]() {
        yield { delta: 1 }
        throw new Error('broken')
      },
    }),
  )
  await expect(readAll(iterable)).rejects.toThrow('broken')
  let pulls = 0
  const web = client.trace('web', (step) =>
    step.until(
      new ReadableStream<string>({
        pull(controller) {
          pulls++
          if (pulls > 1) controller.error(new Error('broken'))
          else controller.enqueue('first')
        },
      }),
    ),
  )
  await expect(readAll(web)).rejects.toThrow('broken')
  const steps = await stored(client)
  const outputs = Object.entries(steps).map(([name, { error, output }]) => [
    name,
    error?.includes('broken'),
    output,
  ])
  expect(Object.fromEntries(outputs.map(([name, ...rest]) => [name, rest]))).toEqual({
    words: [true, { output: 'half way' }],
    numbers: [true, { output: [1] }],
    iterable: [true, { output: [{ delta: 1 }] }],
    web: [true, { output: 'first' }],
  })
})

test('the return value of a generator is kept, beside the values that it yielded', async () => {
  const client = await fixture.newClient()
  client
    .traced(function* only(): Generator<never, object> {
      yield* []
      return { sum: 3 }
    })()
    .next()
  const both = client.traced(function* both() {
    yield 1
    return 'sum'
  })()
  for (let turn = both.next(); !turn.done; turn = both.next());
  const steps = await stored(client)
  expect(steps.only?.output).toEqual({ sum: 3 })
  expect(steps.both?.output).toEqual({ output: [1], returned: 'sum' })
})

/** A stream like those of model clients: an emitter whose chunks are read by iteration, or by its final value. */
class ModelStream {
  readonly #listeners: (() => void)[] = []
  readonly #chunks = ['he', 'llo']
  readonly #ended: Promise<void>
  constructor(failure?: Error) {
    this.#ended = sleep(5).then(() => {
      for (const listener of this.#listeners) listener()
      if (failure !== undefined) throw failure
    })
    this.#ended.catch(() => {})
  }
  on(event: string, listener: () => void): this {
    if (event === 'end') this.#listeners.push(listener)
    return this
  }
  async finalMessage(): Promise<object> {
    await this.#ended
    return { content: this.#chunks.join('') }
  }
  iterator(): AsyncIterator<string> {
    const chunks = this.#chunks
    return (async function* () {
      yield* chunks
    })()
  }
  [Symbol.asyncIterator](): AsyncIterator<string> {
    return this.iterator()
  }
  tee(): [AsyncIterable<string>, AsyncIterable<string>] {
    const branch = () => ({ [Symbol.asyncIterator]: () => this.iterator() })
    return [branch(), branch()]
  }
}

test('until ends with a stream that is read by its final value or in branches', async () => {
  const client = await fixture.newClient({ streamTimeoutMs: 500 })
  const final = client.trace('final', (step) => step.until(new ModelStream()))
  expect(await final.finalMessage()).toEqual({ content: 'hello' })
  const failing = client.trace('failing', (step) => step.until(new ModelStream(new Error('cut'))))
  await expect(failing.finalMessage()).rejects.toThrow('cut')
  const teed = client.trace('teed', (step) => step.until(new ModelStream()))
  const [, right] = teed.tee()
  expect(await readAll(right)).toEqual(['he', 'llo'])
  const web = client.trace('web', (step) =>
    step.until(new ReadableStream({ pull: (controller) => controller.close() })),
  )
  const [left] = web.tee()
  expect(await readAll(left)).toEqual([])
  await eventually(() => expect(client.stats().recorded).toBe(4))
  const steps = await stored(client)
  expect(steps.final).toMatchObject({ output: { content: 'hello' }, error: null })
  expect(steps.failing?.error).toContain('cut')
  expect(steps.teed).toMatchObject({ output: { output: 'hello' }, error: null })
  // Unread branches are not waited for.
  await sleep(600)
  expect(client.stats().timedOut).toBe(0)
})

test('an abandoned stream ends its step after a time, which is counted and reported once', async () => {
  const reports: string[] = []
  const client = await fixture.newClient({
    streamTimeoutMs: 2000,
    onReport: (text) => reports.push(text),
  })
  const half = client.trace('half', (step) =>
    step.until(
      new ReadableStream({
        pull: (controller) => controller.enqueue('seen'),
      }),
    ),
  )
  const reader = half.getReader()
  await reader.read()
  client.trace('never', (step) => step.until({ async *[Symbol.asyncIterator]() {} }))
  await eventually(() => expect(client.stats()).toMatchObject({ timedOut: 2 }))
  // Later values change nothing.
  await reader.read()
  await reader.cancel()
  const { half: step, never } = await stored(client)
  expect(step).toMatchObject({ output: { output: 'seen' }, error: null })
  expect(Date.parse(step?.endTime ?? '') - Date.parse(step?.startTime ?? '')).toBeLessThan(2000)
  expect(never?.endTime).not.toBeNull()
  expect(reports.filter((text) => text.includes('timedOut'))).toHaveLength(1)
})

test('a stream that is read slowly keeps its step open', async () => {
  const client = await fixture.newClient({ streamTimeoutMs: 1500 })
  const slow = client.trace('slow', (step) =>
    step.until({
      async *[Symbol.asyncIterator]() {
        for (let index = 0; index < 9; index++) {
          await sleep(200)
          yield `${index}`
        }
      },
    }),
  )
  for await (const _ of slow);
  expect((await stored(client)).slow?.output).toEqual({ output: '012345678' })
  expect(client.stats().timedOut).toBe(0)
})

test('a value that waits while the process is held up is no silence', async () => {
  const client = await fixture.newClient({ streamTimeoutMs: 300 })
  const read = client.trace('held up', (step) =>
    step.until({
      async *[Symbol.asyncIterator]() {
        yield 'first '
        const file = readFile(import.meta.filename)
        const until = performance.now() + 400
        while (performance.now() < until);
        await file
        yield 'second'
      },
    }),
  )
  for await (const _ of read);
  expect((await stored(client))['held up']?.output).toEqual({ output: 'first second' })
  expect(client.stats().timedOut).toBe(0)
})

/** A promise of a class with methods, like those of model clients: it is read through its own methods. */
class ModelPromise<Value> extends Promise<Value> {
  asked = 0
  readonly #response: Promise<Value>
  constructor(response: Promise<Value>) {
    super((resolve) => resolve(undefined as Value))
    this.#response = response
  }
  parse(): Promise<Value> {
    this.asked++
    return this.#response
  }
  async withResponse(): Promise<{ data: Value }> {
    return { data: await this.parse() }
  }
  // biome-ignore lint/suspicious/noThenProperty: such promises have one
  override then<A, B>(
    onDone?: ((value: Value) => A | PromiseLike<A>) | null,
    onFailed?: ((error: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.parse().then(onDone, onFailed)
  }
  override catch<B>(onFailed?: ((error: unknown) => B | PromiseLike<B>) | null) {
    return this.parse().catch(onFailed)
  }
}

test('a promise with methods of its own is awaited only by the application', async () => {
  const client = await fixture.newClient()
  const promise = client.trace('awaited', () => new ModelPromise(Promise.resolve({ a: 1 })))
  expect(promise.asked).toBe(0)
  expect(await promise).toEqual({ a: 1 })
  expect(promise.asked).toBe(1)
  const raw = client.trace('raw', () => new ModelPromise(Promise.resolve({ a: 1 })))
  expect(await raw.withResponse()).toEqual({ data: { a: 1 } })
  const caught = client.trace('caught', () => new ModelPromise(Promise.reject(new Error('no'))))
  expect(await caught.catch(() => 'instead')).toBe('instead')
  const query = {
    started: 0,
    // biome-ignore lint/suspicious/noThenProperty: the subject of the test
    then(resolve: (value: string) => void) {
      query.started++
      resolve('rows')
    },
    where: () => query,
  }
  const lazy = client.trace('lazy', () => query)
  expect(lazy).toBe(query)
  expect([lazy.where(), query.started]).toEqual([query, 0])
  expect([await (lazy as unknown as Promise<string>), query.started]).toEqual(['rows', 1])
  const steps = await stored(client)
  expect(steps.awaited).toMatchObject({ output: { a: 1 } })
  expect(steps.raw).toMatchObject({ output: { data: { a: 1 } } })
  expect(steps.caught?.error).toContain('no')
  expect(steps.lazy).toMatchObject({ output: { output: 'rows' } })
  expect(client.stats().recorded).toBe(4)
})

test('the methods of a promise run in the context of its step, and callers stay in theirs', async () => {
  const client = await fixture.newClient()
  const seen: (string | undefined)[] = []
  const query = {
    // biome-ignore lint/suspicious/noThenProperty: the subject of the test
    then(resolve: (value: number) => void) {
      seen.push(client.currentStep?.name)
      resolve(1)
    },
  }
  const lazy = client.trace('query', () => query) as unknown as Promise<number>
  await client.trace('reader', async () => {
    await lazy
    seen.push(client.currentStep?.name)
    lazy.then(() => seen.push(client.currentStep?.name))
  })
  expect(seen.slice(0, 3)).toEqual(['query', 'reader', 'query'])
  await eventually(() => expect(seen).toHaveLength(4))
  expect(seen[3]).toBe('reader')
  await client.close()
})

/** Returns the events that an application sees. */
const outcome = async (work: () => unknown): Promise<unknown[]> => {
  const seen: unknown[] = []
  try {
    const result = work()
    seen.push(typeof result, result?.constructor?.name)
    if (typeof result === 'object' && result !== null && Symbol.iterator in result)
      for (const value of result as Iterable<unknown>) seen.push(value)
    else if (typeof result === 'object' && result !== null && Symbol.asyncIterator in result)
      for await (const value of result as AsyncIterable<unknown>) seen.push(value)
    else seen.push(await result)
  } catch (error) {
    seen.push('threw', error)
  }
  return seen
}

test('anything observed returns what it would have returned unobserved', async () => {
  const client = await fixture.newClient({ sample: 0, onReport: () => {} })
  const shared = { shared: true }
  const failure = new Error('shared')
  const make = fc.record({
    way: fc.constantFrom('value', 'promise', 'rich', 'thenable', 'generator', 'async generator'),
    values: fc.array(fc.constantFrom<unknown>(1, 'a', null, undefined, shared)),
    fails: fc.boolean(),
    returned: fc.constantFrom<unknown>(undefined, shared, 0),
  })
  const works = {
    value: ({ returned, fails }) => {
      if (fails) throw failure
      return returned
    },
    promise: async ({ returned, fails }) => {
      if (fails) throw failure
      return returned
    },
    rich: ({ returned, fails }) =>
      new ModelPromise(fails ? Promise.reject(failure) : Promise.resolve(returned)),
    thenable: ({ returned, fails }) => ({
      // biome-ignore lint/suspicious/noThenProperty: the subject of the test
      then: (resolve: (value: unknown) => void, reject: (error: unknown) => void) =>
        fails ? reject(failure) : resolve(returned),
    }),
    generator: function* ({ values, fails, returned }) {
      yield* values
      if (fails) throw failure
      return returned
    },
    'async generator': async function* ({ values, fails, returned }) {
      yield* values
      if (fails) throw failure
      return returned
    },
  } satisfies Record<string, (given: Given) => unknown>
  type Given = { values: unknown[]; fails: boolean; returned: unknown }
  await fc.assert(
    fc.asyncProperty(make, async ({ way, ...given }) => {
      const work = () => works[way as keyof typeof works](given)
      const [plain, traced, wrapped] = [
        await outcome(work),
        await outcome(() => client.trace('t', work)),
        await outcome(() => client.traced(work)()),
      ]
      expect(traced).toEqual(plain)
      expect(wrapped).toEqual(plain)
      // Not only equal: the very same.
      for (const [index, value] of plain.entries()) expect(traced[index]).toBe(value)
    }),
    { numRuns: 300 },
  )
  const { recorded, sampledOut } = client.stats()
  expect(recorded + sampledOut).toBe(600)
  await client.close()
})
