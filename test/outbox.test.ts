import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import type { Loss } from '../src/outbox/account.js'
import { type Platform, platform } from '../src/outbox/create-outbox.js'
import { FLUSH_TIMEOUT_MS } from '../src/outbox/limits.js'
import { createBatchPost } from '../src/outbox/sending/http-post.js'
import type { TracerOptions } from '../src/tracing/index.js'
import { Tracer } from '../src/tracing/spool.js'
import { Tracer as LeanTracer } from '../src/tracing/tracer.js'
import { eventually } from './support/eventually.js'
import { type Answer, type Received, Sink, useSink } from './support/sink.js'

const sink = useSink()

const optionsOf = (options: Partial<TracerOptions>, reports: string[]): TracerOptions => ({
  apiKey: 'k',
  apiUrl: sink.url,
  flushAtExit: false,
  onReport: (message) => reports.push(message),
  ...options,
})

const newTracer = (options: Partial<TracerOptions> = {}) => {
  const reports: string[] = []
  return { tracer: new Tracer(optionsOf(options, reports)), reports }
}

/** Pauses between attempts grow to seconds: clients whose time passes faster make the same ones in less. */
const HASTE = 5
const hasty: Platform = {
  ...platform,
  host: {
    ...platform.host,
    elapsed: () => platform.host.elapsed() * HASTE,
    timer: (work, milliseconds, keepsAlive) =>
      platform.host.timer(work, milliseconds / HASTE, keepsAlive),
  },
}
/** As long as a client with that time waits by itself. */
const FLUSH = { timeoutMs: FLUSH_TIMEOUT_MS * HASTE }

const newHastyTracer = (options: Partial<TracerOptions> = {}) => {
  const reports: string[] = []
  const given = optionsOf(options, reports)
  return { tracer: new LeanTracer(given, undefined, undefined, hasty), reports }
}

const record = (tracer: LeanTracer, count: number, from = 0) => {
  for (let index = from; index < from + count; index++)
    tracer.trace({ id: `s${index}`, name: 'n' }, () => index)
}

const ids = (count: number) => Array.from({ length: count }, (_, index) => `s${index}`)
const takenIds = () => sink.taken.map(({ id }) => id)
const lossesOf = (session: { losses?: unknown }) => session.losses as Loss[]
const balances = (tracer: LeanTracer) => {
  const { recorded, delivered, pending, dropped, droppedByReason } = tracer.stats()
  expect(delivered + pending + dropped).toBe(recorded)
  expect(Object.values(droppedByReason).reduce((sum, count) => sum + count, 0)).toBe(dropped)
}

test('steps are sent in batches of at most 500, numbered without gaps, and none is sent twice', async () => {
  const { tracer } = newTracer()
  record(tracer, 1234)
  expect(await tracer.flush()).toMatchObject({ recorded: 1234, delivered: 1234, pending: 0 })
  expect(Math.max(...sink.requests.map(({ steps }) => steps.length))).toBe(500)
  expect(sink.taken.map(({ sequence }) => sequence).sort((a, b) => a - b)).toEqual(
    Array.from({ length: 1234 }, (_, index) => index + 1),
  )
  expect(new Set(sink.taken.map(({ sessionId }) => sessionId)).size).toBe(1)
})

test('records are sent within the interval, without a flush', async () => {
  const { tracer } = newTracer({ delivery: { flushIntervalMs: 10 } })
  record(tracer, 3)
  await eventually(() => expect(takenIds()).toEqual(ids(3)))
})

test('a full batch does not wait for the interval', async () => {
  const { tracer } = newTracer({ delivery: { flushIntervalMs: 1_000_000, maxBatchSteps: 10 } })
  record(tracer, 25)
  await eventually(() => expect(tracer.stats().delivered).toBe(20))
  expect(sink.taken).toHaveLength(20)
  expect(tracer.stats().pending).toBe(5)
})

