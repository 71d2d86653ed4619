import { type ChildProcess, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmod,
  chown,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { StepwellClient } from '../../../src/index.js'
import { eventually } from '../../../test/support/eventually.js'
import { lockFolder } from '../../src/data-folder.js'
import { startService } from '../support/start-service.js'

// The service as a separate process, ended in every way that processes end. STEPWELL_KILLS sets the number of kills.
const KILLS = Number(process.env.STEPWELL_KILLS ?? 3)
let folder: string
let child: ChildProcess | undefined
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stepwell-test-'))
})
afterAll(async () => {
  child?.kill('SIGKILL')
  await rm(folder, { recursive: true, force: true })
})

const start = (data = join(folder, 'killed'), options: readonly string[] = []) =>
  startService(['--data', data, ...options], {
    started: (started) => {
      child = started
    },
  })

test(`every acknowledged step is stored after each of ${KILLS} kills in the middle of ingestion`, async () => {
  const acknowledged = new Set<string>()
  for (let kill = 0; kill < KILLS; kill++) {
    const running = await start()
    const { api } = new StepwellClient({ apiKey: 'key', apiUrl: running.url })
    let stopped = false
    const sender = async (lane: number) => {
      for (let batch = 0; !stopped; batch++) {
        const ids = Array.from({ length: 50 }, (_, index) => `${kill}-${lane}-${batch}-${index}`)
        try {
          const { data } = await api.sendSteps(
            ids.map((id) => ({ id, threadId: `t-${lane}`, output: { content: 'x'.repeat(500) } })),
          )
          if (data.ingestSteps.ok) for (const id of ids) acknowledged.add(id)
        } catch {
          return
        }
      }
    }
    const before = acknowledged.size
    const lanes = [0, 1, 2].map(sender)
    await eventually(() => expect(acknowledged.size).toBeGreaterThan(before))
    await wait(Math.random() * 600)
    running.process.kill('SIGKILL')
    await once(running.process, 'exit')
    stopped = true
    await Promise.all(lanes)
  }
  const { api } = new StepwellClient({ apiKey: 'key', apiUrl: (await start()).url })
  const stored = new Set<string>()
  for await (const { id } of api.getSteps.all({ first: 1000 })) stored.add(id)
  expect(acknowledged.size).toBeGreaterThan(0)
  expect([...acknowledged].filter((id) => !stored.has(id))).toEqual([])
  child?.kill('SIGKILL')
})

test('SIGTERM ends it with 0, and the steps of a request under way are kept', async () => {
  const data = join(folder, 'term')
  const first = await start(data)
  const { api } = new StepwellClient({ apiKey: 'key', apiUrl: first.url })
  const sending = api.sendSteps(Array.from({ length: 500 }, (_, index) => ({ id: `s-${index}` })))
  await wait(1)
  first.process.kill('SIGTERM')
  const [code] = await once(first.process, 'exit')
  expect(code).toBe(0)
  const sent = await sending.then(
    ({ data }) => data.ingestSteps.accepted,
    () => 0,
  )
  const second = await start(data)
  const after = new StepwellClient({ apiKey: 'key', apiUrl: second.url })
  expect((await after.api.getSteps({ first: 1 })).totalCount).toBeGreaterThanOrEqual(sent)
  second.process.kill('SIGTERM')
  expect((await once(second.process, 'exit'))[0]).toBe(0)
})

test('a folder in use is rejected, and the message names its owner', async () => {
  const data = join(folder, 'busy')
  const first = await start(data)
  await expect(start(data)).rejects.toThrow(`in use by process ${first.process.pid}`)
  first.process.kill('SIGTERM')
  await once(first.process, 'exit')
})

test('a start that fails ends with the reason', async () => {
  const taken = createServer()
  await once(taken.listen(0, '127.0.0.1'), 'listening')
  const { port } = taken.address() as AddressInfo
  const data = join(folder, 'refused')
  await expect(start(data, ['--port', String(port)])).rejects.toThrow(/ended with 1: .*EADDRINUSE/)
  taken.close()
  // It left no lock behind.
  const next = await start(data)
  next.process.kill('SIGTERM')
  await once(next.process, 'exit')
})

