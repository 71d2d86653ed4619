import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runDoctor } from '../../../test/support/run-doctor.js'
import { type DatabaseLocation, openDatabase, openEngine } from '../../src/database/database.js'
import { createService, listen } from '../../src/index.js'
import { openAdminEndpoint } from '../../src/operator/admin-endpoint.js'
import { newDatabase } from '../support/new-database.js'

// `stepwell doctor` and what it finds, and leaves, in a database: on each engine.
const server = process.env.STEPWELL_TEST_DATABASE
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stepwell-doctor-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const diagnose = (args: readonly string[], environment: Record<string, string> = {}) =>
  runDoctor(['--service', '--port', '0', ...args], environment)

/** Counts the rows of each table, without measurements and the index of contents, which follow the rows in the background. */
const countRows = async (location: DatabaseLocation): Promise<Record<string, number>> => {
  const engine = await openEngine(location)
  const db = engine.connect(0)
  try {
    const { rows } = await sql<{ name: string }>`
      SELECT relname::text AS name FROM pg_class
      WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace
        AND relname !~ '^(rollup|content_)' ORDER BY relname`.execute(db)
    const counts: Record<string, number> = {}
    for (const { name } of rows) {
      const counted = await sql<{ n: number }>`
        SELECT count(*)::integer AS n FROM ${sql.table(name)}`.execute(db)
      counts[name] = counted.rows[0]?.n ?? -1
    }
    return counts
  } finally {
    await db.destroy()
    await engine.close()
  }
}

test('both sides are well with a service that works, and leave no row and no file behind', async () => {
  const own = join(folder, 'well')
  const { location, drop } = server ? await newDatabase() : { location: undefined, drop: undefined }
  const databaseUrl = location !== undefined && 'url' in location ? location.url : undefined
  const place: DatabaseLocation =
    databaseUrl === undefined ? { folder: join(own, 'database') } : { url: databaseUrl }
  const options = { dataFolder: own, databaseUrl, apiKey: 'a-key-of-tests' }
  try {
    await (await createService(options)).close()
    const before = await countRows(place)
    const service = await createService(options)
    const { url, stop } = await listen(service, '127.0.0.1', 0)
    const closeEndpoint = await openAdminEndpoint(own, { url, token: service.operatorToken })
    try {
      const environment = {
        STEPWELL_API_URL: url,
        STEPWELL_API_KEY: options.apiKey,
        STEPWELL_PUBLIC_URL: url,
        STEPWELL_DATA: own,
        ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
      }
      for (const args of [[], ['--service'], ['--service', '--read-only']]) {
        const { code, said } = await runDoctor(args, environment)
        expect(said).toContain('Nothing is broken')
        // A warning about the memory or the disk of this machine may be right.
        expect(said).not.toMatch(/^(broken|skipped)/m)
        expect(said).not.toContain(options.apiKey)
        expect(code).toBe(0)
      }
      // Work that a service does once a minute.
      await service.collectFiles()
    } finally {
      await closeEndpoint()
      await stop()
      await service.close()
    }
    // The deletion of the canary is noted for ever, as every deletion of a thread is.
    const { audit_entries: entries = 0, ...rest } = before
    expect(await countRows(place)).toEqual({ ...rest, audit_entries: entries + 1 })
    const files = await readdir(join(own, 'files'), { recursive: true, withFileTypes: true })
    expect(files.filter((entry) => entry.isFile())).toEqual([])
  } finally {
    await drop?.()
  }
})

/** Changes the noted migrations of a new database, then diagnoses it. */
const withMigrations = async (change: ReturnType<typeof sql>): Promise<string[]> => {
  const own = await mkdtemp(join(folder, 'migrations-'))
  const { location, drop } = server
    ? await newDatabase()
    : { location: { folder: join(own, 'database') }, drop: async () => undefined }
  const db = await openDatabase(location)
  await change.execute(db)
  await db.destroy()
  try {
    const database = 'url' in location ? ['--database', location.url] : []
    return (await diagnose(['--data', own, ...database])).of('database')
  } finally {
    await drop()
  }
}

test('a database that a newer version has brought up to date is named', async () => {
  const lines = await withMigrations(
    sql`INSERT INTO kysely_migration (name, timestamp) VALUES ('9999-later', '')`,
  )
  expect(lines[0]).toMatch(
    /^broken .*newer version of Stepwell .*9999-later.*Remedy: start that version/,
  )
})

test('pending migrations are named, with the backup that comes before them', async () => {
  const lines = await withMigrations(sql`DELETE FROM kysely_migration WHERE name > '0030'`)
  expect(lines[0]).toMatch(
    /^warning .*\d+ of \d+ migrations of version .* are pending. Remedy: back it up/,
  )
})

test.skipIf(!server)('a role that may not make or change tables is named', async () => {
  const { location, drop } = await newDatabase()
  if (!('url' in location)) throw new Error('expected a server')
  await (await openDatabase(location)).destroy()
  const admin = new pg.Client({ connectionString: location.url })
  await admin.connect()
  const role = `doctor_${process.pid}`
  try {
    await admin.query(`CREATE ROLE ${role} LOGIN PASSWORD 'a-password-of-tests'`)
    await admin.query(`GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${role}`)
    const url = Object.assign(new URL(location.url), {
      username: role,
      password: 'a-password-of-tests',
    }).href
    const { code, said, of } = await diagnose(['--data', join(folder, 'role')], {
      DATABASE_URL: url,
    })
    expect(code).toBe(1)
    const text = of('database').join('\n')
    expect(text).toMatch(
      new RegExp(`broken the role ${role} may make no tables. Remedy: .*GRANT CREATE`),
    )
    expect(text).toMatch(/broken \d+ tables belong to another role .*Remedy: .*REASSIGN OWNED/)
    expect(text).toMatch(/broken a table could not be written: permission denied/)
    expect(said).not.toContain('a-password-of-tests')
  } finally {
    await admin.query(`REVOKE ALL ON ALL TABLES IN SCHEMA public FROM ${role}`)
    await admin.query(`DROP ROLE ${role}`)
    await admin.end()
    await drop()
  }
})
