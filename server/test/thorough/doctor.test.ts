import { spawnSync } from 'node:child_process'
import { chmod, chown, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Diagnosis, runDoctor } from '../../../test/support/run-doctor.js'
import { createService, listen } from '../../src/index.js'
import { openAdminEndpoint } from '../../src/operator/admin-endpoint.js'
import { memory } from '../../src/operator/doctor/memory.js'
import { readSettings } from '../../src/settings.js'
import { startStandIn } from '../support/s3-stand-in.js'

// `stepwell doctor --service`: each fault of a machine in turn is named, with its remedy.
let folder: string
let data: string
let taken: Server
let bucket: Awaited<ReturnType<typeof startStandIn>>
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stepwell-doctor-'))
  data = join(folder, 'data')
  await (await createService({ dataFolder: data, apiKey: 'key' })).close()
  taken = createServer((socket) => socket.on('error', () => undefined).end('hello'))
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
  bucket = await startStandIn()
})
afterAll(async () => {
  taken?.close()
  await bucket?.stop()
  await rm(folder, { recursive: true, force: true })
})

const diagnose = (
  args: readonly string[],
  environment: Record<string, string> = {},
  under: readonly string[] = [],
): Promise<Diagnosis> =>
  runDoctor(['--service', '--port', '0', '--data', data, ...args], environment, { under })

test('a service that does not run is checked by its data alone', async () => {
  const { code, of } = await diagnose([])
  expect(code).toBe(0)
  expect(of('database')[0]).toMatch(/^ok the embedded database opens, up to date with version /)
  expect(of('service')[0]).toMatch(/^warning no service runs .*Remedy: start it: stepwell serve/)
})

test('--read-only leaves the embedded database closed', async () => {
  const { code, of } = await diagnose(['--read-only'])
  expect(code).toBe(0)
  expect(of('database')).toEqual([
    'skipped skipped, as --read-only does not open the embedded database',
  ])
})

test('a folder that is not there yet is no fault, and is not made', async () => {
  const missing = join(folder, 'not', 'yet')
  const { code, of } = await runDoctor(['--service', '--port', '0', '--data', missing])
  expect(code).toBe(0)
  expect(of('data folder')[0]).toBe(
    `ok there is no folder ${missing} yet; the first start makes it`,
  )
  expect(await readdir(folder)).not.toContain('not')
})

test('all invalid settings are named at once, and nothing else is looked at', async () => {
  const { code, of } = await diagnose(['--log-level', 'loud', '--sign-in', 'never'])
  expect(code).toBe(1)
  const lines = of('configuration')
  expect(lines[0]).toMatch(
    /^broken --sign-in: expected link or key, got "never". Remedy: correct it/,
  )
  expect(lines[1]).toMatch(
    /^broken --log-level: expected debug, info, warn or error.*Remedy: correct/,
  )
  expect(of('database')).toEqual(['skipped skipped, as configuration is broken'])
})

test('a misspelt variable is named, with the right one', async () => {
  const { of } = await diagnose([], { STEPWELL_WEBHOK_HOSTS: 'x' })
  expect(of('configuration')[0]).toMatch(
    /^warning STEPWELL_WEBHOK_HOSTS: nothing reads .*Remedy: rename it to STEPWELL_WEBHOOK_HOSTS/,
  )
})

test('a database that is away is named, without the password of its URL', async () => {
  const { port } = taken.address() as AddressInfo
  const url = 'postgres://stepwell:a-password-of-tests@127.0.0.1:1/stepwell'
  for (const [args, environment] of [
    [['--database', url], {}],
    [[], { DATABASE_URL: url }],
    [[], { DATABASE_URL: url.replace(':1/', `:${port}/`) }],
  ] as const) {
    const { code, said, of } = await diagnose(args, environment)
    expect(code).toBe(1)
    expect(of('database')[0]).toMatch(
      /^broken the database stepwell at 127\.0\.0\.1:\d+ is unreachable: .*Remedy: check that the server runs, and host and port/,
    )
    expect(said).not.toContain('a-password-of-tests')
  }
})

