import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { migrations } from '../src/database/database.js'
import { unreachable } from '../src/database/failures.js'
import { compareMigrations, serverProbe } from '../src/database/probe.js'
import type { Opened } from '../src/domain/access/keys.js'
import { Health, type HealthChecks } from '../src/http/watching/health.js'
import { MetricsAccess } from '../src/http/watching/metrics-access.js'
import { createService, type Service } from '../src/index.js'
import { DomainError } from '../src/kernel/errors.js'
import { asker, post } from './support/ask.js'
import { newDatabase } from './support/new-database.js'

let service: Service
let drop: () => Promise<void>
let metricsKey: string
beforeAll(async () => {
  const database = await newDatabase()
  drop = database.drop
  const { location } = database
  service = await createService({
    apiKey: 'k',
    databaseUrl: 'url' in location ? location.url : undefined,
  })
  const { createApiKey } = await asker(
    service,
    'k',
  )('mutation { createApiKey(name: "collector", scopes: [metrics]) { key } }')
  metricsKey = createApiKey.key
})
afterAll(async () => {
  await service?.close()
  await drop?.()
})

const all = Object.keys(migrations)

const healthOf = (checks: Partial<HealthChecks>) =>
  new Health({
    database: async () => ({ migrations: all }),
    files: async () => undefined,
    timeoutMs: 20,
    freshMs: { database: 1000, files: 10_000 },
    ...checks,
  })

test('a service that works is ready, with the state of each part', async () => {
  const answer = await service.fetch('http://x/readyz')
  expect(answer.status).toBe(200)
  expect(await answer.json()).toEqual({
    status: 'ready',
    checks: { database: { state: 'ok' }, migrations: { state: 'ok' }, files: { state: 'ok' } },
  })
})

test('a database that fails or hangs makes the service unready, within the time limit', async () => {
  for (const database of [
    () => Promise.reject(new Error('away')),
    () => new Promise<never>(() => undefined),
  ])
    expect(await healthOf({ database }).check()).toEqual({
      status: 'unready',
      checks: {
        database: { state: 'failing' },
        migrations: { state: 'unknown' },
        files: { state: 'ok' },
      },
    })
})

test.runIf(process.env.STEPWELL_TEST_DATABASE)(
  'a server whose steps are out of reach makes the service unready, though the server answers',
  async () => {
    const { location, drop } = await newDatabase()
    if (!('url' in location)) throw new Error('expected a server')
    const own = await createService({ databaseUrl: location.url })
    const probe = serverProbe(location.url, 3000)
    const client = new pg.Client({ connectionString: location.url })
    await client.connect()
    try {
      expect(await healthOf({ database: probe.look, timeoutMs: 20_000 }).check()).toMatchObject({
        status: 'ready',
      })
      // As a worker of a cluster that is away.
      await client.query('BEGIN; LOCK TABLE steps')
      expect(await healthOf({ database: probe.look, timeoutMs: 20_000 }).check()).toMatchObject({
        status: 'unready',
        checks: { database: { state: 'failing' } },
      })
    } finally {
      await client.end()
      await probe.close()
      await own.close()
      await drop()
    }
  },
)

test('an embedded database that is busy keeps the service ready', async () => {
  expect(await healthOf({ database: async () => 'busy' }).check()).toMatchObject({
    status: 'ready',
    checks: { database: { state: 'busy' }, migrations: { state: 'unknown' } },
  })
})

test('files that fail leave the service usable, and say so', async () => {
  const files = () => Promise.reject(new Error('EROFS'))
  expect(await healthOf({ files }).check()).toMatchObject({
    status: 'degraded',
    checks: { database: { state: 'ok' }, files: { state: 'failing' } },
  })
})

test('missing migrations make the service unready, and newer ones do not', async () => {
  expect(compareMigrations(all)).toBe('current')
  expect(compareMigrations([...all, '9999-later'])).toBe('newer')
  expect(compareMigrations([...all.slice(1), '9999-later'])).toBe('missing')
  const statusWith = async (names: string[]) =>
    (await healthOf({ database: async () => ({ migrations: names }) }).check()).status
  expect(await statusWith([...all, '9999-later'])).toBe('ready')
  expect(await statusWith(all.slice(1))).toBe('unready')
})

test('probes share a look at the database, and reuse it for a second', async () => {
  let looks = 0
  let time = 0
  const health = healthOf({
    database: async () => {
      looks++
      return { migrations: all }
    },
    now: () => time,
  })
  await Promise.all(Array.from({ length: 100 }, () => health.check()))
  expect(looks).toBe(1)
  time = 999
  await health.check()
  expect(looks).toBe(1)
  time = 1000
  await health.check()
  expect(looks).toBe(2)
})