test('no more requests are under way than allowed', async () => {
  let underWay = 0
  let most = 0
  sink.answer = async () => {
    most = Math.max(most, ++underWay)
    await new Promise((resolve) => setTimeout(resolve, 20))
    underWay--
    return undefined
  }
  const { tracer } = newTracer({ delivery: { maxBatchSteps: 10, maxRequests: 3 } })
  record(tracer, 100)
  expect(await tracer.flush()).toMatchObject({ delivered: 100 })
  expect(most).toBe(3)
})

test('large bodies are compressed, small ones are not, and no request is larger than 4 MB', async () => {
  const { tracer } = newTracer()
  tracer.trace({ id: 'small' }, () => 1)
  await tracer.flush()
  expect(sink.requests[0]?.headers['content-encoding']).toBeUndefined()
  for (let index = 0; index < 40; index++)
    tracer.trace({ id: `large${index}`, input: { text: 'ö…'.repeat(100_000) } }, () => 1)
  expect(await tracer.flush()).toMatchObject({ delivered: 41, dropped: 0 })
  expect(sink.requests.at(-1)?.headers['content-encoding']).toBe('gzip')
  expect(Math.max(...sink.requests.map(({ bytes }) => bytes))).toBeLessThan(4_000_000)
})

test('a 413 splits the batch until its parts are taken', async () => {
  sink.answer = ({ steps }) => (steps.length > 4 ? { status: 413 } : undefined)
  const { tracer } = newTracer()
  record(tracer, 50)
  expect(await tracer.flush()).toMatchObject({ delivered: 50, dropped: 0 })
  expect(takenIds().sort()).toEqual(ids(50).sort())
})

test('a single step that is too large is sent without its content, which is reported', async () => {
  sink.answer = ({ steps }) =>
    steps.some(({ input }) => JSON.stringify(input ?? '').length > 5000)
      ? { status: 413 }
      : undefined
  const { tracer, reports } = newTracer()
  tracer.trace({ id: 'huge', name: 'keeps its name', input: { text: 'x'.repeat(9000) } }, () => 1)
  record(tracer, 3)
  expect(await tracer.flush()).toMatchObject({ delivered: 4, dropped: 0 })
  const huge = sink.taken.find(({ id }) => id === 'huge')
  expect(huge).toMatchObject({ name: 'keeps its name', sequence: 1 })
  expect(JSON.stringify(huge)).toContain('[cut: ')
  expect(reports).toEqual([expect.stringContaining('huge is larger than')])
})

test('a refused step is dropped with its reason, and the others are delivered', async () => {
  sink.answer = ({ steps }) => ({
    body: {
      data: {
        ingestSteps: {
          refused: steps.flatMap(({ id }, index) =>
            id === 's7' ? [{ index, id, message: 'name: no', code: 'INVALID_ARGUMENT' }] : [],
          ),
        },
      },
    },
  })
  const { tracer, reports } = newTracer()
  record(tracer, 20)
  expect(await tracer.flush()).toMatchObject({
    recorded: 20,
    delivered: 19,
    dropped: 1,
    droppedByReason: { refused: 1 },
    setAside: [{ id: 's7', reason: 'refused', message: expect.stringContaining('name: no') }],
  })
  expect(reports).toHaveLength(1)
  record(tracer, 1, 20)
  await tracer.flush()
  expect(sink.requests.at(-1)?.session.losses).toEqual([{ reason: 'refused', from: 8, to: 8 }])
})

test('a step with too long a thread id is refused alone, and its loss is reported without the id', async () => {
  sink.answer = ({ steps, session }) => {
    const [loss] = lossesOf(session).filter(({ threadId = '' }) => threadId.length > 512)
    const message = 'session.losses[0].threadId: expected an id of at most 512 bytes'
    if (loss !== undefined)
      return { body: { errors: [{ message, extensions: { code: 'TOO_LARGE' } }] } }
    const refused = steps.flatMap(({ id, threadId = '' }, index) =>
      String(threadId).length > 512
        ? [{ index, id, message: 'threadId: no', code: 'TOO_LARGE' }]
        : [],
    )
    return { body: { data: { ingestSteps: { refused } } } }
  }
  const { tracer } = newTracer()
  await tracer.thread({ id: 'x'.repeat(513) }).wrap(() => record(tracer, 1))
  await tracer.flush()
  for (let index = 1; index < 6; index++) {
    record(tracer, 1, index)
    await tracer.flush()
  }
  expect(tracer.stats()).toMatchObject({ recorded: 6, delivered: 5, dropped: 1 })
  const told = sink.requests.flatMap(({ session }) => lossesOf(session))
  expect(told).toEqual([{ reason: 'too_large', from: 1, to: 1 }])
})

