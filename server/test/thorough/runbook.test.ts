import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { StepwellClient } from '../../../src/index.js'
import { withoutSettings } from '../../../test/support/environment.js'
import { SHORT_LIVED } from '../../../test/support/short-lived.js'
import { type ServiceProcess, startService } from '../support/start-service.js'

// The commands of the runbook, as they are there, beside a service that runs.
const root = join(import.meta.dirname, '../../..')
const bin = [process.execPath, ...SHORT_LIVED, join(root, 'bin/stepwell.js')].join(' ')
let folder: string
let service: ServiceProcess

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stepwell-runbook-'))
  service = await startService(['--data', join(folder, 'data')])
})
afterAll(async () => {
  const ended = once(service.process, 'exit')
  service.process.kill('SIGTERM')
  await ended
  await rm(folder, { recursive: true, force: true })
})

const run = (commands: string): string => {
  const text = commands
    .replaceAll('npx stepwell', bin)
    .replaceAll('/srv/stepwell', join(folder, 'data'))
  const { status, stdout, stderr } = spawnSync('sh', ['-ec', text], {
    cwd: folder,
    encoding: 'utf8',
    env: withoutSettings,
  })
  expect({ commands, status, stderr, stdout }).toMatchObject({ status: 0 })
  return stdout
}

/** Returns the commands of a section, or of the page's beginning. */
const commandsOf = async (section: string): Promise<string> => {
  const page = await readFile(join(root, 'docs/operate/runbook.md'), 'utf8')
  const [, text = ''] = page.split(new RegExp(`^#+ ${section}$`, 'm'))
  const own = text.split(/^## /m)[0] ?? ''
  const commands = [...own.matchAll(/^```sh\n(.*?)^```/gms)].map(([, block]) => block)
  expect(commands.length, section).toBeGreaterThan(0)
  return commands.join('')
}

const keyIn = (printed: string): string => /lsk_[\w-]{32}/.exec(printed)?.[0] ?? ''
const clientOf = (apiKey: string) => new StepwellClient({ apiKey, apiUrl: service.url })
let shop: string

test('the doctor finds nothing broken, and says so', async () => {
  shop = keyIn(run('npx stepwell project create shop --data /srv/stepwell'))
  expect(run(await commandsOf('Runbook'))).toMatch(/^ok {7}service .*\nNothing is broken\.\n$/m)
})

test('what takes the disk is shown', async () => {
  expect(run(await commandsOf('The disk is full'))).toMatch(/\d\S*\s+\S+\/data\/database\n/)
})

test('a leaked key is replaced and rejected, and what was done with it is known', async () => {
  const make = 'npx stepwell key create leaked --project shop --data /srv/stepwell'
  const leaked = keyIn(run(make))
  await clientOf(leaked).api.createApiKey({ name: 'of a thief', scopes: ['read'] })
  const listed = run('npx stepwell key list --project shop --data /srv/stepwell')
  const [id = ''] =
    listed
      .split('\n')
      .find((line) => line.includes('leaked'))
      ?.split(/\s+/) ?? []
  const commands = (await commandsOf('A key leaked')).replaceAll('3f2a9c1e-77b0', id)
  const [making = '', ...others] = commands.split('\n')
  const other = keyIn(run(making))
  const before = clientOf(leaked)
  await before.api.getSteps({ first: 1 })
  const printed = run(others.join('\n'))
  expect(printed).toMatch(/create_key\b.*of a thief/i)
  await expect
    .poll(() =>
      before.api.getSteps({ first: 1 }).then(
        () => 'read',
        ({ code }) => code,
      ),
    )
    .toBe('UNAUTHENTICATED')
  expect((await clientOf(other).api.sendSteps([{ id: 'recorded' }])).data).toMatchObject({
    ingestSteps: { accepted: 1 },
  })
})

test('what was deleted is there again, beside the project as it is now', async () => {
  const client = clientOf(shop)
  await client.api.sendSteps([{ id: 'lost', name: 'lost' }])
  const [backup = '', ...others] = (await commandsOf('Something was deleted by mistake')).split(
    '\n',
  )
  run(backup)
  await client.api.deleteStep('lost')
  run(others.join('\n'))
  const copy = keyIn(
    run('npx stepwell key create reader --project shop-as-it-was --data /srv/stepwell'),
  )
  const { data } = await clientOf(copy).api.getSteps({ first: 10 })
  expect(data.map(({ name }) => name)).toContain('lost')
  expect((await client.api.getSteps({ first: 10 })).data.map(({ name }) => name)).not.toContain(
    'lost',
  )
})