test('the begin and the end of an outage are told once each', async () => {
  let isAway = false
  let time = 0
  const turns: boolean[] = []
  const health = healthOf({
    database: async () => {
      if (isAway) throw new Error('away')
      return { migrations: all }
    },
    now: () => time,
    turned: (isUp) => turns.push(isUp),
  })
  for (const away of [false, true, true, false, false]) {
    isAway = away
    time += 1000
    await health.check()
    expect(health.isDatabaseUp).toBe(!away)
  }
  expect(turns).toEqual([false, true])
})

test('requests after the end are told so, and may come again', async () => {
  const ended = await createService({ apiKey: 'k' })
  await ended.close()
  const answer = await post(ended, '/api/graphql', { query: '{ projectId }' }, { 'x-api-key': 'k' })
  expect(answer).toEqual({
    status: 503,
    body: {
      errors: [{ message: 'the service has been closed', extensions: { code: 'UNAVAILABLE' } }],
    },
  })
})

test.skipIf(process.getuid?.() === 0)(
  'a folder of files that cannot be written is seen',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'stepwell-health-'))
    const own = await createService({ apiKey: 'k', dataFolder: folder })
    try {
      await own.fetch('http://x/readyz')
      await chmod(join(folder, 'files'), 0o500)
      expect(await (await own.fetch('http://x/readyz')).json()).toMatchObject({
        status: 'degraded',
      })
    } finally {
      await chmod(join(folder, 'files'), 0o700)
      await own.close()
      await rm(folder, { recursive: true, force: true })
    }
  },
)

const scrape = (headers: Record<string, string>) => service.fetch('http://x/metrics', { headers })

test('a key of scope metrics reads the metrics, also as a Bearer token', async () => {
  for (const headers of [
    { 'x-api-key': metricsKey },
    { authorization: `Bearer ${metricsKey}` },
    { authorization: `bearer ${metricsKey}` },
    { 'x-api-key': 'k' },
  ])
    expect((await scrape(headers)).status).toBe(200)
  expect((await scrape({})).status).toBe(401)
  expect((await scrape({ authorization: 'Bearer no' })).status).toBe(401)
  expect((await scrape({ authorization: `Basic ${metricsKey}` })).status).toBe(401)
})

test('a key of scope metrics reads nothing else, and keys that read or record do not read metrics', async () => {
  const headers = { 'x-api-key': metricsKey }
  for (const [path, body] of [
    ['/api/graphql', { query: '{ project { id } }' }],
    ['/api/graphql', { query: '{ threads { totalCount } }' }],
    ['/api/graphql', { query: 'mutation { ingestSteps(steps: []) { ok } }' }],
    ['/api/my-project', {}],
    ['/api/upload/file', { fileName: 'a' }],
    ['/v1/traces', {}],
  ] as const)
    expect((await post(service, path, body, headers)).status, path).toBe(403)
  const { createApiKey } = await asker(
    service,
    'k',
  )('mutation { createApiKey(name: "other", scopes: [ingest, read, write]) { key } }')
  expect((await scrape({ 'x-api-key': createApiKey.key })).status).toBe(403)
})

test('metrics have versions, the pool, the queue, the event loop and refusals', async () => {
  await asker(service, 'k')('mutation { ingestSteps(steps: [{ id: "a" }, { id: "b" }]) { ok } }')
  const text = await (await scrape({ 'x-api-key': 'k' })).text()
  expect(text).toMatch(/^stepwell_build_info\{version="[\d.]+",node="v\d+[\d.]+"\} 1$/m)
  expect(text).toMatch(/^stepwell_database_up 1$/m)
  expect(text).toMatch(/^stepwell_database_connections_most \d+$/m)
  expect(text).toMatch(/^stepwell_ingestion_stored_total 2$/m)
  expect(text).toMatch(/^stepwell_ingestion_waiting 0$/m)
  expect(text).toMatch(/^stepwell_ingestion_lag_seconds_total \d+\.\d+$/m)
  expect(text).toMatch(/^stepwell_event_loop_delay_seconds\{quantile="0.99"\} [\d.e-]+$/m)
  expect(text).toMatch(/^stepwell_refusals_total\{part="request",code="FORBIDDEN"\} \d+$/m)
})

test('while the database is away, a key that read metrics before still does, and no other one', async () => {
  let state: 'up' | 'away' | 'revoked' = 'up'
  const access = new MetricsAccess(async (): Promise<Opened> => {
    if (state === 'away') throw unreachable(new Error('gone'))
    if (state === 'revoked') throw new DomainError('UNAUTHENTICATED', 'x-api-key: revoked')
    return { projectId: 'p', keyId: 'k', keyName: 'key', scopes: ['metrics'] }
  })
  await access.admit('one')
  state = 'away'
  await access.admit('one')
  await expect(access.admit('two')).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  state = 'revoked'
  await expect(access.admit('one')).rejects.toMatchObject({ code: 'UNAUTHENTICATED' })
  state = 'away'
  await expect(access.admit('one')).rejects.toMatchObject({ code: 'UNAVAILABLE' })
})
