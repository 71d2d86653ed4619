import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { StepwellClient } from '../../../src/index.js'
import { withoutSettings } from '../../../test/support/environment.js'
import { eventually } from '../../../test/support/eventually.js'
import { SHORT_LIVED } from '../../../test/support/short-lived.js'

// Projects and keys by the built command line, beside a running service and without one.
const root = join(import.meta.dirname, '../../..')
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
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [...SHORT_LIVED, bin, ...args, '--data', folder],
    {
      encoding: 'utf8',
      env: withoutSettings,
    },
  )
  return { status, said: stdout + stderr }
}
const keyIn = (said: string): string => /lsk_[\w-]{32}/.exec(said)?.[0] ?? ''

/** The service's whole output since its start. */
let printed = ''

const serve = async (...args: string[]): Promise<string> => {
  const started = spawn(
    process.execPath,
    [...SHORT_LIVED, bin, 'serve', '--port', '0', '--data', folder, ...args],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  child = started
  printed = ''
  started.stdout.on('data', (text) => {
    printed += text
  })
  return eventually(() => {
    const [url] = /http:\/\/\S+?(?=,)/.exec(printed) ?? []
    if (url === undefined) throw new Error('the service did not start')
    return url
  })
}

const linksIn = (said: string): string[] => said.match(/http:\S+\/sign-in\?token=[\w.-]+/g) ?? []
/** Sends the request of the page behind a link. */
const open = (link: string | undefined): Promise<Response> => {
  const { origin, searchParams } = new URL(link ?? '')
  return fetch(`${origin}/api/sign-in`, {
    method: 'POST',
    headers: { origin },
    body: JSON.stringify({ token: searchParams.get('token') }),
  })
}

test('projects and keys are created beside a running service, and kept', async () => {
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
  expect(stepwell('project', 'delete', 'shop', '--yes')).toMatchObject({ status: 0 })
  expect(stepwell('project', 'list').said).not.toMatch(/shop/)
})

test('the start prints a link that signs in once, and an operator gets another one', async () => {
  const url = await serve()
  const [link, ...more] = await eventually(() => {
    const found = linksIn(printed)
    if (found.length === 0) throw new Error('no link was printed')
    return found
  })
  expect(more).toEqual([])
  expect(link?.startsWith(`${url}/sign-in?token=`)).toBe(true)
  expect((await open(link)).status).toBe(200)
  expect((await open(link)).status).toBe(401)
  const asked = stepwell('sign-in')
  expect(asked.status).toBe(0)
  const [another] = linksIn(asked.said)
  expect((await open(another)).status).toBe(200)
  expect((await open(another)).status).toBe(401)
  // Neither attempts nor uses leave a trace in the service's output.
  expect(linksIn(printed)).toEqual([link])
  child?.kill('SIGTERM')
  await once(child as ChildProcess, 'exit')
  expect(stepwell('sign-in')).toMatchObject({
    status: 1,
    said: expect.stringContaining('no service runs with the data folder'),
  })
})

test('with sign-in by keys only, no link is printed until an operator asks for one', async () => {
  await serve('--sign-in', 'key')
  const [link] = linksIn(stepwell('sign-in').said)
  expect((await open(link)).status).toBe(200)
  child?.kill('SIGTERM')
  await once(child as ChildProcess, 'exit')
  expect(linksIn(printed)).toEqual([])
})

test('a failed command prints the reason in one line', () => {
  for (const never of ['99999999999d', '2027-02-31', '2001-01-01', 'soon']) {
    const { status, said } = stepwell('key', 'create', '--expires', never)
    expect(said).toContain(
      `--expires: expected a future time, such as 90d or 2027-01-31, got "${never}"`,
    )
    expect(status).toBe(2)
  }
  expect(stepwell('key', 'create', '--scopes', 'root')).toMatchObject({
    status: 2,
    said: 'stepwell: scopes: expected some of ingest, read, write, admin, metrics, got "root"\n',
  })
  expect(stepwell('key')).toMatchObject({ status: 2, said: expect.stringContaining('Usage') })
  expect(stepwell('project', '--help')).toMatchObject({
    status: 0,
    said: expect.stringContaining('Usage'),
  })
  expect(stepwell('project', 'create', '--colour', 'x')).toMatchObject({ status: 2 })
})