const root = process.getuid?.() === 0
// Root may write anywhere, unless the process that it starts gives that up.
const WITHOUT_RIGHTS = ['dac_override', 'dac_read_search', 'fowner']
  .map((name) => `-${name}`)
  .join(',')
const UNPRIVILEGED = root
  ? ['setpriv', `--bounding-set=${WITHOUT_RIGHTS}`, `--inh-caps=${WITHOUT_RIGHTS}`]
  : []
const canDrop = !root || spawnSync('setpriv', [...UNPRIVILEGED.slice(1), 'true']).status === 0

test.skipIf(!canDrop)('a data folder that cannot be written is named', async () => {
  const closed = join(folder, 'closed')
  await mkdir(closed)
  await chmod(closed, 0o500)
  const { code, of } = await diagnose(['--data', closed], {}, UNPRIVILEGED)
  expect(code).toBe(1)
  expect(of('data folder')[0]).toMatch(
    /^broken .*cannot be written \(EACCES\). Remedy: .*chmod -R u\+rwX/,
  )
  expect(of('database')).toEqual(['skipped skipped, as data folder is broken'])
})

test.skipIf(!root)('a data folder of another user is named', async () => {
  const foreign = join(folder, 'foreign')
  await mkdir(foreign)
  await chown(foreign, 65534, 65534)
  const { code, of } = await diagnose(['--data', foreign])
  expect(code).toBe(1)
  expect(of('data folder')[0]).toMatch(
    /^broken .*belongs to the user 65534, and this is the user 0. Remedy: run the command as its owner: sudo -u '#65534' stepwell/,
  )
})

test.skipIf(!root || process.platform !== 'linux')('a full disk is named', async (context) => {
  const disk = join(folder, 'disk')
  await mkdir(disk)
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=8m,mode=700', 'tmpfs', disk])
  if (mounted.status !== 0) return context.skip()
  try {
    spawnSync('dd', ['if=/dev/zero', `of=${join(disk, 'filler')}`, 'bs=4k'])
    const { code, of } = await diagnose(['--data', disk])
    expect(code).toBe(1)
    expect(of('data folder')[0]).toMatch(
      /^broken .*cannot be written \(ENOSPC\). Remedy: make room on its disk/,
    )
    await rm(join(disk, 'filler'))
    const roomy = await diagnose(['--data', disk])
    expect(roomy.of('data folder')[1]).toMatch(
      /^broken its disk has [78] MB left. Remedy: make room/,
    )
  } finally {
    spawnSync('umount', ['-l', disk])
  }
})

test('a folder that another process has is named', async () => {
  const own = join(folder, 'in-use')
  const service = await createService({ dataFolder: own })
  try {
    const { of } = await diagnose(['--data', own])
    expect(of('database')[0]).toMatch(
      /^broken .*is in use by process \d+. Remedy: stop it, or choose/,
    )
  } finally {
    await service.close()
  }
})

test('a bucket that works is written, read by presigned URLs, and emptied', async () => {
  const { code, of } = await diagnose(['--files', bucket.location], bucket.environment)
  expect(code).toBe(0)
  expect(of('bucket')).toEqual([
    expect.stringMatching(/^ok an object was stored in the bucket stand-in at 127/),
    expect.stringMatching(/^ok a client can upload by a presigned URL/),
    expect.stringMatching(/^ok a client can read by a presigned URL/),
    expect.stringMatching(
      /^warning pages .* may not read the bucket.*Remedy: give the bucket a CORS rule/,
    ),
  ])
  expect(of('deletion')[0]).toMatch(/^ok an object can be deleted/)
  expect(bucket.count()).toBe(0)
})

