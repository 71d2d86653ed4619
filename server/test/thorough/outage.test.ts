import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../../../test/support/eventually.js'
import { hasPostgres, OwnPostgres } from '../support/own-postgres.js'
import { type ServiceProcess, startService } from '../support/start-service.js'

// A built service whose database is stopped and started again.
let postgres: OwnPostgres | undefined
let service: ServiceProcess | undefined
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stepwell-outage-'))
})
afterAll(async () => {
  service?.process.kill('SIGKILL')
  postgres?.remove()
  await rm(folder, { recursive: true, force: true })
})

const headers = { 'x-api-key': 'key', 'content-type': 'application/json' }

test.skipIf(!hasPostgres)(
  'readiness, metrics and logs tell of a database that is away, and of its return',
  async () => {
    postgres = await OwnPostgres.create()
    service = await startService(['--database', postgres.url, '--data', folder], {
      environment: { STEPWELL_LOG_FORMAT: 'json' },
    })
    const { url } = service
    const statusOf = async (path: string) => (await fetch(`${url}${path}`, { headers })).status
    const metrics = async () => (await fetch(`${url}/metrics`, { headers })).text()
    const read = () =>
      fetch(`${url}/api/graphql`, {
        method: 'POST',
        headers,
        body: '{"query":"{ threads(first: 1) { edges { node { id } } } }"}',
      })
    expect(await statusOf('/readyz')).toBe(200)
    expect((await read()).status).toBe(200)
    expect(await metrics()).toMatch(/^stepwell_database_up 1$/m)

    postgres.stop()
    await eventually(async () => expect(await statusOf('/readyz')).toBe(503))
    expect(await statusOf('/healthz')).toBe(200)
    expect(await (await fetch(`${url}/readyz`)).json()).toEqual({
      status: 'unready',
      checks: {
        database: { state: 'failing' },
        migrations: { state: 'unknown' },
        files: { state: 'ok' },
      },
    })
    for (let time = 0; time < 20; time++) {
      const answer = await read()
      expect(await answer.json()).toMatchObject({
        errors: [{ extensions: { code: 'UNAVAILABLE' } }],
      })
    }
    const during = await metrics()
    expect(during).toMatch(/^stepwell_database_up 0$/m)
    const refused =
      /^stepwell_refusals_total\{part="(?:request|field)",code="UNAVAILABLE"\} (\d+)$/gm
    const counts = [...during.matchAll(refused)].map(([, count]) => Number(count))
    expect(counts.reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(20)

    postgres.start()
    await eventually(async () => expect(await statusOf('/readyz')).toBe(200))
    expect((await read()).status).toBe(200)
    expect(await metrics()).toMatch(/^stepwell_database_up 1$/m)
    service.process.kill('SIGTERM')
    await once(service.process, 'close')

    const lines = service
      .output()
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as { level: string; message: string; count?: number })
    const ofDatabase = lines.filter(({ message }) => message.includes('database is unreachable'))
    expect(ofDatabase.map(({ level }) => level)).toEqual(['error', 'error'])
    expect(ofDatabase[0]?.count).toBeUndefined()
    expect(ofDatabase[1]?.count).toBeGreaterThanOrEqual(20)
    const back = lines.filter(({ message }) => message === 'the database answers again')
    expect(back).toHaveLength(1)
    expect(lines.filter(({ level }) => level === 'error')).toHaveLength(2)
  },
)