test('a report of losses that the service does not take costs no step', async () => {
  const message = 'session.losses[0]: expected something else'
  sink.answer = ({ steps, session }) =>
    lossesOf(session).length > 0
      ? { body: { errors: [{ message, extensions: { code: 'INVALID_ARGUMENT' } }] } }
      : {
          body: {
            data: {
              ingestSteps: {
                refused: steps.flatMap(({ id }, index) =>
                  id === 's0' ? [{ index, id, message: 'name: no', code: 'INVALID_ARGUMENT' }] : [],
                ),
              },
            },
          },
        }
  const { tracer, reports } = newTracer()
  record(tracer, 1)
  await tracer.flush()
  record(tracer, 5, 1)
  expect(await tracer.flush()).toMatchObject({ delivered: 5, dropped: 1 })
  expect(reports).toContainEqual(expect.stringContaining(message))
})

test('a batch that is refused as a whole is divided, and only the step at fault is lost', async () => {
  sink.answer = ({ steps }) =>
    steps.some(({ id }) => id === 's13') ? { status: 400, body: { errors: [] } } : undefined
  const { tracer } = newTracer()
  record(tracer, 30)
  expect(await tracer.flush()).toMatchObject({ delivered: 29, droppedByReason: { refused: 1 } })
  expect(takenIds().sort()).toEqual(
    ids(30)
      .filter((id) => id !== 's13')
      .sort(),
  )
})

test.each([
  ['a status of 503', { status: 503 }],
  ['a key that is not known', { status: 401, body: { errors: [{ message: 'x-api-key' }] } }],
  ['a page that is no answer of a service', { body: 'hello' }],
  ['an answer without data', { body: {} }],
  ['a fault in the answer', { body: { errors: [{ extensions: { code: 'INTERNAL' } }] } }],
] as [string, Answer][])('%s loses nothing: the steps come when it is over', async (_, answer) => {
  let failures = 2
  sink.answer = () => (failures-- > 0 ? answer : undefined)
  const { tracer, reports } = newHastyTracer()
  record(tracer, 10)
  expect(await tracer.flush(FLUSH)).toMatchObject({ delivered: 10, dropped: 0 })
  expect(takenIds().slice(-10)).toEqual(ids(10))
  expect(reports).toEqual([expect.stringContaining('accepts no steps')])
})

test('steps that the service cannot store now are sent again, after a wait', async () => {
  let failures = 3
  sink.answer = ({ steps }) =>
    failures-- > 0
      ? {
          body: {
            data: {
              ingestSteps: {
                refused: steps.map((_, index) => ({ index, message: 'busy', code: 'UNAVAILABLE' })),
              },
            },
          },
        }
      : undefined
  const { tracer } = newHastyTracer()
  record(tracer, 5)
  expect(await tracer.flush(FLUSH)).toMatchObject({ delivered: 5, dropped: 0 })
  expect(sink.requests).toHaveLength(4)
})

test('data of another service acknowledges nothing: the steps are kept until a Stepwell answers', async () => {
  const foreign = [{}, { id: 7 }, { ingestSteps: null }, { ingestSteps: [] }]
  let answers = 0
  sink.answer = () => {
    const data = foreign[answers++]
    return data === undefined ? undefined : { body: { data } }
  }
  const { tracer, reports } = newHastyTracer()
  record(tracer, 1)
  await tracer.flush(FLUSH)
  expect(tracer.stats()).toMatchObject({ delivered: 1, dropped: 0 })
  expect(sink.requests.length).toBeGreaterThan(foreign.length)
  expect(reports[0]).toContain('the answer is not from a Stepwell service')
})

