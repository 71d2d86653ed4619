import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import {
  appendFile,
  readdir,
  readFile,
  rm,
  stat,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { runtime } from '../src/outbox/host.js'
import { SpoolLog } from '../src/outbox/spool/log.js'
import { Spool } from '../src/outbox/spool/spool.js'
import { Tracer as LeanTracer } from '../src/tracing/tracer.js'
import { SimulatedDisk } from './simulation/disk.js'
import { eventually } from './support/eventually.js'
import { useSink } from './support/sink.js'
import { record, useSpool } from './support/spool.js'

const sink = useSink()
const spool = useSpool(sink)
const { newTracer, filesOf, abandoned, adopted } = spool

test('steps are in the folder when the call that recorded them has returned', async () => {
  sink.answer = () => 'silent'
  const { tracer } = newTracer()
  record(tracer, 1)
  const [file = ''] = await filesOf('.steps')
  expect(await readFile(file, 'utf8')).toContain('"id":"s0"')
  record(tracer, 5000, 1)
  await Promise.resolve()
  const texts = await Promise.all((await filesOf('.steps')).map((path) => readFile(path, 'utf8')))
  expect(texts.join('').match(/^S \d+ /gm)).toHaveLength(5001)
  await tracer.close({ timeoutMs: 1 })
})

test('no key is written, and the files are readable by their owner only', async () => {
  await abandoned(1, { apiKey: 'lsk_very_secret' })
  for (const path of await filesOf(''))
    if (/\.\w+$/.test(path)) expect(await readFile(path, 'utf8')).not.toContain('very_secret')
})

test('a folder is empty once everything is delivered', async () => {
  const { tracer } = newTracer()
  record(tracer, 700)
  expect(await tracer.close()).toMatchObject({ delivered: 700 })
  expect(await readdir(spool.folder)).toEqual([])
})

test('the next process delivers the steps of the last one, once, with its threads and its end', async () => {
  const left = await abandoned(1200)
  expect(left).toMatchObject({ recorded: 1200, pending: 1200, dropped: 0 })
  const { tracer } = await adopted()
  expect(tracer.stats()).toMatchObject({ recorded: 1200, adopted: 1200, delivered: 1200 })
  expect(sink.taken).toHaveLength(1200)
  expect(new Set(sink.taken.map(({ id }) => id)).size).toBe(1200)
  expect(sink.taken.every(({ sessionId }) => sessionId === left.sessionId)).toBe(true)
  expect(sink.requests.flatMap(({ threads }) => threads)).toEqual([{ id: 't', name: 'kept' }])
  expect(sink.requests.at(-1)?.session).toMatchObject({
    id: left.sessionId,
    recorded: 1200,
    endedAt: expect.any(String),
  })
  expect(await readdir(spool.folder)).toEqual([])
  await tracer.close()
})

test('a step of an earlier process that the service refuses now is reported as lost', async () => {
  const left = await abandoned(4)
  sink.answer = ({ steps }) => ({
    body: {
      data: {
        ingestSteps: {
          refused: steps.flatMap(({ id }, index) =>
            id === 's1' || id === 's2'
              ? [{ index, id, message: 'no', code: 'INVALID_ARGUMENT' }]
              : [],
          ),
        },
      },
    },
  })
  const { tracer } = await adopted()
  expect(tracer.stats()).toMatchObject({ delivered: 2, droppedByReason: { refused: 2 } })
  const told = sink.requests.map(({ session }) => session)
  expect(told.flatMap(({ id, losses }) => (id === left.sessionId ? losses : []))).toEqual([
    { reason: 'refused', from: 2, to: 3 },
  ])
  expect(await readdir(spool.folder)).toEqual([])
  await tracer.close()
})

test('delivered steps are not sent again', async () => {
  let taken = 0
  sink.answer = ({ steps }) => {
    taken += steps.length
    return taken > 500 ? { status: 503 } : undefined
  }
  const { tracer } = newTracer({ delivery: { maxRequests: 1 } })
  record(tracer, 900)
  await tracer.close({ timeoutMs: 300 })
  expect(tracer.stats()).toMatchObject({ delivered: 500, pending: 400 })
  sink.answer = () => undefined
  await adopted()
  // Requests under way at the first client's end may have arrived twice, which is harmless.
  expect(new Set(sink.taken.map(({ sequence }) => sequence)).size).toBe(900)
  expect(sink.taken.filter(({ sequence }) => sequence <= 500)).toHaveLength(500)
})

test('steps of a client that still runs are left alone', async () => {
  sink.answer = () => ({ status: 503 })
  const { tracer } = newTracer()
  record(tracer, 10)
  const { tracer: other } = newTracer({ fetch: async () => Response.json({ data: {} }) })
  await new Promise((resolve) => setImmediate(resolve))
  expect(other.stats()).toMatchObject({ adopted: 0 })
  await tracer.close({ timeoutMs: 1 })
})

test('steps recorded with another key stay in the folder, and are reported', async () => {
  await abandoned(3, { apiKey: 'another' })
  const { tracer, reports } = await adopted()
  expect(tracer.stats()).toMatchObject({ adopted: 0 })
  expect(reports).toEqual([expect.stringContaining('recorded with another API key')])
  expect((await adopted({ apiKey: 'another' })).tracer.stats()).toMatchObject({ delivered: 3 })
})

test('of two processes that come at once, one delivers', async () => {
  await abandoned(300)
  await Promise.all([adopted(), adopted(), adopted()])
  expect(sink.taken).toHaveLength(300)
})

test('a change of a thread waits for an earlier one that another process took over', async () => {
  await abandoned(1)
  let isAway = true
  const { tracer: other } = newTracer({
    fetch: (...request) => (isAway ? Promise.reject(new Error('away')) : fetch(...request)),
  })
  await eventually(() => expect(other.stats().adopted).toBe(1))
  const { tracer } = newTracer()
  void tracer.thread({ id: 't', name: 'later' }).upsert()
  await tracer.step({ id: 'bystander' }).send()
  const names = () => sink.requests.flatMap(({ threads }) => threads.map(({ name }) => name))
  expect(sink.taken.map(({ id }) => id)).toEqual(['bystander'])
  expect(names()).toEqual([])
  isAway = false
  await Promise.all([other.flush(), tracer.flush()])
  expect(names()).toEqual(['kept', 'later'])
  await Promise.all([other.close(), tracer.close()])
})

test('a change of a thread is sent when the process that took over an earlier one releases it', async () => {
  await abandoned(1)
  const { tracer: other } = newTracer({ fetch: () => Promise.reject(new Error('away')) })
  await eventually(() => expect(other.stats().adopted).toBe(1))
  const { tracer } = newTracer()
  void tracer.thread({ id: 't', name: 'later' }).upsert()
  await tracer.step({ id: 'bystander' }).send()
  await other.close({ timeoutMs: 1 })
  await tracer.flush()
  const names = sink.requests.flatMap(({ threads }) => threads.map(({ name }) => name))
  expect(names).toEqual(['kept', 'later'])
  await tracer.close()
})

test('damaged lines are declared lost, and the others are delivered', async () => {
  const { sessionId } = await abandoned(20)
  const [file = ''] = await filesOf('.steps')
  const text = await readFile(file, 'utf8')
  await truncate(file, text.indexOf('S 20 ') + 30)
  await appendFile(file, '\nno line at all\n')
  const { tracer } = await adopted()
  expect(tracer.stats()).toMatchObject({
    recorded: 20,
    delivered: 19,
    dropped: 1,
    droppedByReason: { spool: 1 },
  })
  expect(sink.requests.at(-1)?.session).toMatchObject({
    id: sessionId,
    recorded: 20,
    losses: [{ reason: 'spool', from: 20, to: 20 }],
  })
})

test('steps that exceed the memory stay on disk, and are delivered', async () => {
  sink.answer = () => ({ status: 503 })
  const { tracer } = newTracer({ delivery: { maxBufferBytes: 20_000 } })
  record(tracer, 2000)
  expect(tracer.stats()).toMatchObject({ pending: 2000, dropped: 0 })
  sink.answer = () => undefined
  expect(await tracer.flush()).toMatchObject({ delivered: 2000, dropped: 0 })
  expect(new Set(sink.taken.map(({ id }) => id)).size).toBe(2000)
  await tracer.close()
})

test('segments are deleted as soon as everything in them is delivered', async () => {
  const { tracer } = newTracer()
  const text = 'x'.repeat(900_000)
  for (let index = 0; index < 30; index++) tracer.trace({ input: { text } }, () => index)
  expect((await filesOf('.steps')).length).toBeGreaterThan(2)
  await tracer.flush()
  expect((await filesOf('.steps')).length).toBe(1)
  await tracer.close()
})

test('a folder that is not writable is rejected, and one that disappears loses nothing', async () => {
  const file = join(spool.folder, 'file')
  await writeFile(file, '')
  expect(() => newTracer({ spool: join(file, 'spool') })).toThrow('spool: expected a folder')
  const { tracer, reports } = newTracer()
  await rm(spool.folder, { recursive: true, force: true })
  record(tracer, 10)
  expect(await tracer.flush()).toMatchObject({ delivered: 10 })
  if (reports.length > 0) expect(reports.join()).toContain("can't be written")
  await tracer.close()
})

// In a separate process: Node's recursive mkdir would hold this one for ever.
test.runIf(existsSync('/proc'))('a folder inside one that allows none is rejected at once', () => {
  const program = `const { StepwellClient } = require('./dist/cjs/src/index.js')
    new StepwellClient({ apiKey: 'k', apiUrl: 'http://127.0.0.1:1', spool: '/proc/none/spool' })`
  const { status, signal, stderr } = spawnSync(process.execPath, ['-e', program], {
    encoding: 'utf8',
    timeout: 60_000,
  })
  expect({ status, signal }).toEqual({ status: 1, signal: null })
  expect(stderr).toContain('spool: expected a folder that can be written to')
})

test('folders above it are made for their owner only', async () => {
  const deep = join(spool.folder, 'one', 'two')
  const { tracer } = newTracer({ spool: deep })
  for (const path of [deep, dirname(deep)]) expect((await stat(path)).mode & 0o777).toBe(0o700)
  await tracer.close()
})

const start = (): ChildProcess =>
  spawn(
    process.execPath,
    ['test/support/recording-program.js', 'steadily', sink.url, spool.folder],
    {
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  )

test('a killed process loses no step of a turn of its event loop that had ended', async () => {
  let fails = true
  sink.answer = () => (fails ? { status: 503 } : undefined)
  for (let round = 0; round < Number(process.env.STEPWELL_KILLS ?? 2); round++) {
    const child = start()
    let said = ''
    child.stdout?.on('data', (text) => {
      said += text
    })
    /** Returns the complete lines of the output: `SESSION COUNT`. */
    const lines = () => said.split('\n').slice(0, -1)
    await eventually(() => expect(lines().length).toBeGreaterThan(1))
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 100))
    child.kill('SIGKILL')
    await once(child, 'close')
    const [sessionId, count] = lines().at(-1)?.split(' ') ?? []
    fails = false
    sink.taken.length = 0
    const { tracer } = await adopted()
    const ofSession = sink.taken.filter((step) => step.sessionId === sessionId)
    expect(ofSession.length).toBeGreaterThanOrEqual(Number(count))
    expect(ofSession.map(({ sequence }) => sequence)).toEqual(
      Array.from({ length: ofSession.length }, (_, index) => index + 1),
    )
    const { recorded, delivered, pending, dropped } = tracer.stats()
    expect(delivered + pending + dropped).toBe(recorded)
    fails = true
    await tracer.close({ timeoutMs: 1 })
  }
})

