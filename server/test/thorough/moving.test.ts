import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { StepwellClient } from '../../../src/index.js'
import { withoutSettings } from '../../../test/support/environment.js'
import { eventually } from '../../../test/support/eventually.js'
import { SHORT_LIVED } from '../../../test/support/short-lived.js'
import { startService } from '../support/start-service.js'

// The built commands beside a service that is writing. STEPWELL_BACKUPS sets the number of backups.
const BACKUPS = Number(process.env.STEPWELL_BACKUPS ?? 3)
/** Each backup is two starts of a service and two commands, which wait for a processor on a busy machine. */
const MAX_MS = 1_800_000
const root = join(import.meta.dirname, '../../..')
const command = [...SHORT_LIVED, join(root, 'bin/stepwell.js')]
const kills: (() => void)[] = []
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stepwell-moving-'))
})
afterAll(async () => {
  for (const kill of kills) kill()
  await rm(folder, { recursive: true, force: true })
})

const start = (data: string) =>
  startService(['--data', data], { started: (child) => kills.push(() => child.kill('SIGKILL')) })

/** Runs a command without holding up this process, which keeps writing. */
const stepwell = async (...args: string[]) => {
  const child = spawn(process.execPath, [...command, ...args], { env: withoutSettings })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text) => {
      said += text
    })
  const [status] = (await once(child, 'close')) as [number]
  return { status, said }
}

const hashOf = async (path: string): Promise<string> =>
  createHash('sha256')
    .update(await readFile(path))
    .digest('hex')

const upload = async (api: StepwellClient['api'], id: string): Promise<void> => {
  const { objectKey } = await api.uploadFile({
    content: Buffer.from(`content of ${id}`),
    mime: 'text/plain',
    threadId: 'files',
  })
  await api.sendSteps([
    {
      id,
      threadId: 'files',
      attachments: [{ id, name: id, objectKey: objectKey ?? '', mime: 'text/plain' }],
    },
  ])
}

test(
  `each of ${BACKUPS} backups of a service that is writing has a prefix of what it wrote, with all that was acknowledged before`,
  async () => {
    const data = join(folder, 'data')
    const running = await start(data)
    const { api } = new StepwellClient({ apiKey: 'key', apiUrl: running.url })
    await upload(api, 'file')
    const url = (await api.getStep('file'))?.attachments?.[0]?.url ?? ''
    let acknowledged = 0
    let sent = 0
    let isStopped = false
    const written = (async () => {
      while (!isStopped) {
        const id = `step-${sent++}`
        await api.sendSteps([
          { id, threadId: `t-${sent % 7}`, output: { content: 'x'.repeat(500), id } },
        ])
        acknowledged = sent
      }
    })()
    // Awaited at the end; until then a failure of the test ends the service.
    written.catch(() => undefined)
    for (let backup = 0; backup < BACKUPS; backup++) {
      const goal = acknowledged + 20
      await eventually(() => expect(acknowledged).toBeGreaterThan(goal))
      const before = acknowledged
      const file = join(folder, `${backup}.tar.gz`)
      expect(await stepwell('backup', '--quiet', '--data', data, '--out', file)).toMatchObject({
        status: 0,
      })
      const after = sent
      const restored = join(folder, `restored-${backup}`)
      expect(await stepwell('restore', file, '--data', restored)).toMatchObject({ status: 0 })
      const copy = await start(restored)
      const client = new StepwellClient({ apiKey: 'key', apiUrl: copy.url })
      const ids: string[] = []
      for await (const { id, output } of client.api.getSteps.all()) {
        if (id.startsWith('step-')) expect(output).toMatchObject({ id })
        ids.push(id)
      }
      const numbers = ids.flatMap((id) => (id.startsWith('step-') ? [Number(id.slice(5))] : []))
      numbers.sort((one, other) => one - other)
      expect(numbers).toEqual(Array.from({ length: numbers.length }, (_, index) => index))
      expect(numbers.length).toBeGreaterThanOrEqual(before)
      expect(numbers.length).toBeLessThanOrEqual(after)
      // A URL that the other service signed opens the file here.
      const { pathname, search } = new URL(url)
      expect(await (await fetch(`${copy.url}${pathname}${search}`)).text()).toBe('content of file')
      copy.process.kill('SIGKILL')
      await once(copy.process, 'close')
      await rm(restored, { recursive: true, force: true })
    }
    isStopped = true
    await written
    running.process.kill('SIGTERM')
    await once(running.process, 'close')
  },
  MAX_MS,
)

test(
  'a project moves from a running service to a new folder and to a running service, killed on the way, with the same bytes',
  async () => {
    const data = join(folder, 'from')
    const running = await start(data)
    const { api } = new StepwellClient({ apiKey: 'key', apiUrl: running.url })
    const text = 'a sentence that compresses little: '
    for (let batch = 0; batch < 20; batch++)
      await api.sendSteps(
        Array.from({ length: 100 }, (_, index) => {
          const id = `${batch}-${index}`
          const content = createHash('sha256').update(id).digest('hex').repeat(30)
          return { id, threadId: `t-${batch}`, input: { content: `${text}${content}` } }
        }),
      )
    await upload(api, 'a file')
    const from = join(folder, 'from.tar')
    expect(await stepwell('export', '--data', data, '--out', from)).toMatchObject({ status: 0 })
    // The service goes on, so that an export again may differ by what it computed meanwhile; one of a stopped one may not.
    running.process.kill('SIGTERM')
    await once(running.process, 'close')
    const stopped = join(folder, 'stopped.tar')
    expect(await stepwell('export', '--data', data, '--out', stopped)).toMatchObject({ status: 0 })

    const to = join(folder, 'to')
    for (let kill = 0; kill < 3; kill++) {
      const child = spawn(process.execPath, [...command, 'import', stopped, '--data', to], {
        env: withoutSettings,
        stdio: 'ignore',
      })
      kills.push(() => child.kill('SIGKILL'))
      const ended = once(child, 'close')
      await Promise.race([
        ended,
        new Promise((resolve) => setTimeout(resolve, 300 + Math.random() * 1500)),
      ])
      child.kill('SIGKILL')
      await ended
    }
    expect(await stepwell('import', stopped, '--data', to)).toMatchObject({ status: 0 })
    expect((await stepwell('import', stopped, '--data', to)).said).toContain('nothing was changed')
    const again = join(folder, 'again.tar')
    expect(await stepwell('export', '--data', to, '--out', again)).toMatchObject({ status: 0 })
    expect(await hashOf(again)).toBe(await hashOf(stopped))

    // The service of another folder has a project of this name; it imports the archive itself.
    const other = await start(join(folder, 'other'))
    const args = ['import', stopped, '--data', join(folder, 'other')]
    expect(await stepwell(...args)).toMatchObject({
      status: 2,
      said: expect.stringMatching(/called "default" already.*--project/),
    })
    expect(await stepwell(...args, '--project', 'moved')).toMatchObject({ status: 0 })
    const made = spawnSync(
      process.execPath,
      [...command, 'key', 'create', '--project', 'moved', '--data', join(folder, 'other')],
      { encoding: 'utf8', env: withoutSettings },
    )
    const apiKey = /lsk_[\w-]{32}/.exec(made.stdout)?.[0] ?? ''
    const moved = new StepwellClient({ apiKey, apiUrl: other.url })
    const thread = await moved.api.getThread('t-3')
    expect(thread?.steps).toHaveLength(100)
    const attachment = (await moved.api.getStep('a file'))?.attachments?.[0]
    expect(await (await fetch(attachment?.url ?? '')).text()).toBe('content of a file')
  },
  MAX_MS,
)