test('wrong credentials of a bucket are named, and not shown', async () => {
  const environment = { ...bucket.environment, AWS_SECRET_ACCESS_KEY: 'a-wrong-secret' }
  const { code, said, of } = await diagnose(['--files', bucket.location], environment)
  expect(code).toBe(1)
  expect(of('bucket')[0]).toMatch(/^broken .*answered 403 .*Remedy: set AWS_ACCESS_KEY_ID and/)
  expect(of('deletion')).toEqual(['skipped skipped, as bucket is broken'])
  expect(said).not.toContain('a-wrong-secret')
})

test('a bucket that is away is named', async () => {
  const { of } = await diagnose(
    ['--files', 's3://nowhere/?endpoint=http://127.0.0.1:1'],
    bucket.environment,
  )
  expect(of('bucket')[0]).toMatch(
    /^broken .*ECONNREFUSED.* Remedy: correct the endpoint in --files/,
  )
})

test('a port that another program has is named', async () => {
  const { port } = taken.address() as AddressInfo
  const { code, of } = await diagnose(['--port', String(port)])
  expect(code).toBe(1)
  expect(of('service')[0]).toMatch(
    new RegExp(`^broken port ${port} of 127.0.0.1 is in use, .*Remedy: stop that process, or`),
  )
})

test('hosts of webhooks and models that nothing listens at are named', async () => {
  const { port } = taken.address() as AddressInfo
  const { of } = await diagnose([
    '--webhook-hosts',
    `127.0.0.1:1,127.0.0.1:${port}`,
    '--model-hosts',
    '127.0.0.1:1',
  ])
  expect(of('webhook hosts')).toEqual([
    expect.stringMatching(/^warning nothing listens at 127\.0\.0\.1:1, .*Remedy: start it, let/),
    `ok something listens at 127.0.0.1:${port}`,
  ])
  expect(of('model hosts')[0]).toMatch(/^warning nothing listens/)
})

test('a public URL that leads elsewhere is named', async () => {
  const own = join(folder, 'public')
  const service = await createService({ dataFolder: own })
  const { url, stop } = await listen(service, '127.0.0.1', 0)
  const closeEndpoint = await openAdminEndpoint(own, { url, token: service.operatorToken })
  try {
    const { code, of } = await diagnose(['--data', own, '--public-url', 'http://127.0.0.1:1'])
    expect(code).toBe(1)
    expect(of('public URL')[0]).toMatch(
      /^broken http:\/\/127\.0\.0\.1:1 does not lead to a Stepwell: no answer. Remedy: have the proxy forward/,
    )
    expect(of('service')[0]).toMatch(/^ok the service at http.* is ready/)
  } finally {
    await closeEndpoint()
    await stop()
    await service.close()
  }
})

test('limits that the heap does not hold, and a heap that the machine does not, are named', () => {
  const settings = (environment: NodeJS.ProcessEnv) => {
    const read = readSettings([], environment)
    if (read === null) throw new Error('help was not asked for')
    return read
  }
  const large = settings({ STEPWELL_LIMIT_BYTES_IN_FLIGHT: '1000000000' })
  expect(memory(large, 512 * 2 ** 20, 0)).toMatchObject({
    state: 'warning',
    text: 'a heap of 512 MB at most, which is small for the limit bytesInFlight of 1000000000 bytes',
    remedy: expect.stringContaining('NODE_OPTIONS=--max-old-space-size='),
  })
  expect(memory(settings({}), 4 * 2 ** 30, 2 ** 30)).toMatchObject({
    state: 'warning',
    remedy: expect.stringContaining('--max-old-space-size=768'),
  })
  expect(memory(settings({}), 512 * 2 ** 20, 0).state).toBe('ok')
})

test('an unknown option is a mistake of usage', async () => {
  const { code, said } = await diagnose(['--colour'])
  expect({ code, said }).toEqual({
    code: 2,
    said: "stepwell: Unknown option '--colour'. Usage: stepwell doctor --help\n",
  })
})
