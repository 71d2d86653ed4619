import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { StepwellClient } from '../../src/index.js'
import { eventually } from '../../test/support/eventually.js'
import { createService, type Service } from '../src/index.js'
import { startService } from './support/start-service.js'

// Behaviour of a PostgreSQL server only: several processes on one database, and a server that goes away. Run with
// STEPWELL_TEST_DATABASE=postgres://user:password@host/database, whose user may create databases.
const server = process.env.STEPWELL_TEST_DATABASE
const bin = join(import.meta.dirname, '../../bin/stepwell.js')

describe.skipIf(!server)('on a PostgreSQL server', () => {
  const name = `stepwell_${randomUUID().replaceAll('-', '')}`
  const url = new URL(server ?? 'postgres://nowhere')
  url.pathname = name
  const administer = async (statement: string, database = server) => {
    const client = new pg.Client({ connectionString: database })
    await client.connect()
    try {
      return (await client.query(statement)).rows
    } finally {
      await client.end()
    }
  }
  const services: Service[] = []
  const errors: unknown[] = []
  const start = async (options = {}) => {
    const service = await createService({
      databaseUrl: url.href,
      onError: (error) => errors.push(error),
      ...options,
    })
    services.push(service)
    return service
  }
  beforeAll(() => administer(`CREATE DATABASE ${name}`))
  afterAll(async () => {
    for (const service of services) await service.close()
    await administer(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
  })
  const clientOf = (service: Service, apiKey: string) =>
    new StepwellClient({ apiKey, fetch: service.fetch })

  test('services that start at once on an empty database create one schema and one project', async () => {
    const started = await Promise.all(Array.from({ length: 4 }, () => start()))
    expect(new Set(started.map(({ projectId }) => projectId)).size).toBe(1)
    expect(started.filter(({ isNewKey }) => isNewKey)).toHaveLength(1)
    expect(await administer('SELECT count(*)::int AS count FROM projects', url.href)).toEqual([
      { count: 1 },
    ])
  })

  test('services that make projects of one name at once make one', async () => {
    const outcomes = await Promise.allSettled(
      services.map((service) => service.createProject('one of a kind')),
    )
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const outcome of outcomes)
      if (outcome.status === 'rejected')
        expect(outcome.reason.message).toContain(
          'name: a project is called "one of a kind" already; expected another name',
        )
  })

  test('projects are listed by the command line, which makes no folder', async () => {
    const cwd = await mkdtemp(join(tmpdir(), 'stepwell-list-'))
    const list = (database: string) =>
      spawnSync(process.execPath, [bin, 'project', 'list', '--database', database], {
        encoding: 'utf8',
        cwd,
        env: { ...process.env, STEPWELL_DATA: '', DATABASE_URL: '' },
      })
    try {
      expect(list(url.href)).toMatchObject({ status: 0, stdout: /default/ })
      expect(await readdir(cwd)).toEqual([])
    } finally {
      await rm(cwd, { recursive: true, force: true })
    }
  })

  test('the data folder of a service need not exist yet', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'stepwell-test-'))
    for (const data of ['one', 'two']) {
      const service = await startService(['--data', join(folder, data), '--database', url.href])
      service.process.kill('SIGTERM')
      expect(await once(service.process, 'exit')).toEqual([0, null])
    }
    await rm(folder, { recursive: true })
  })

  test('a command for a database without data creates nothing there', async () => {
    const name = `${url.pathname.slice(1)}_new`
    await administer(`CREATE DATABASE ${name}`)
    const place = Object.assign(new URL(url), { pathname: name }).href
    try {
      for (const args of [
        ['project', 'list'],
        ['project', 'create', 'shop'],
      ]) {
        const { status, stderr } = spawnSync(
          process.execPath,
          [bin, ...args, '--database', place],
          { encoding: 'utf8', cwd: tmpdir() },
        )
        expect(stderr).toMatch(/^stepwell: there is no data of Stepwell in the database[^\n]+\n$/)
        expect(status).toBe(1)
      }
      expect(await administer(`SELECT relname FROM pg_stat_user_tables`, place)).toEqual([])
    } finally {
      await administer(`DROP DATABASE ${name} WITH (FORCE)`)
    }
  })

  test('large values are compressed by lz4 where the server has it', async () => {
    const [has] = await administer(
      `SELECT 'lz4' = ANY(enumvals) AS lz4 FROM pg_settings WHERE name = 'default_toast_compression'`,
      url.href,
    )
    const [column] = await administer(
      `SELECT attcompression = 'l' AS lz4 FROM pg_attribute WHERE attrelid = 'steps'::regclass AND attname = 'input'`,
      url.href,
    )
    expect(column).toEqual(has)
  })

  test('steps that one service acknowledged can be read from the others', async () => {
    const [one, two] = services as [Service, Service]
    const { apiKey } = await one.createProject('shared')
    const [writer, reader] = [clientOf(one, apiKey), clientOf(two, apiKey)]
    for (let index = 0; index < 50; index++) {
      await writer.api.sendSteps([{ id: `step-${index}`, threadId: 'thread' }])
      expect(await reader.api.getStep(`step-${index}`)).not.toBeNull()
    }
    expect((await reader.api.getThread('thread'))?.steps).toHaveLength(50)
  })

  test('the last patch of a step wins, however many transactions run at once', async () => {
    // On a busy machine the last ones wait for longer than requests may by default.
    const service = await start({ limits: { waitMs: 60_000 } })
    const { apiKey } = await service.createProject('order')
    const { api } = clientOf(service, apiKey)
    const names = Array.from({ length: 100 }, (_, index) => `name ${index}`)
    // Others keep several transactions busy during it.
    await Promise.all(
      names.flatMap((name, index) => [
        api.sendSteps([{ id: 'one', name }]),
        api.sendSteps([{ id: `other-${index}`, output: { content: 'x'.repeat(5000) } }]),
      ]),
    )
    expect((await api.getStep('one'))?.name).toBe(names.at(-1))
  })

  test('services that write the same steps at once lose none, and agree on the result', async () => {
    const [first] = services as [Service]
    const { apiKey } = await first.createProject('racing')
    const clients = services.slice(0, 4).map((service) => clientOf(service, apiKey))
    const ids = Array.from({ length: 60 }, (_, index) => `step-${index}`)
    const shuffled = () => ids.toSorted(() => Math.random() - 0.5)
    for (let round = 0; round < 5; round++) {
      const answers = await Promise.all(
        clients.flatMap((client, index) =>
          [0, 1].map(() =>
            client.api.sendSteps(
              shuffled().map((id) => ({
                id,
                threadId: `thread-${id.length}`,
                metadata: { [`from-${index}`]: round },
                scores: [{ id: `${id}-score`, name: 'n', type: 'CODE' as const, value: index }],
                tags: [`${index}`],
              })),
            ),
          ),
        ),
      )
      expect(answers.map(({ data }) => data.ingestSteps.refused)).toEqual(answers.map(() => []))
    }
    const { data } = await (clients[0] as StepwellClient).api.getSteps({ first: 1000 })
    expect(data.map(({ id }) => id).sort()).toEqual(ids.sort())
    expect(data.every(({ scores }) => scores.length === 1)).toBe(true)
  })

  test('broken connections cost at most one call, and no step', async () => {
    const [service] = services as [Service]
    const { apiKey } = await service.createProject('cut')
    const stepwell = new StepwellClient({
      apiKey,
      fetch: service.fetch,
      onReport: () => {},
    })
    for (let round = 0; round < 3; round++) {
      for (let index = 0; index < 100; index++) stepwell.trace(`step ${index}`, () => index)
      const flushed = stepwell.flush()
      await administer(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`,
      )
      await flushed
    }
    expect(stepwell.stats()).toMatchObject({ recorded: 300, delivered: 300, dropped: 0 })
    await eventually(async () => {
      expect((await stepwell.api.getSteps({ first: 1 })).totalCount).toBe(300)
    })
    await stepwell.close()
  })

  test('an unreachable server is UNAVAILABLE, for calls and for steps, and not masked as a fault', async () => {
    const [service] = services as [Service]
    const { apiKey } = await service.createProject('away')
    const { api } = clientOf(service, apiKey)
    await api.sendSteps([{ id: 'before' }])
    await administer(`ALTER DATABASE ${name} WITH ALLOW_CONNECTIONS false`)
    await administer(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`,
    )
    try {
      await expect(api.getStep('before')).rejects.toMatchObject({
        code: 'UNAVAILABLE',
        retryable: true,
      })
      const { data } = await api
        .sendSteps([{ id: 'a' }, { id: 'b' }])
        .catch(() => ({ data: { ingestSteps: { refused: [{ code: 'UNAVAILABLE' }] } } }))
      expect(data.ingestSteps.refused[0]).toMatchObject({ code: 'UNAVAILABLE' })
    } finally {
      await administer(`ALTER DATABASE ${name} WITH ALLOW_CONNECTIONS true`)
    }
    await eventually(async () => expect(await api.getStep('before')).not.toBeNull())
  })

  test('a database of a newer version is rejected, with the reason', async () => {
    await administer(
      `INSERT INTO kysely_migration (name, timestamp) VALUES ('9999-tomorrow', now())`,
      url.href,
    )
    await expect(createService({ databaseUrl: url.href })).rejects.toThrow(
      /newer version of Stepwell \(9999-tomorrow\)/,
    )
    await administer(`DELETE FROM kysely_migration WHERE name = '9999-tomorrow'`, url.href)
  })

  /** Opens a connection that holds a lock until it is released. */
  const hold = async (statement: string) => {
    const client = new pg.Client({ connectionString: url.href })
    await client.connect()
    await client.query('BEGIN')
    await client.query(statement)
    return async () => {
      await client.query('ROLLBACK')
      await client.end()
    }
  }

  test('a statement that takes too long is ended, and the caller gets a remedy', async () => {
    const service = await start({ limits: { statementTimeoutMs: 500 } })
    const { apiKey } = await service.createProject('slow')
    const letGo = await hold('LOCK TABLE steps IN ACCESS EXCLUSIVE MODE')
    await expect(clientOf(service, apiKey).api.getSteps()).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: expect.stringContaining('longer than its limit'),
    })
    await letGo()
  })

  test('a step that another process locks is refused in time, and its neighbours are stored', async () => {
    const service = await start({ limits: { databaseMs: 12_000 } })
    const { apiKey } = await service.createProject('held')
    const { api } = clientOf(service, apiKey)
    const ids = Array.from({ length: 20 }, (_, index) => `step-${index}`)
    await api.sendSteps(ids.map((id) => ({ id })))
    const letGo = await hold(`SELECT 1 FROM steps WHERE id = 'step-7' FOR UPDATE`)
    try {
      const begin = performance.now()
      const { data } = await api.sendSteps(ids.map((id) => ({ id, name: 'again' })))
      expect(performance.now() - begin).toBeLessThan(25_000)
      expect(data.ingestSteps.refused).toMatchObject([{ id: 'step-7', code: 'UNAVAILABLE' }])
    } finally {
      await letGo()
    }
  })

  test('while a thread of one project is locked, the steps of others are stored, and those of its own other threads', async () => {
    const service = await start()
    const [a, b, c] = await Promise.all(
      ['a', 'b', 'c'].map(async (project) =>
        clientOf(service, (await service.createProject(project)).apiKey),
      ),
    )
    if (a === undefined || b === undefined || c === undefined) throw new Error('no projects')
    await a.api.sendSteps([{ id: 'first', threadId: 'held in a' }])
    const letGo = await hold(`SELECT 1 FROM threads WHERE id = 'held in a' FOR UPDATE`)
    const blocked: ReturnType<typeof a.api.sendSteps>[] = []
    let answered = 0
    let lastName = ''
    try {
      for (let round = 0; round < 6; round++) {
        lastName = `of round ${round}`
        blocked.push(
          a.api.sendSteps([
            { id: 'one', threadId: 'held in a', name: lastName },
            { id: `more-${round}`, threadId: 'held in a' },
          ]),
        )
        for (const sent of blocked) void sent.then(() => answered++)
        const answers = await Promise.all([
          b.api.sendSteps([{ id: `b-${round}`, threadId: 't' }]),
          c.api.sendSteps([{ id: `c-${round}` }]),
        ])
        expect(answers.map(({ data }) => data.ingestSteps.refused)).toEqual([[], []])
      }
      await a.api.sendSteps([{ id: 'free', threadId: 'free' }])
      expect((await a.api.getStep('free'))?.threadId).toBe('free')
      expect(answered).toBe(0)
    } finally {
      await letGo()
    }
    for (const { data } of await Promise.all(blocked)) expect(data.ingestSteps.refused).toEqual([])
    expect((await a.api.getStep('one'))?.name).toBe(lastName)
    expect((await a.api.getThread('held in a'))?.steps).toHaveLength(8)
  })

  test('a migration by another process is waited for, however long it takes', async () => {
    const letGo = await hold('LOCK TABLE kysely_migration IN ACCESS EXCLUSIVE MODE')
    const starting = start({ limits: { statementTimeoutMs: 200 } })
    const first = await Promise.race([
      starting.then(() => 'started'),
      new Promise((resolve) => setTimeout(() => resolve('waits'), 1500)),
    ])
    expect(first).toBe('waits')
    await letGo()
    await starting
  })

  test('case is ignored in every script on a database of locale C', async () => {
    const plain = `${name}_c`
    await administer(
      `CREATE DATABASE ${plain} TEMPLATE template0 ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C'`,
    )
    const service = await createService({
      databaseUrl: Object.assign(new URL(url), { pathname: plain }).href,
    })
    const { apiKey } = await service.createProject('scripts')
    const { api } = clientOf(service, apiKey)
    await api.sendSteps([{ id: 's', name: 'ÄRGER с Ёлкой' }])
    for (const value of ['ärger', 'ёЛКОЙ'])
      expect(
        (await api.getSteps({ filters: [{ field: 'name', operator: 'ilike', value }] })).data,
        value,
      ).toHaveLength(1)
    await service.close()
    await administer(`DROP DATABASE ${plain} WITH (FORCE)`)
  })

  test('a database that is not in UTF8 is rejected', async () => {
    const plain = `${name}_ascii`
    await administer(
      `CREATE DATABASE ${plain} TEMPLATE template0 ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C'`,
    )
    const databaseUrl = Object.assign(new URL(url), { pathname: plain }).href
    await expect(createService({ databaseUrl })).rejects.toThrow(/encoding SQL_ASCII/)
    await administer(`DROP DATABASE ${plain} WITH (FORCE)`)
  })

  test('a wrong URL fails the start at once, with the reason and without the password', async () => {
    const wrong = Object.assign(new URL(url), { pathname: '/nowhere', password: 'secret' })
    const begin = performance.now()
    const error = await createService({ databaseUrl: wrong.href }).catch((failure) => failure)
    expect(performance.now() - begin).toBeLessThan(10_000)
    expect(String(error)).toMatch(/nowhere at .* is unreachable: .*does not exist/)
    expect(String(error)).not.toContain('secret')
  })

  test('the error of a missing server does not contain the password', async () => {
    const waits: string[] = []
    const away = createService({
      databaseUrl: 'postgres://me:secret@127.0.0.1:9/nowhere',
      onWait: (text) => waits.push(text),
    })
    const error = await away.catch((failure: Error) => failure)
    expect(waits).toEqual([expect.stringContaining('waits for the database at 127.0.0.1:9')])
    expect(String(error)).toContain('is unreachable')
    expect(String(error)).not.toContain('secret')
  })
})