test('flush accepts any number as its time-out', async () => {
  const { tracer } = newTracer()
  record(tracer, 1)
  await tracer.flush({ timeoutMs: Number.POSITIVE_INFINITY })
  record(tracer, 1, 1)
  expect(await tracer.flush({ timeoutMs: Number.NaN })).toMatchObject({ delivered: 2 })
})

test('a bare number is the time-out of flush and of close, and null none', async () => {
  sink.answer = () => 'silent'
  const { tracer } = newTracer()
  record(tracer, 10)
  expect(await tracer.flush(1 as never)).toMatchObject({ pending: 10 })
  sink.answer = () => undefined
  expect(await tracer.flush(null as never)).toMatchObject({ delivered: 10 })
  sink.answer = () => 'silent'
  record(tracer, 10, 10)
  expect(await tracer.close(1 as never)).toMatchObject({ droppedByReason: { deadline: 10 } })
})

test('the time in Retry-After is waited for', async () => {
  const moments: number[] = []
  sink.answer = () => {
    moments.push(performance.now())
    return moments.length === 1 ? { status: 429, headers: { 'retry-after': '1' } } : undefined
  }
  const { tracer } = newTracer()
  record(tracer, 1)
  await tracer.flush()
  expect((moments[1] as number) - (moments[0] as number)).toBeGreaterThanOrEqual(990)
})

test('a service that is down at first gets everything once it is up', async () => {
  const other = new Sink()
  await other.start()
  const port = Number(new URL(other.url).port)
  await other.stop()
  const { tracer } = newTracer({ apiUrl: other.url })
  record(tracer, 100)
  await tracer.flush({ timeoutMs: 300 })
  expect(tracer.stats()).toMatchObject({ pending: 100, lastProblem: expect.any(String) })
  await other.start(port)
  expect(await tracer.flush()).toMatchObject({ delivered: 100, pending: 0 })
  expect(other.taken.map(({ id }) => id)).toEqual(ids(100))
  await other.stop()
})

test('flush settles by its deadline when the service never answers', async () => {
  sink.answer = () => 'silent'
  const { tracer } = newTracer()
  record(tracer, 10)
  const begin = performance.now()
  expect(await tracer.flush({ timeoutMs: 200 })).toMatchObject({ pending: 10 })
  expect(performance.now() - begin).toBeLessThan(5000)
})

test('close gives up undelivered steps at its deadline, and reports their number', async () => {
  sink.answer = () => 'silent'
  const { tracer, reports } = newTracer()
  record(tracer, 10)
  expect(await tracer.close({ timeoutMs: 100 })).toMatchObject({
    pending: 0,
    dropped: 10,
    droppedByReason: { deadline: 10 },
  })
  expect(reports.join()).toContain('did not accept all steps before the end')
  record(tracer, 2)
  expect(tracer.stats().droppedByReason).toEqual({ deadline: 10, closed: 2 })
  balances(tracer)
})

test('close delivers the steps that are still open, as unfinished, and counts them', async () => {
  const { tracer } = newTracer()
  let release: (value: string) => void = () => {}
  const open = tracer.trace({ id: 'outer', name: 'n' }, () =>
    tracer.trace({ id: 'inner', name: 'n', input: { question: 'a' } }, () => {
      return new Promise<string>((resolve) => {
        release = resolve
      })
    }),
  )
  record(tracer, 1)
  expect(await tracer.close()).toMatchObject({ recorded: 3, delivered: 3, pending: 0 })
  expect(takenIds().sort()).toEqual(['inner', 'outer', 's0'])
  expect(sink.taken.find(({ id }) => id === 'inner')).toMatchObject({
    error: 'unfinished: the client was closed',
    input: { question: 'a' },
    parentId: 'outer',
  })
  expect(sink.requests.at(-1)?.session).toMatchObject({ recorded: 3 })
  // Their ends come too late, and are counted as well.
  release('done')
  expect(await open).toBe('done')
  expect(tracer.stats()).toMatchObject({ recorded: 5, droppedByReason: { closed: 2 } })
  balances(tracer)
})