test('a step that the disk did not take is not settled later in place of one that it did take', () => {
  const disk = new SimulatedDisk(() => 0)
  let elapsed = 0
  // Each line is written at once.
  const host = {
    ...runtime,
    elapsed: () => {
      elapsed += 10
      return elapsed
    },
  }
  disk.fs.mkdirSync('/s')
  const log = new SpoolLog(disk.fs, host, '/s', () => {})
  for (const sequence of [1, 2, 3]) log.append(sequence, '{}')
  disk.mode = 'full'
  for (const sequence of [4, 5, 6]) expect(() => log.append(sequence, '{}')).toThrow('ENOSPC')
  disk.mode = 'well'
  log.append(7, JSON.stringify('x'.repeat(8_000_000)))
  log.append(8, '{}')
  // The steps that are only in memory are delivered first, and one of the others.
  log.settle([4, 5, 6, 1], 'delivered')
  const kept = disk.texts('.steps').map(({ text }) => text.replace(/x+/, ''))
  expect(kept.join('').match(/^S \d+/gm)).toEqual(['S 1', 'S 2', 'S 3', 'S 7', 'S 8'])
  log.settle([2, 3, 7], 'delivered')
  expect(disk.texts('.steps').map(({ text }) => text)).toEqual(['S 8 {}\n'])
})

