import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { openStream, useModelServer } from '../support/model-server.js'
import { Sink, useSink } from '../support/sink.js'

const sink = useSink()
const model = useModelServer()

interface Ended {
  code: number | null
  signal: string | null
  stderr: string
  seconds: number
}

/**
 * Starts the program. It has a long time for its end, as the machine may be busy, unless a test is about the deadline.
 */
const start = (
  way: string,
  url = sink.url,
  exitTimeoutMs = 30_000,
  flags: string[] = [],
): ChildProcess =>
  spawn(process.execPath, [...flags, 'test/support/recording-program.js', way, url], {
    env: { ...process.env, EXIT_TIMEOUT_MS: String(exitTimeoutMs), MODEL_URL: model.url },
    stdio: ['ignore', 'pipe', 'pipe'],
  })

const ended = async (child: ChildProcess): Promise<Ended> => {
  let stderr = ''
  child.stderr?.on('data', (text) => {
    stderr += text
  })
  const begin = performance.now()
  const [code, signal] = await once(child, 'exit')
  return { code, signal, stderr, seconds: (performance.now() - begin) / 1000 }
}

const names = () => new Set(sink.taken.map(({ name }) => name))

test.each([
  ['naturalEnd', 0],
  ['exit', 3],
  ['uncaught', 1],
  ['rejection', 1],
  ['richRejection', 1],
  ['richHandled', 0],
])('no step is lost at %s, and the exit code stays', async (way, code) => {
  expect((await ended(start(way))).code).toBe(code)
  expect(names().size).toBe(200)
  expect(sink.requests.at(-1)?.session).toMatchObject({
    recorded: 200,
    endedAt: expect.any(String),
  })
})