test('close records open steps although values so far of one can’t be read', async () => {
  const { tracer, reports } = newTracer()
  const release: (() => void)[] = []
  const wait = () => new Promise<void>((resolve) => release.push(resolve))
  const open = ['s0', 's1'].map((id) => tracer.trace({ id, name: 'n' }, wait))
  const broken = tracer.trace({ id: 's2', name: 'n' }, (step) => {
    step.recording.soFar = () => {
      throw new Error('a bug')
    }
    return wait()
  })
  expect(await tracer.close()).toMatchObject({ delivered: 2, droppedByReason: { internal: 1 } })
  expect(takenIds().sort()).toEqual(ids(2))
  expect(reports.join()).toContain('a bug')
  for (const end of release) end()
  await Promise.all([...open, broken])
  balances(tracer)
})

test('a step that runs at the end is recorded, whatever number of older ones never ended', async () => {
  const { tracer } = newTracer()
  for (let at = 0; at < 12_000; at++)
    tracer
      .traced(function* abandoned() {
        yield 'piece'
      })()
      .next()
  let release = () => {}
  const running = tracer.trace(
    { id: 'running', name: 'running' },
    () =>
      new Promise<void>((end) => {
        release = end
      }),
  )
  await tracer.close()
  expect(takenIds()).toContain('running')
  release()
  await running
})

test('close reports the end of the session to the service', async () => {
  const { tracer } = newTracer()
  record(tracer, 2)
  await tracer.flush()
  expect(sink.requests[0]?.session.endedAt).toBeUndefined()
  await tracer.close()
  expect(sink.requests.at(-1)?.session).toMatchObject({
    recorded: 2,
    endedAt: expect.stringContaining('T'),
  })
})

test('steps that exceed the buffer are dropped, counted and reported once', async () => {
  sink.answer = () => ({ status: 503 })
  const { tracer, reports } = newTracer({ delivery: { maxBufferBytes: 10_000 } })
  record(tracer, 100)
  const { pending, droppedByReason } = tracer.stats()
  expect(pending).toBeGreaterThan(5)
  expect(droppedByReason).toEqual({ memory: 100 - pending })
  expect(reports.filter((report) => report.includes('buffer'))).toHaveLength(1)
  balances(tracer)
  sink.answer = () => undefined
  await tracer.flush()
  record(tracer, 1, 100)
  await tracer.flush()
  // All other steps have arrived, and the service knows of the dropped ones.
  expect(tracer.stats()).toMatchObject({ delivered: pending + 1 })
  const losses = sink.requests.flatMap(
    ({ session }) => session.losses as { from: number; to: number }[],
  )
  expect(losses.reduce((sum, { from, to }) => sum + to - from + 1, 0)).toBe(100 - pending)
})

test('send and upsert of records that exceed the buffer return at once', async () => {
  sink.answer = () => 'silent'
  const { tracer } = newTracer({ delivery: { maxBufferBytes: 10_000 } })
  record(tracer, 100)
  const begin = performance.now()
  await tracer.thread({ id: 't', name: 'x'.repeat(1000) }).upsert()
  await tracer.step({ id: 'dropped', name: 'x'.repeat(1000) }).send()
  expect(performance.now() - begin).toBeLessThan(5000)
  expect(tracer.stats()).toMatchObject({ droppedThreadChanges: 1 })
  await tracer.close({ timeoutMs: 0 })
})

test('a step that the last answer refuses is reported to the service', async () => {
  sink.answer = ({ steps }) => ({
    body: {
      data: {
        ingestSteps: {
          refused: steps.flatMap(({ id }, index) =>
            id === 's2' ? [{ index, id, message: 'no', code: 'INVALID_ARGUMENT' }] : [],
          ),
        },
      },
    },
  })
  const { tracer } = newTracer()
  record(tracer, 3)
  await tracer.close()
  expect(sink.requests.at(-1)?.session).toMatchObject({
    losses: [{ reason: 'refused', from: 3, to: 3 }],
    endedAt: expect.any(String),
  })
})