test('a line that is on the disk is read, also when the disk does not take those that wait', () => {
  const disk = new SimulatedDisk(() => 0)
  let elapsed = 10
  const host = { ...runtime, elapsed: () => elapsed }
  disk.fs.mkdirSync('/s')
  const errors: unknown[] = []
  const log = new SpoolLog(disk.fs, host, '/s', (error) => errors.push(error))
  const written = log.append(1, '{"n":1}')
  // Within a millisecond: it waits for others.
  const waiting = log.append(2, '{"n":2}')
  disk.mode = 'half'
  expect(written.read()).toBe('{"n":1}')
  expect(() => waiting.read()).toThrow()
  expect(errors).toHaveLength(1)
  disk.mode = 'well'
  elapsed += 10
  const next = log.append(3, '{"n":3}')
  expect(next.read()).toBe('{"n":3}')
  expect(written.read()).toBe('{"n":1}')
  expect(() => waiting.read()).toThrow()
})

test('flush right after the client was made waits for what an earlier process left', async () => {
  await abandoned(1200)
  const { tracer } = newTracer()
  expect(await tracer.flush()).toMatchObject({ adopted: 1200, delivered: 1200, pending: 0 })
  await tracer.close()
})

test('reading the steps of other processes lets the application run in between', async () => {
  const fetch = () => Promise.reject(new Error('away'))
  const { tracer: earlier } = newTracer({ fetch })
  for (let index = 0; index < 2000; index++)
    earlier.trace({ id: `s${index}`, input: { text: 'x'.repeat(10_000) } }, () => index)
  await earlier.close({ timeoutMs: 1 })
  const { tracer } = newTracer()
  let turns = 0
  const count = () => {
    turns++
    if (tracer.stats().adopted === 0) setImmediate(count)
  }
  count()
  await tracer.flush()
  expect(tracer.stats()).toMatchObject({ adopted: 2000, delivered: 2000 })
  // 20 MB in portions of 256 kB.
  expect(turns).toBeGreaterThan(50)
  await tracer.close()
})

