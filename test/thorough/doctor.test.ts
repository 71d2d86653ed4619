import { type ChildProcess, execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createService, listen, type Service } from '@stepwell/server'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { StepwellClient } from '../../src/index.js'
import { listenWith, type Relay, startRelay } from '../support/relay.js'
import { type Diagnosis, runDoctor } from '../support/run-doctor.js'

// `stepwell doctor` where an application runs: each fault in turn is named, with its remedy.
let service: Service
let url: string
let stop: () => Promise<void>
let apiKey: string
let keys: Record<'reads' | 'records' | 'revoked', string>
let folder: string
const relays: Relay[] = []
const relay = async (start: Promise<Relay>): Promise<string> => {
  const started = await start
  relays.push(started)
  return started.url
}
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stepwell-doctor-'))
  service = await createService()
  const listening = await listen(service, '127.0.0.1', 0)
  url = listening.url
  stop = listening.stop
  apiKey = (await service.createProject('patient')).apiKey
  const { api } = clientOf(apiKey)
  const create = (name: string, ...scopes: ('read' | 'ingest')[]) =>
    api.createApiKey({ name, scopes })
  const revoked = await create('revoked', 'read')
  await api.revokeApiKey(revoked.apiKey.id)
  keys = {
    reads: (await create('reads', 'read')).key,
    records: (await create('records', 'ingest')).key,
    revoked: revoked.key,
  }
})
afterAll(async () => {
  for (const { close } of relays) await close()
  await stop?.()
  await service?.close()
  await rm(folder, { recursive: true, force: true })
})

const clientOf = (key: string) => new StepwellClient({ apiKey: key, apiUrl: url, disabled: true })
const diagnose = (environment: Record<string, string>, ...args: string[]): Promise<Diagnosis> =>
  runDoctor(args, { STEPWELL_API_URL: url, STEPWELL_API_KEY: apiKey, ...environment })

test('all is well with a service that works, and nothing is left in the project', async () => {
  const { code, said, of } = await diagnose({})
  expect(said).toContain('Nothing is broken.')
  expect(said).not.toMatch(/^(broken|warning|skipped)/m)
  expect(said).not.toContain(apiKey)
  expect(code).toBe(0)
  expect(of('deleted')[0]).toContain('the canary was deleted')
  expect((await clientOf(apiKey).api.getThreads({ first: 1 })).data).toEqual([])
  expect((await clientOf(apiKey).api.getSteps({ first: 1 })).data).toEqual([])
})

test('--read-only stores nothing, and says what it left out', async () => {
  const { code, of } = await diagnose({}, '--read-only')
  expect(code).toBe(0)
  expect(of('upload')).toEqual(['skipped skipped, as --read-only stores nothing'])
  expect(of('record')).toEqual(['ok a batch without steps was taken'])
  expect(of('deleted')).toEqual([])
})

test('a key that may only record is enough to see that steps and spans are taken', async () => {
  const { code, of } = await diagnose({ STEPWELL_API_KEY: keys.records })
  expect(code).toBe(0)
  expect(of('record')[0]).toBe('ok a batch without steps was taken')
  expect(of('otlp')[0]).toContain('ok a request without spans was taken')
  expect(of('prompts')[0]).toContain('skipped')
})

test('--json has every finding', async () => {
  const { code, said } = await diagnose({ STEPWELL_API_KEY: 'unknown' }, '--json', '--read-only')
  const { isBroken, findings } = JSON.parse(said)
  expect({ code, isBroken }).toEqual({ code: 1, isBroken: true })
  expect(findings).toContainEqual({
    check: 'key',
    state: 'broken',
    text: expect.stringContaining('no project of this service has this API key'),
    remedy: expect.stringContaining('stepwell key create'),
  })
})