test.each([undefined, (url: string, init?: RequestInit) => fetch(url, init)])(
  'a request that is cut off never reaches the service',
  async (ownFetch) => {
    const post = createBatchPost(`${sink.url}/api/graphql`, ownFetch)
    const attempt = new AbortController()
    const posted = post(Buffer.from('{}'), {}, 5000, attempt.signal)
    attempt.abort()
    await expect(posted).rejects.toThrow('cut off')
    const { tracer } = newTracer()
    record(tracer, 1)
    await tracer.close()
    expect(sink.requests.every(({ steps }) => steps.length === 1)).toBe(true)
  },
)

test('changes of one thread are merged and come before steps', async () => {
  const { tracer } = newTracer()
  await tracer.thread({ id: 't', name: 'one' }).wrap(
    async (thread) => {
      thread.tags = ['a']
      record(tracer, 1)
    },
    { metadata: { m: 1 } },
  )
  await tracer.flush()
  expect(sink.requests[0]?.threads).toEqual([
    { id: 't', name: 'one', metadata: { m: 1 }, tags: ['a'] },
  ])
  expect(sink.taken[0]?.threadId).toBe('t')
})

test('send resolves once the service has the step, and at once while it cannot be reached', async () => {
  const { tracer } = newTracer({ delivery: { flushIntervalMs: 1_000_000 } })
  await tracer.step({ id: 'sent' }).send()
  expect(takenIds()).toEqual(['sent'])
  sink.answer = () => ({ status: 503 })
  await tracer.step({ id: 'kept' }).send()
  expect(tracer.stats()).toMatchObject({ delivered: 1, pending: 1 })
})

test('a disabled client records nothing and changes nothing', async () => {
  const { tracer } = newTracer({ disabled: true })
  expect(await tracer.trace('n', async () => 5)).toBe(5)
  await tracer.thread({ name: 'x' }).wrap(async () => tracer.step({}).send())
  expect(await tracer.close()).toMatchObject({ recorded: 0 })
  expect(sink.requests).toEqual([])
})

test('a waitUntil that rejects is reported, and ends nothing', async () => {
  const { tracer, reports } = newTracer({ waitUntil: () => Promise.reject(new Error('too late')) })
  tracer.trace('one', () => 1)
  await tracer.flush()
  await eventually(() => expect(reports.join()).toContain('waitUntil failed: Error: too late'))
  expect(tracer.stats().delivered).toBe(1)
})

test('waitUntil gets a promise that settles once everything is delivered', async () => {
  const promises: Promise<unknown>[] = []
  const { tracer } = newTracer({ waitUntil: (promise) => promises.push(promise) })
  record(tracer, 3)
  expect(promises).toHaveLength(1)
  await promises[0]
  expect(takenIds()).toEqual(ids(3))
})

test('a custom fetch is used in place of the network', async () => {
  const bodies: string[] = []
  const { tracer } = newTracer({
    fetch: async (url, init) => {
      bodies.push(`${url} ${new TextDecoder().decode(init?.body as Uint8Array)}`)
      return Response.json({ data: { ingestSteps: {} } })
    },
  })
  record(tracer, 1)
  expect(await tracer.flush()).toMatchObject({ delivered: 1 })
  expect(bodies[0]).toContain('"id":"s0"')
  expect(sink.requests).toEqual([])
})

test.each([
  { delivery: { maxBatchSteps: 0 } },
  { delivery: { requestTimeoutMs: -1 } },
  { exitTimeoutMs: Number.NaN },
  { sample: 2 },
  { maxValueLength: 0 },
])('an invalid option is rejected by its name: %j', (options) => {
  const [name] = Object.keys('delivery' in options ? options.delivery : options)
  expect(() => newTracer(options)).toThrow(name)
})