test('a folder without a readable owner is set aside, which is reported once', async () => {
  await abandoned(3)
  const [steps = ''] = await filesOf('.steps')
  const broken = dirname(steps)
  await writeFile(join(broken, 'session.json'), '{"session":')
  const past = new Date(Date.now() - 3_600_000)
  await utimes(broken, past, past)
  const { tracer, reports } = await adopted()
  expect(reports).toEqual([expect.stringContaining('has no readable owner')])
  const [aside = ''] = await readdir(spool.folder)
  expect(aside).toMatch(/\.broken$/)
  expect(await readdir(join(spool.folder, aside))).toContain('000001.steps')
  await tracer.close()
  const next = await adopted()
  expect(next.reports).toEqual([])
  await next.tracer.close()
})

/** Makes the client of a simulated process, whose number is its id, on a simulated disk. */
const clientOn = (
  disk: SimulatedDisk,
  pid: number,
  alive: ReadonlySet<number>,
  apiUrl: string,
  onReport = (_message: string): unknown => undefined,
) => {
  const owned = disk.as({ pid, host: '', started: '' }, (owner) => alive.has(owner.pid))
  const options = { apiKey: 'k', apiUrl, flushAtExit: false, spool: '/spool', onReport }
  return new LeanTracer(options, undefined, (spoolOptions) => new Spool(spoolOptions, owned))
}

test.each(['closes', 'is killed'])(
  'a disk that was full when its process %s is emptied by the next one',
  async (end) => {
    const disk = new SimulatedDisk(Date.now)
    const alive = new Set([1])
    const earlier = clientOn(disk, 1, alive, 'http://127.0.0.1:1')
    record(earlier, 10)
    await Promise.resolve()
    disk.mode = 'full'
    if (end === 'closes') await earlier.close({ timeoutMs: 1 })
    else alive.delete(1)
    const next = clientOn(disk, 2, alive.add(2), sink.url)
    expect(await next.flush()).toMatchObject({ adopted: 10, delivered: 10, pending: 0 })
    expect(disk.texts('')).toEqual([])
    await next.close()
    await earlier.close({ timeoutMs: 1 })
  },
)

test('a folder that is left and taken over again and again does not fill with owners', async () => {
  await abandoned(1)
  sink.answer = () => 'silent'
  for (let times = 0; times < 3; times++) {
    const { tracer } = newTracer()
    await eventually(() => expect(tracer.stats().adopted).toBe(1))
    await tracer.close({ timeoutMs: 1 })
  }
  expect(await filesOf('.owner')).toHaveLength(1)
})

test('what a full disk did not take is counted as lost when the service has not got it either', async () => {
  const disk = new SimulatedDisk(Date.now)
  const reports: string[] = []
  const onReport = (message: string) => reports.push(message)
  const tracer = clientOn(disk, 1, new Set([1]), 'http://127.0.0.1:1', onReport)
  record(tracer, 10)
  void tracer.thread({ id: 't', name: 'kept' }).upsert()
  await Promise.resolve()
  disk.mode = 'full'
  record(tracer, 5, 10)
  void tracer.thread({ id: 't', name: 'lost' }).upsert()
  expect(await tracer.close({ timeoutMs: 1 })).toMatchObject({
    recorded: 15,
    pending: 10,
    dropped: 5,
    droppedByReason: { deadline: 5 },
    droppedThreadChanges: 1,
  })
  expect(reports.join()).toContain('did not accept all steps before the end')
  disk.mode = 'well'
  const next = clientOn(disk, 2, new Set([2]), sink.url)
  expect(await next.flush()).toMatchObject({ delivered: 10, pending: 0 })
  const threads = sink.requests.flatMap((request) => request.threads)
  expect(threads).toEqual([{ id: 't', name: 'kept' }])
  await next.close()
})
