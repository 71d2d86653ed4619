import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { StepwellClient } from '../../../src/index.js'
import { eventually } from '../../../test/support/eventually.js'
import { lockFolder } from '../../src/data-folder.js'
import { startService } from '../support/start-service.js'

// One process at a time has a data folder. STEPWELL_RACERS sets the number of processes that try to take it at once.
const RACERS = Number(process.env.STEPWELL_RACERS ?? 40)
const built = join(import.meta.dirname, '../../dist/src/data-folder.js')
/** Takes the folder, reports it, and releases it or keeps it, as told. */
const PROGRAM = `
const { lockFolder } = await import(${JSON.stringify(built)})
process.stdin.once('data', async () => {
  try {
    const unlock = await lockFolder(process.argv[1])
    console.log('taken')
    if (process.argv[2] === 'leave') { await unlock(); process.exit() }
    setInterval(() => {}, 1000)
  } catch (error) { console.log('refused: ' + error.message); process.exit() }
})
console.log('ready')`
/** The state of PostgreSQL in its control file. */
const [STATE_OFFSET, IN_PRODUCTION] = [16, 6]
let folder: string
const children = new Set<ChildProcess>()
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stepwell-lock-'))
})
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL')
  await rm(folder, { recursive: true, force: true })
})

const NODE = ['--input-type=module', '-e', PROGRAM]

const follow = (child: ChildProcess) => {
  children.add(child)
  const ended = once(child, 'exit')
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream })[
    Symbol.asyncIterator
  ]()
  const next = async () => (await lines.next()).value as string
  return {
    child,
    ended,
    next,
    go: () => {
      child.stdin?.write('go\n')
      return next()
    },
  }
}

const start = async (data: string, then: 'leave' | 'stay' = 'stay') => {
  const racer = follow(
    spawn(process.execPath, [...NODE, data, then], { stdio: ['pipe', 'pipe', 'inherit'] }),
  )
  expect(await racer.next()).toBe('ready')
  return racer
}

const kill = async (child: ChildProcess) => {
  child.kill('SIGKILL')
  await once(child, 'exit')
}

test(`of ${RACERS} processes that try to take the folder of a dead owner at once, one gets it`, async () => {
  const data = join(folder, 'race')
  for (let round = 0; round < 3; round++) {
    const dead = await start(data)
    expect(await dead.go()).toBe('taken')
    await kill(dead.child)
    const racers = await Promise.all(Array.from({ length: RACERS }, () => start(data)))
    const outcomes = await Promise.all(racers.map(({ go }) => go()))
    expect(outcomes.filter((outcome) => outcome === 'taken')).toHaveLength(1)
    expect(
      outcomes.filter((outcome) => /refused: .*(in use|being taken)/.test(outcome)),
    ).toHaveLength(RACERS - 1)
    await Promise.all(
      racers.filter((_, at) => outcomes[at] === 'taken').map(({ child }) => kill(child)),
    )
  }
})

/** Takes the folder and releases it again and again, and reports each time that another process had it too. */
const TURNS = `
import { rm, writeFile } from 'node:fs/promises'
const { lockFolder } = await import(${JSON.stringify(built)})
const [folder, marker] = process.argv.slice(1)
console.log('ready')
let had = 0
for (const end = Date.now() + 3000; Date.now() < end; ) {
  let unlock
  try { unlock = await lockFolder(folder) }
  catch (error) {
    if (!/in use|being taken/.test(error.message)) console.log(error.message)
    continue
  }
  had++
  await writeFile(marker, '', { flag: 'wx' }).catch((error) => console.log('not alone: ' + error.code))
  await rm(marker, { force: true })
  await unlock()
}
console.log('had ' + had)`

test('processes that take the folder and release it never have it at the same time, though each is stopped now and then', async () => {
  const data = join(folder, 'turns')
  const children = await Promise.all(
    Array.from({ length: 8 }, async () => {
      const racer = follow(
        spawn(
          process.execPath,
          ['--input-type=module', '-e', TURNS, data, join(folder, 'marker')],
          { stdio: ['ignore', 'pipe', 'inherit'] },
        ),
      )
      expect(await racer.next()).toBe('ready')
      return racer
    }),
  )
  const stopping = setInterval(() => {
    for (const { child } of children) child.kill(Math.random() < 0.5 ? 'SIGSTOP' : 'SIGCONT')
  }, 5)
  const outcomes = await Promise.all(children.map(({ next }) => next()))
  clearInterval(stopping)
  const counts = outcomes.map((outcome) => Number(/^had (\d+)$/.exec(outcome)?.[1]))
  expect(outcomes.filter((_, at) => Number.isNaN(counts[at]))).toEqual([])
  expect(Math.max(...counts)).toBeGreaterThan(0)
  for (const { child } of children) child.kill('SIGCONT')
  await Promise.all(children.map(({ ended }) => ended))
  await (await lockFolder(data))()
  // Only the lock is left, which is marked as free.
  expect((await readdir(data)).filter((name) => !name.startsWith('.'))).toHaveLength(1)
})

test('a folder that its owner releases is free, and was refused before', async () => {
  const data = join(folder, 'leaving')
  const unlock = await lockFolder(data)
  const racers = await Promise.all(Array.from({ length: 10 }, () => start(data, 'leave')))
  for (const { go } of racers.slice(0, 5)) expect(await go()).toContain('in use by process')
  await unlock()
  const late = racers.slice(5)
  const outcomes = await Promise.all(late.map(({ go }) => go()))
  expect(outcomes).toContain('taken')
  // Each reports the folder before it releases it.
  await Promise.all(late.map(({ ended }) => ended))
  await (await lockFolder(data))()
  // Only the lock is left, which is marked as free.
  expect((await readdir(data)).filter((name) => !name.startsWith('.'))).toHaveLength(1)
})