test('a database with a damaged file is rejected with the name of the file', async () => {
  const data = join(folder, 'damaged')
  const first = await start(data)
  first.process.kill('SIGTERM')
  await once(first.process, 'exit')
  await writeFile(join(data, 'database/global/pg_control'), 'no more')
  await expect(start(data)).rejects.toThrow(
    /ended with 1: .*database can.t be opened: .*damaged.*pg_control/,
  )
})

test('SIGTERM ends a start that is under way, and the next one succeeds', async () => {
  const data = join(folder, 'unstarted')
  const starting = start(data).then(
    () => 'started',
    (error: Error) => error.message,
  )
  // It takes the folder in its first moment, and then needs a while to open a database.
  await eventually(async () => expect(await readdir(data)).toContain('lock.1'))
  child?.kill('SIGTERM')
  expect(await starting).toContain('ended with 0')
  const next = await start(data)
  next.process.kill('SIGTERM')
  await once(next.process, 'exit')
})

const canMount = process.getuid?.() === 0 && process.platform === 'linux'

test.skipIf(!canMount)(
  'a full disk is UNAVAILABLE, fails no health check, and recovers when there is room',
  async (context) => {
    const disk = join(folder, 'disk')
    await mkdir(disk)
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=80m', 'tmpfs', disk])
    if (mounted.status !== 0) return context.skip()
    try {
      const running = await start(join(disk, 'data'))
      const { api } = new StepwellClient({ apiKey: 'key', apiUrl: running.url })
      const send = async (id: string) => {
        const text = Array.from({ length: 20_000 }, () => Math.random().toString(36)).join('')
        const answer = await api
          .sendSteps([{ id, output: { content: text } }])
          .catch((error) => ({ data: { ingestSteps: { ok: false, refused: [error] } } }))
        return answer.data.ingestSteps
      }
      const stored: string[] = []
      let refused = 0
      const said = new Set<string>()
      for (let index = 0; refused < 5; index++) {
        const { ok, refused: reasons } = await send(`step-${index}`)
        if (ok) stored.push(`step-${index}`)
        else {
          refused++
          expect(reasons[0]).toMatchObject({ code: 'UNAVAILABLE' })
          said.add(reasons[0].message)
          expect((await fetch(`${running.url}/healthz`)).status).toBe(200)
        }
      }
      expect([...said].join('\n')).toContain('the disk of the database is full; make room on it')
      expect(spawnSync('mount', ['-o', 'remount,size=400m', disk]).status).toBe(0)
      await eventually(async () => expect(await send('later')).toMatchObject({ ok: true }))
      const found = new Set<string>()
      for await (const { id } of api.getSteps.all({ first: 50 })) found.add(id)
      expect(stored.filter((id) => !found.has(id))).toEqual([])
      running.process.kill('SIGTERM')
      expect(await once(running.process, 'exit'), running.output()).toEqual([0, null])
    } finally {
      child?.kill('SIGKILL')
      spawnSync('umount', ['-l', disk])
    }
  },
)

test.skipIf(!canMount)('a data folder on a disk without room is released', async (context) => {
  const disk = join(folder, 'no room')
  await mkdir(disk)
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', disk])
  if (mounted.status !== 0) return context.skip()
  try {
    const release = await lockFolder(disk)
    spawnSync('dd', ['if=/dev/zero', `of=${join(disk, 'filler')}`, 'bs=4k'])
    await release()
    const [lock = '', ...others] = (await readdir(disk)).filter((name) => name.includes('lock'))
    expect(others).toEqual([])
    expect(JSON.parse(await readFile(join(disk, lock), 'utf8'))).toEqual({})
    await rm(join(disk, 'filler'))
    await (await lockFolder(disk))()
  } finally {
    spawnSync('umount', ['-l', disk])
  }
})