test('whatever the service answers, the account balances and nothing is lost without a reason', async () => {
  const answers = fc.constantFrom<(Answer & { refuse?: boolean }) | undefined>(
    undefined,
    { status: 503 },
    { status: 413 },
    { status: 400 },
    { status: 429 },
    { body: 'no' },
    { refuse: true },
  )
  await fc.assert(
    fc.asyncProperty(
      fc.array(answers, { maxLength: 12 }),
      fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 5 }),
      async (script, bursts) => {
        sink.requests.length = 0
        sink.taken.length = 0
        let request = 0
        sink.answer = ({ steps }) => {
          const answer = script[request++]
          if (answer?.refuse !== true) return answer
          const refused = steps.slice(0, 1).map(({ id }) => ({ index: 0, id, message: 'no' }))
          return { body: { data: { ingestSteps: { refused } } } }
        }
        const { tracer } = newHastyTracer({ delivery: { maxBatchSteps: 7 } })
        let count = 0
        for (const burst of bursts) {
          record(tracer, burst, count)
          count += burst
          void tracer.flush(FLUSH)
          await new Promise((resolve) => setImmediate(resolve))
          balances(tracer)
        }
        while (tracer.stats().pending > 0) await tracer.flush(FLUSH)
        balances(tracer)
        const { delivered, dropped } = tracer.stats()
        expect(delivered + dropped).toBe(count)
        const unique = new Set(takenIds())
        expect(unique.size).toBeGreaterThanOrEqual(delivered)
      },
    ),
    // The simulator tries such scripts by the ten thousand; these few go over real connections.
    { numRuns: 10 },
  )
})