test('steps that a permission model without threads loses at process.exit are reported, with the reason', async () => {
  const flags = process.allowedNodeEnvironmentFlags
  const name = flags.has('--permission') ? '--permission' : '--experimental-permission'
  const child = start(
    'exit',
    sink.url,
    30_000,
    [name, '--allow-fs-read=*', '--allow-net'].slice(0, flags.has('--allow-net') ? 3 : 2),
  )
  const { code, stderr } = await ended(child)
  expect(code).toBe(3)
  expect(stderr).toMatch(/did not accept all steps before the end \(.*Access to this API/)
})

test.each([
  ['SIGTERM', 'signal', 200],
  ['SIGINT', 'signal', 200],
  ['SIGHUP', 'signal', 200],
  ['SIGTERM', 'workerThreadSignal', 101],
  ['SIGINT', 'workerThreadSignal', 101],
] as const)(
  'no step is lost at %s (%s), which still ends the process',
  async (signal, way, count) => {
    const child = start(way)
    await once(child.stdout as NodeJS.ReadableStream, 'data')
    child.kill(signal)
    expect(await ended(child)).toMatchObject({ code: null, signal })
    expect(names().size).toBe(count)
  },
)

test.each([
  ['ownHandler', 200],
  ['onceHandler', 100],
])(
  'an application that handles the signal itself (%s) decides when to end, and loses nothing',
  async (way, count) => {
    const child = start(way)
    await once(child.stdout as NodeJS.ReadableStream, 'data')
    child.kill('SIGTERM')
    expect(await ended(child)).toMatchObject({ code: 7 })
    expect(sink.taken).toHaveLength(count)
  },
)

test.each([
  ['exitAtOnce', 4],
  ['errorAtOnce', 1],
])('the very first step of a process is not lost at %s', async (way, code) => {
  expect((await ended(start(way))).code).toBe(code)
  expect(sink.taken).toEqual([
    expect.objectContaining({ name: 'first', error: expect.stringContaining('unfinished') }),
  ])
})

test('the very first step of a process is not lost when a signal ends it', async () => {
  const child = start('signalAtOnce')
  await once(child.stdout as NodeJS.ReadableStream, 'data')
  child.kill('SIGTERM')
  expect(await ended(child)).toMatchObject({ code: null, signal: 'SIGTERM' })
  expect(names()).toEqual(new Set(['first']))
})

test('records of a worker thread are not lost when the main thread exits', async () => {
  expect((await ended(start('workerThread'))).code).toBe(5)
  expect(names().size).toBe(101)
})

test.each(['busyWorkerThread', 'busyWorkerThreadSignal'])(
  'what a worker thread has recorded is not lost when it goes on recording at the end (%s)',
  async (way) => {
    sink.answer = async () => {
      if (sink.requests.length > 1) await new Promise((resolve) => setTimeout(resolve, 300))
      return undefined
    }
    const child = start(way)
    if (way.endsWith('Signal')) {
      await once(child.stdout as NodeJS.ReadableStream, 'data')
      child.kill('SIGTERM')
    }
    await ended(child)
    expect(new Set([...names()].filter((name) => name !== 'later')).size).toBe(2001)
  },
)

test('refusals in a long answer are counted with their reasons, also at the exit', async () => {
  sink.answer = ({ steps }) => ({
    body: {
      data: {
        ingestSteps: {
          refused: steps.map(({ id }, index) => ({
            index,
            id,
            message: `name: ${'no '.repeat(500)}`,
            code: 'INVALID_ARGUMENT',
          })),
        },
      },
    },
  })
  const { code, stderr } = await ended(start('exit'))
  expect(code).toBe(3)
  expect(stderr).toContain('rejected a step: name: no')
  expect(stderr).not.toContain('before the end')
})

test.each([403, 405])(
  'a step that a firewall answers with %i costs no other one at the exit',
  async (status) => {
    sink.answer = ({ steps }) =>
      steps.some(({ name }) => name === 'step 77') ? { status, body: 'blocked' } : undefined
    expect((await ended(start('exit'))).code).toBe(3)
    expect(names().size).toBe(199)
  },
)

test('an unknown key is tried a few times at the exit, and no more', async () => {
  sink.answer = () => ({ status: 401, body: 'no' })
  expect((await ended(start('exit'))).code).toBe(3)
  expect(sink.requests.length).toBeLessThan(10)
})

test('the values that a generator has yielded before the exit are kept', async () => {
  expect((await ended(start('insideGenerator'))).code).toBe(3)
  expect(sink.taken.find(({ name }) => name === 'words')).toMatchObject({
    output: { output: 'half way' },
    error: expect.stringContaining('unfinished'),
  })
})

test('a step that the exit interrupts is recorded as unfinished, above its children', async () => {
  await ended(start('exitInside'))
  const root = sink.taken.find(({ name }) => name === 'unfinished')
  expect(root).toMatchObject({ error: expect.stringContaining('exited with code 0') })
  expect(root?.endTime).toBeUndefined()
  expect(sink.taken.filter(({ parentId }) => parentId === root?.id)).toHaveLength(10)
})

test.each(['naturalEnd', 'exit'])(
  'at %s a service that never answers delays the exit no longer than the deadline',
  async (way) => {
    sink.answer = () => 'silent'
    const { code, stderr, seconds } = await ended(start(way, sink.url, 3000))
    expect(code).toBe(way === 'exit' ? 3 : 0)
    expect(stderr).toContain('did not accept all steps before the end')
    expect(seconds).toBeLessThan(20)
  },
)

test('an unreachable service delays the exit once, however many clients there are and whatever they still record', async () => {
  const other = new Sink()
  await other.start()
  await other.stop()
  const { code, seconds } = await ended(start('manyClients', other.url, 3000))
  expect(code).toBe(0)
  expect(seconds).toBeLessThan(12)
})

test('an unreachable service is tried again during the exit until the deadline', async () => {
  const other = new Sink()
  await other.start()
  let failures = 2
  other.answer = () => (failures-- > 0 ? { status: 503 } : undefined)
  expect((await ended(start('exit', other.url))).code).toBe(3)
  expect(other.taken).toHaveLength(200)
  await other.stop()
})

test('a process that is ended in the middle of a stream of a model leaves a step with what came', async () => {
  model.plays(
    openStream([{ model: 'm-1', choices: [{ index: 0, delta: { content: 'Half an' } }] }]),
  )
  const child = start('midStream')
  await once(child.stdout as NodeJS.ReadableStream, 'data')
  child.kill('SIGTERM')
  expect(await ended(child)).toMatchObject({ signal: 'SIGTERM' })
  expect(sink.taken).toMatchObject([
    {
      type: 'llm',
      name: 'chat m',
      error: 'unfinished: the process was ended by SIGTERM',
      generation: {
        model: 'm-1',
        messages: [{ role: 'user', content: 'hi' }],
        messageCompletion: { role: 'assistant', content: 'Half an' },
      },
    },
  ])
})