test.skipIf(!canMount)(
  'on a disk without room it ends on SIGTERM, and does not start, and says why',
  async (context) => {
    const disk = join(folder, 'filled')
    await mkdir(disk)
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=120m', 'tmpfs', disk])
    if (mounted.status !== 0) return context.skip()
    const filler = join(disk, 'filler')
    /** Takes what is left, to the last block. */
    const fill = () =>
      spawnSync('dd', ['if=/dev/zero', `of=${filler}`, 'bs=4k', 'oflag=append', 'conv=notrunc'])
    try {
      const data = join(disk, 'data')
      const running = await start(data)
      const { api } = new StepwellClient({ apiKey: 'key', apiUrl: running.url })
      expect((await api.sendSteps([{ id: 'kept' }])).data.ingestSteps.ok).toBe(true)
      fill()
      // The engine compresses what repeats.
      const text = Array.from({ length: 50_000 }, () => Math.random().toString(36))
      const output = { content: text.join('') }
      const send = (id: string) =>
        api.sendSteps([{ id, output }]).then(
          ({ data: answer }) => answer.ingestSteps.refused[0]?.code,
          (error) => error.code,
        )
      // The engine may have room of its own for the first.
      let code: string | undefined
      for (let index = 0; code === undefined; index++) code = await send(`refused-${index}`)
      expect(code).toBe('UNAVAILABLE')
      running.process.kill('SIGTERM')
      expect(await once(running.process, 'exit'), running.output()).toEqual([0, null])
      fill()
      await expect(start(data)).rejects.toThrow(/ended with 1: .*its disk is full/s)
      await expect(start(join(disk, 'another'))).rejects.toThrow(
        /ended with 1: .*its disk is full/s,
      )
      await rm(filler)
      const next = new StepwellClient({ apiKey: 'key', apiUrl: (await start(data)).url })
      expect(await next.api.getStep('kept')).not.toBeNull()
    } finally {
      child?.kill('SIGKILL')
      spawnSync('umount', ['-l', disk])
    }
  },
)

/** Runs a program as a root who may not pass over the owners of files, as other users may not. */
const UNPRIVILEGED = (() => {
  const capabilities = ['dac_override', 'dac_read_search', 'fowner']
  const without = capabilities.map((name) => `-${name}`).join(',')
  return ['setpriv', `--bounding-set=${without}`, `--inh-caps=${without}`]
})()
const canDrop =
  process.getuid?.() === 0 && spawnSync('setpriv', [...UNPRIVILEGED.slice(1), 'true']).status === 0

test.skipIf(!canDrop)('a file of another owner is named, with the remedy', async () => {
  const data = join(folder, 'owned')
  const first = await start(data)
  first.process.kill('SIGTERM')
  await once(first.process, 'exit')
  const file = join(data, 'database/global/pg_control')
  await chown(file, 65534, 65534)
  await expect(startService(['--data', data], { under: UNPRIVILEGED })).rejects.toThrow(
    new RegExp(`ended with 1: .*${file}.*chown -R 0 `, 's'),
  )
})

test.skipIf(!canDrop)('a folder that is open to others and not its own is refused', async () => {
  const data = join(folder, 'open')
  await mkdir(data)
  await chmod(data, 0o777)
  await chown(data, 65534, 65534)
  await expect(startService(['--data', data], { under: UNPRIVILEGED })).rejects.toThrow(
    /ended with 1: .*open to other users and belongs to another one/s,
  )
})

test('a first start without a key creates one, prints it once, and stores it readable by its owner only', async () => {
  const { createService } = await import('../../src/index.js')
  const data = join(folder, 'keyless')
  const first = await createService({ dataFolder: data })
  expect(first).toMatchObject({ isNewKey: true, apiKey: expect.stringMatching(/^lsk_/) })
  await first.close()
  const second = await createService({ dataFolder: data })
  expect(second).toMatchObject({
    isNewKey: false,
    apiKey: first.apiKey,
    projectId: first.projectId,
  })
  expect((await stat(join(data, 'api-key'))).mode & 0o777).toBe(0o600)
  await second.close()
  const third = await createService({ dataFolder: data, apiKey: 'chosen' })
  const { api } = new StepwellClient({ apiKey: 'chosen', fetch: third.fetch })
  expect(await api.getProjectId()).toBe(first.projectId)
  await third.close()
  const fourth = await createService({ dataFolder: data, apiKey: 'another' })
  const old = new StepwellClient({ apiKey: 'chosen', fetch: fourth.fetch })
  await expect(old.api.getProjectId()).rejects.toMatchObject({ code: 'UNAUTHENTICATED' })
  await fourth.close()
})