test('a zombie owner does not keep the folder', async () => {
  const data = join(folder, 'unburied')
  // The shell becomes a program that never reaps its children.
  const parent = follow(
    spawn(
      'sh',
      ['-c', 'exec 3<&0; "$@" <&3 & exec sleep 600', 'sh', process.execPath, ...NODE, data, 'stay'],
      {
        stdio: ['pipe', 'pipe', 'inherit'],
      },
    ),
  )
  expect(await parent.next()).toBe('ready')
  expect(await parent.go()).toBe('taken')
  const message = await lockFolder(data).then(
    () => '',
    (error: Error) => error.message,
  )
  const pid = Number(/process (\d+)/.exec(message)?.[1])
  expect(pid).toBeGreaterThan(1)
  process.kill(pid, 'SIGKILL')
  await expect
    .poll(() => spawnSync('ps', ['-o', 'stat=', '-p', `${pid}`], { encoding: 'utf8' }).stdout)
    .toContain('Z')
  // Its other threads, and so its socket, may outlive the first one by a moment.
  await eventually(async () => (await lockFolder(data))())
  parent.child.kill('SIGKILL')
})

const canUnshare = spawnSync('unshare', ['--pid', '--fork', '--mount-proc', 'true']).status === 0

test.skipIf(!canUnshare)(
  'an owner in another container has the folder, as long as it runs',
  async () => {
    const data = join(folder, 'contained')
    const owner = follow(
      spawn(
        'unshare',
        [
          '--pid',
          '--fork',
          '--mount-proc',
          '--kill-child',
          process.execPath,
          ...NODE,
          data,
          'stay',
        ],
        { stdio: ['pipe', 'pipe', 'inherit'] },
      ),
    )
    expect(await owner.next()).toBe('ready')
    expect(await owner.go()).toBe('taken')
    await expect(lockFolder(data)).rejects.toThrow(/in use by process \d+ of another container/)
    await kill(owner.child)
    await expect
      .poll(() => lockFolder(data).catch((error: Error) => error.message))
      .toBeTypeOf('function')
  },
)

test('an owner on another machine has the folder until it has been silent for a minute', async () => {
  const data = join(folder, 'elsewhere')
  await (await lockFolder(data))()
  const owner = { pid: 1, host: 'elsewhere', started: '1', kernel: 'another', pids: 'pid:[1]' }
  await writeFile(join(data, 'lock.2'), JSON.stringify(owner))
  await expect(lockFolder(data)).rejects.toThrow('in use by process 1 on elsewhere')
  const before = new Date(Date.now() - 61_000)
  await utimes(join(data, 'lock.2'), before, before)
  await (await lockFolder(data))()
})

test('a service whose folder another machine took writes nothing more into it, not even at its end', async () => {
  const data = join(folder, 'taken')
  const service = await startService(['--data', data], {
    started: (child) => children.add(child),
  })
  const { api } = new StepwellClient({ apiKey: 'key', apiUrl: service.url })
  await api.sendSteps([{ id: 's', name: 'before' }])
  const owner = { pid: 1, host: 'elsewhere', started: '1', kernel: 'another', pids: 'pid:[1]' }
  await writeFile(join(data, 'lock.2'), JSON.stringify(owner))
  await expect.poll(service.output).toContain('was taken by another process')
  // The request is refused at its key, or its step is where the key was known still.
  const told = await api.sendSteps([{ id: 's', name: 'after' }]).then(JSON.stringify, String)
  expect(told).toContain('unreachable')
  expect(told).not.toContain('"accepted":1')
  service.process.kill('SIGTERM')
  await once(service.process, 'exit')
  // PostgreSQL notes its end here, as the last of what it writes.
  const control = await readFile(join(data, 'database/global/pg_control'))
  expect(control.readInt32LE(STATE_OFFSET)).toBe(IN_PRODUCTION)
  expect(await readFile(join(data, 'lock.2'), 'utf8')).toBe(JSON.stringify(owner))
})

test('the lock of an earlier version is respected while its process runs', async () => {
  const data = join(folder, 'earlier')
  const sleeper = spawn('sleep', ['600'])
  children.add(sleeper)
  await (await lockFolder(data))()
  await writeFile(join(data, 'lock'), JSON.stringify({ pid: sleeper.pid }))
  await expect(lockFolder(data)).rejects.toThrow(`in use by process ${sleeper.pid}`)
  await kill(sleeper)
  await (await lockFolder(data))()
})

test('a folder that others may enter is closed to them, or rejected', async () => {
  const data = await mkdtemp(join(folder, 'open-'))
  await chmod(data, 0o777)
  const unlock = await lockFolder(data)
  expect((await stat(data)).mode & 0o777).toBe(0o700)
  await unlock()
})

test('a path longer than a socket’s address may be is accepted', async () => {
  const data = join(folder, 'x'.repeat(120))
  const owner = await start(data)
  expect(await owner.go()).toBe('taken')
  await expect(lockFolder(data)).rejects.toThrow(`in use by process ${owner.child.pid}`)
  await kill(owner.child)
  await (await lockFolder(data))()
})