interface Fault {
  environment: () => Promise<Record<string, string>> | Record<string, string>
  args?: string[]
  check: string
  names: RegExp
}
const html = '<html><body>secret-of-the-page</body></html>'
const faults: Record<string, Fault> = {
  'a service that is down': {
    environment: async () => {
      const { url, close } = await listenWith(() => undefined)
      await close()
      return { STEPWELL_API_URL: url }
    },
    check: 'service',
    names:
      /^broken .*nothing listens at 127.*Remedy: start the service there \(npx stepwell serve\)/,
  },
  'a host that nobody knows': {
    environment: () => ({ STEPWELL_API_URL: 'http://stepwell.invalid:3000' }),
    check: 'service',
    names:
      /^broken .*no such host stepwell\.invalid .*Remedy: correct the host in STEPWELL_API_URL/,
  },
  'https where there is no TLS': {
    environment: () => ({ STEPWELL_API_URL: url.replace('http:', 'https:') }),
    check: 'service',
    names: /^broken .*speaks no TLS. Remedy: set STEPWELL_API_URL=http:\/\/127/,
  },
  'an address that is none': {
    environment: () => ({ STEPWELL_API_URL: 'localhost:3000' }),
    check: 'address',
    names:
      /^broken apiUrl: expected an http or https URL.*Remedy: set STEPWELL_API_URL to an address/,
  },
  'the path of the API in the address': {
    environment: () => ({ STEPWELL_API_URL: `${url}/api/graphql` }),
    check: 'service',
    names:
      /^broken .*a Stepwell answers at http.*Remedy: set STEPWELL_API_URL=http:\/\/127[^/]*, without a path/,
  },
  'a proxy that answers with a page': {
    environment: async () => ({
      STEPWELL_API_URL: await relay(
        listenWith((_, response) => {
          response.writeHead(200, { 'content-type': 'text/html' }).end(html)
        }),
      ),
    }),
    check: 'service',
    names:
      /^broken .*status 200, text\/html: this is no answer of a Stepwell.*Remedy: .*have the proxy forward/,
  },
  'a proxy that reaches no service': {
    environment: async () => ({
      STEPWELL_API_URL: await relay(
        startRelay(url, { answers: () => ({ status: 502, body: html }) }),
      ),
    }),
    check: 'service',
    names: /^broken .*status 502.*does not reach the service behind it. Remedy: start the service/,
  },
  'a redirect': {
    environment: async () => ({
      STEPWELL_API_URL: await relay(
        listenWith((request, response) => {
          response.writeHead(301, { location: `${url}${request.url}` }).end()
        }),
      ),
    }),
    check: 'service',
    names: /^broken .*a redirect to http:\/\/127.*Remedy: set STEPWELL_API_URL=http:\/\/127[^/]*$/,
  },
  'no key': {
    environment: () => ({ STEPWELL_API_KEY: '' }),
    check: 'key',
    names: /^broken no key is set.*Remedy: set STEPWELL_API_KEY; .*stepwell key create NAME/,
  },
  'a key with a line break': {
    environment: () => ({ STEPWELL_API_KEY: 'a key\nof lines' }),
    check: 'address',
    names: /^broken apiKey: .*Remedy: set STEPWELL_API_KEY to the key alone/,
  },
  'a revoked key': {
    environment: () => ({ STEPWELL_API_KEY: keys.revoked }),
    check: 'key',
    names: /^broken .*this API key was revoked. Remedy: create another one/,
  },
  'a key of another service': {
    environment: () => ({ STEPWELL_API_KEY: 'lsk_of-another-service' }),
    check: 'key',
    names: /^broken .*no project of this service has this API key. Remedy: see if STEPWELL_API_URL/,
  },
  'a key that may only read': {
    environment: () => ({ STEPWELL_API_KEY: keys.reads }),
    check: 'scopes',
    names:
      /^broken the key may not record: it has the scope read, .*Remedy: .*--scopes ingest,read/,
  },
  'a misspelt variable': {
    environment: () => ({ STEPWELL_API_KYE: 'x', STEPWELL_API_KEY: '' }),
    check: 'variables',
    names:
      /^warning .*STEPWELL_API_KYE is set, and nothing reads it. Remedy: rename it to STEPWELL_API_KEY/,
  },
  'recording that is turned off': {
    environment: () => ({ STEPWELL_DISABLED: 'true' }),
    args: ['--read-only'],
    check: 'variables',
    names: /^warning clients record nothing.*Remedy: unset STEPWELL_DISABLED/,
  },
  'a clock that is wrong by minutes': {
    environment: async () => ({
      STEPWELL_API_URL: await relay(startRelay(url, { laterMs: 300_000 })),
    }),
    args: ['--read-only'],
    check: 'clock',
    names:
      /^broken the clock of this machine is (29|30)\d seconds behind.*Remedy: .*timedatectl set-ntp true/,
  },
  'a proxy that takes no spans': {
    environment: async () => ({
      STEPWELL_API_URL: await relay(
        startRelay(url, {
          answers: (path) => (path === '/v1/traces' ? { status: 403, body: html } : undefined),
        }),
      ),
    }),
    check: 'otlp',
    names:
      /^broken .*\/v1\/traces got status 403, text\/html. Remedy: have the proxy let POST requests to \/v1\/traces through/,
  },
  'a proxy that takes no files': {
    environment: async () => ({
      STEPWELL_API_URL: await relay(
        startRelay(url, {
          answers: (path) =>
            path === '/api/upload/file' ? { status: 413, body: html } : undefined,
        }),
      ),
    }),
    check: 'upload',
    names:
      /^broken an upload was not signed: an answer with status 413 that is not the service's. Remedy: /,
  },
  'a spool that is no folder': {
    environment: () => ({}),
    args: ['--read-only', '--spool', import.meta.filename],
    check: 'spool',
    names:
      /^broken the spool .* cannot be written: it is no folder. Remedy: give it to the user of the application/,
  },
}

