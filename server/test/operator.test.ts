import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { StepwellClient } from '../../src/index.js'

// Projects and keys by the command line, as it is built, beside a running service and without one.
const root = join(import.meta.dirname, '../..')
const bin = join(root, 'bin/stepwell.js')
let folder: string
let child: ChildProcess | undefined
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stepwell-operator-'))
})
afterAll(async () => {
  child?.kill('SIGKILL')
  await rm(folder, { recursive: true, force: true })
})

const stepwell = (...args: string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [bin, ...args, '--data', folder], {
    encoding: 'utf8',
    env: { ...process.env, STEPWELL_API_KEY: '', DATABASE_URL: '' },
  })
  return { status, said: stdout + stderr }
}
const keyIn = (said: string): string => /lsk_[\w-]{32}/.exec(said)?.[0] ?? ''

const serve = async (): Promise<string> => {
  const started = spawn(process.execPath, [bin, 'serve', '--port', '0', '--data', folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  child = started
  for await (const text of started.stdout) {
    const [url] = /http:\/\/\S+?(?=,)/.exec(String(text)) ?? []
    if (url !== undefined) return url
  }
  throw new Error('the service did not start')
}

test('projects and keys are made beside a running service, and kept', async () => {
  const url = await serve()
  expect((await stat(join(folder, 'operator'))).mode & 0o077).toBe(0)
  const made = stepwell('project', 'create', 'shop')
  expect(made.status).toBe(0)
  expect(stepwell('project', 'list').said).toMatch(/shop/)
  const admin = new StepwellClient({ apiKey: keyIn(made.said), apiUrl: url })
  await admin.api.sendSteps([{ id: 'a' }])

  const created = stepwell(
    'key',
    'create',
    'reader',
    '--project',
    'shop',
    '--scopes',
    'read',
    '--expires',
    '90d',
  )
  const reader = new StepwellClient({ apiKey: keyIn(created.said), apiUrl: url })
  expect(await reader.api.getStep('a')).not.toBeNull()
  await expect(reader.api.deleteStep('a')).rejects.toMatchObject({ code: 'FORBIDDEN', status: 403 })

  const listed = stepwell('key', 'list', '--project', 'shop').said
  expect(listed).toContain(`${keyIn(created.said).slice(0, 10)}…`)
  expect(listed).not.toContain(keyIn(created.said))
  const id = /^(\S+) +reader/m.exec(listed)?.[1] ?? ''
  expect(stepwell('key', 'revoke', id, '--project', 'shop')).toMatchObject({ status: 0 })
  await expect(reader.api.getStep('a')).rejects.toMatchObject({ code: 'UNAUTHENTICATED' })

  child?.kill('SIGTERM')
  await once(child as ChildProcess, 'exit')
  expect(await readdir(folder)).not.toContain('operator')
  expect(stepwell('key', 'list', '--project', 'shop').said).toMatch(/reader/)
  expect(stepwell('project', 'delete', 'shop')).toMatchObject({ status: 0 })
  expect(stepwell('project', 'list').said).not.toMatch(/shop/)
})

test('what is wrong with a command is said in a line', () => {
  expect(stepwell('key', 'create', '--scopes', 'root')).toMatchObject({
    status: 2,
    said: 'stepwell: scopes: expected some of ingest, read, write, admin, got "root"\n',
  })
  expect(stepwell('key')).toMatchObject({ status: 2, said: expect.stringContaining('Usage') })
  expect(stepwell('project', '--help')).toMatchObject({
    status: 0,
    said: expect.stringContaining('Usage'),
  })
  expect(stepwell('project', 'create', '--colour', 'x')).toMatchObject({ status: 2 })
})