describe('waiting for delivery', () => {
  /** Records in other threads, as long as the test runs. */
  const beside = (tracer: Tracer) => {
    let count = 0
    const timer = setInterval(() => {
      count++
      void tracer.thread({ id: `other-${count}`, name: 'n' }).wrap(() => {
        tracer.trace({ id: `other-step-${count}` }, () => 1)
      })
    }, 5)
    return () => clearInterval(timer)
  }

  test.each(['flush', 'send', 'upsert'])(
    '%s settles once the service has its records, whatever others record in between',
    async (way) => {
      sink.answer = async () => {
        await new Promise((resolve) => setTimeout(resolve, 15))
        return undefined
      }
      const { tracer } = newTracer({ delivery: { flushIntervalMs: 1, maxRequests: 1 } })
      const stop = beside(tracer)
      try {
        const begin = performance.now()
        if (way === 'flush') await tracer.flush({ timeoutMs: 20_000 })
        else if (way === 'send') await tracer.step({ id: 'mine' }).send()
        else await tracer.thread({ id: 'mine', name: 'n' }).upsert()
        expect(performance.now() - begin).toBeLessThan(5000)
        if (way === 'send') expect(takenIds()).toContain('mine')
      } finally {
        stop()
        await tracer.close()
      }
    },
  )

  test('send and upsert settle after the time of a request when the service never answers', async () => {
    sink.answer = () => 'silent'
    const { tracer } = newTracer({ delivery: { requestTimeoutMs: 200 } })
    await tracer.step({ id: 'mine' }).send()
    await tracer.thread({ id: 'mine', name: 'n' }).upsert()
    expect(tracer.stats()).toMatchObject({ delivered: 0 })
    await tracer.close({ timeoutMs: 1 })
  })

  test('a change of a thread that comes while an earlier one is under way is sent separately', async () => {
    let answer = () => {}
    const isMine = ({ threads }: Received) => threads.some(({ id }) => id === 't')
    // Requests of a client that was closed before may still come, and are none of this test.
    sink.answer = (received) =>
      isMine(received)
        ? new Promise((resolve) => {
            answer = () => resolve(undefined)
          })
        : undefined
    const { tracer } = newTracer({ delivery: { flushIntervalMs: 1 } })
    const thread = tracer.thread({ id: 't', metadata: { first: 1 } })
    void thread.upsert()
    const mine = () => sink.requests.filter(isMine)
    await eventually(() => expect(mine()).toHaveLength(1))
    thread.metadata = { second: 2 }
    void thread.upsert()
    // Its turn comes while the first is still under way.
    await new Promise((resolve) => setTimeout(resolve, 20))
    answer()
    await eventually(() => expect(mine()).toHaveLength(2))
    answer()
    expect(mine()[1]?.threads).toMatchObject([{ id: 't', metadata: { second: 2 } }])
    await tracer.close()
  })

  test('a step left over by a full batch is sent within the interval too', async () => {
    let answer = () => {}
    let isHeld = true
    const held = new Promise<undefined>((resolve) => {
      answer = () => resolve(undefined)
    })
    sink.answer = () => (isHeld ? held : undefined)
    const { tracer } = newTracer({
      delivery: { flushIntervalMs: 1, maxBatchSteps: 3, maxRequests: 1 },
    })
    record(tracer, 1)
    await eventually(() => expect(sink.requests.flatMap(({ steps }) => steps)).toHaveLength(1))
    record(tracer, 3, 1)
    // The interval of these ends while the first is still under way.
    await new Promise((resolve) => setTimeout(resolve, 20))
    record(tracer, 1, 4)
    isHeld = false
    answer()
    await eventually(() => expect(tracer.stats()).toMatchObject({ delivered: 5 }))
    await tracer.close()
  })

  test('two merged changes of a thread keep the metadata of both', async () => {
    const { tracer } = newTracer()
    void tracer.thread({ id: 't', metadata: { first: 1 } }).upsert()
    void tracer.thread({ id: 't', metadata: { second: 2 } }).upsert()
    await tracer.flush()
    expect(sink.requests.flatMap(({ threads }) => threads)).toMatchObject([
      { id: 't', metadata: { first: 1, second: 2 } },
    ])
  })

  test('a thread that the service cannot store now is sent again', async () => {
    let failures = 2
    sink.answer = ({ threads }) =>
      threads.length > 0 && failures-- > 0
        ? {
            body: {
              data: {
                ingestSteps: {
                  refused: [],
                  refusedThreads: [{ index: 0, message: 'busy', code: 'UNAVAILABLE' }],
                },
              },
            },
          }
        : undefined
    const { tracer, reports } = newHastyTracer()
    void tracer.thread({ id: 't', name: 'n' }).upsert()
    await tracer.flush(FLUSH)
    expect(sink.requests.at(-1)?.threads).toMatchObject([{ id: 't', name: 'n' }])
    expect(reports.join()).not.toContain('refused')
    expect(tracer.stats().droppedThreadChanges).toBe(0)
  })

  test.each([302, 403, 404, 405, 429, 500, 503])(
    'a step that is answered with %i delays no other, and is finally dropped',
    async (status) => {
      sink.answer = ({ steps }) =>
        steps.some(({ id }) => id === 's7') ? { status, body: 'blocked' } : undefined
      const { tracer, reports } = newHastyTracer()
      record(tracer, 30)
      void tracer.flush()
      await eventually(() => expect(tracer.stats().delivered).toBe(29))
      record(tracer, 1, 30)
      await eventually(() => expect(takenIds()).toContain('s30'))
      await eventually(() =>
        expect(reports.join()).toContain('does not accept the step s7, but accepts others'),
      )
      await eventually(() =>
        expect(tracer.stats()).toMatchObject({ delivered: 30, pending: 1, dropped: 0 }),
      )
      await tracer.close({ timeoutMs: 1 })
    },
  )

  test('flush settles while timers are mocked', async () => {
    const { tracer } = newTracer()
    vi.useFakeTimers()
    try {
      record(tracer, 3)
      await tracer.flush()
      expect(tracer.stats()).toMatchObject({ delivered: 3 })
      sink.answer = () => 'silent'
      record(tracer, 1, 3)
      await tracer.flush({ timeoutMs: 20 })
      expect(tracer.stats()).toMatchObject({ pending: 1 })
    } finally {
      vi.useRealTimers()
      await tracer.close({ timeoutMs: 1 })
    }
  })

  test('timers that were mocked before the client was imported stop nothing either', async () => {
    vi.useFakeTimers()
    try {
      vi.resetModules()
      const { Tracer: Late } = await import('../src/tracing/spool.js')
      const tracer = new Late({ apiKey: 'k', apiUrl: sink.url, flushAtExit: false })
      tracer.trace({ id: 'late' }, () => 1)
      expect(await tracer.flush()).toMatchObject({ delivered: 1 })
      sink.answer = () => 'silent'
      tracer.trace({ id: 'later' }, () => 1)
      expect(await tracer.flush({ timeoutMs: 20 })).toMatchObject({ pending: 1 })
      await tracer.close({ timeoutMs: 1 })
    } finally {
      vi.useRealTimers()
    }
  })
})