test.each(Object.entries(faults))('%s is named, with the remedy', async (_, fault) => {
  const { environment, args = [], check, names } = fault
  const { code, said, of } = await diagnose(await environment(), ...args)
  expect(of(check)[0], said).toMatch(names)
  expect(code).toBe(/^broken/m.test(said) ? 1 : 0)
  expect(said).not.toMatch(/secret-of-the-page|lsk_/)
  // Nothing stays behind, whatever was broken.
  expect((await clientOf(apiKey).api.getThreads({ first: 1 })).data).toEqual([])
})

test('a canary is deleted after a check between that was broken', async () => {
  const broken = await relay(
    startRelay(url, {
      answers: (path) => (path === '/v1/traces' ? { status: 500 } : undefined),
    }),
  )
  const { of } = await diagnose({ STEPWELL_API_URL: broken })
  expect(of('record')[0]).toMatch(/^ok/)
  expect(of('otlp')[0]).toMatch(/^broken/)
  expect(of('deleted')[0]).toMatch(/^ok the canary was deleted/)
})

test('a canary is deleted when the command is interrupted', async () => {
  let child: ChildProcess | undefined
  const held = await relay(
    startRelay(url, {
      holds: (path) => path === '/v1/traces' && child?.kill('SIGINT') !== undefined,
    }),
  )
  const { code, of } = await runDoctor(
    [],
    { STEPWELL_API_URL: held, STEPWELL_API_KEY: apiKey },
    {
      started: (process) => {
        child = process
      },
    },
  )
  expect(of('record')[0]).toMatch(/^ok/)
  expect(of('otlp')).toEqual([])
  expect(code).toBe(130)
  expect((await clientOf(apiKey).api.getThreads({ first: 1 })).data).toEqual([])
})

const hasOpenssl = (() => {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
})()

test.skipIf(!hasOpenssl)('TLS is asked for, and an untrusted certificate is named', async () => {
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  execFileSync(
    'openssl',
    `req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -keyout ${key} -out ${cert}`.split(
      ' ',
    ),
    { stdio: 'ignore' },
  )
  const server = createServer({ key: await readFile(key), cert: await readFile(cert) })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  try {
    const plain = await diagnose({ STEPWELL_API_URL: `http://127.0.0.1:${port}` })
    expect(plain.of('service')[0]).toMatch(
      /^broken .*speaks TLS only. Remedy: set STEPWELL_API_URL=https:\/\/127/,
    )
    const untrusted = await diagnose({ STEPWELL_API_URL: `https://127.0.0.1:${port}` })
    expect(untrusted.of('service')[0]).toMatch(
      /^broken .*does not trust its certificate \(DEPTH_ZERO_SELF_SIGNED_CERT\). Remedy: set NODE_EXTRA_CA_CERTS/,
    )
  } finally {
    server.closeAllConnections()
    server.close()
  }
})

test('steps that a process left in a spool are counted', async () => {
  const spool = join(folder, 'spool')
  const client = new StepwellClient({
    apiKey,
    apiUrl: 'http://127.0.0.1:1',
    spool,
    onReport: () => undefined,
  })
  await client.trace('left', () => 1)
  await client.close({ timeoutMs: 1 })
  const { of } = await diagnose({}, '--read-only', '--spool', spool)
  expect(of('spool')[1]).toBe(
    `warning steps that were not delivered wait in the spool: 1 of 1 ended processes. Remedy: stepwell spool send ${spool}`,
  )
})

test('a folder of a spool that cannot be read is named, and hides no steps of the others', async () => {
  const spool = join(folder, 'spool with a folder that cannot be read')
  const client = new StepwellClient({
    apiKey,
    apiUrl: 'http://127.0.0.1:1',
    spool,
    onReport: () => undefined,
  })
  await client.trace('left', () => 1)
  await client.close({ timeoutMs: 1 })
  const unreadable = join(spool, '00000000-0000-4000-8000-000000000000~nobody')
  await mkdir(join(unreadable, 'nobody.owner'), { recursive: true })
  const { of } = await diagnose({}, '--read-only', '--spool', spool)
  expect(of('spool')).toEqual([
    expect.stringContaining(`broken the spool's folder ${unreadable} cannot be read: EISDIR`),
    expect.stringContaining('can be written'),
    expect.stringContaining('1 of 1 ended processes'),
  ])
})

test('an unknown option is a mistake of usage', async () => {
  const { code, said } = await diagnose({}, '--read-onyl')
  expect({ code, said }).toEqual({
    code: 2,
    said: "stepwell: Unknown option '--read-onyl'. Usage: stepwell doctor --help\n",
  })
})
