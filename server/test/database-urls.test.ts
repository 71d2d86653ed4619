import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createService } from '@stepwell/server'
import pg from 'pg'
import { expect, test } from 'vitest'
import { readDatabaseUrl, shownDatabase } from '../src/kernel/database-url.js'
import { readSettings, SettingsError } from '../src/settings.js'
import { newDatabase } from './support/new-database.js'

const refusalOf = (url: string): string => {
  try {
    readSettings(['--data', '/tmp/none'], { DATABASE_URL: url })
  } catch (error) {
    if (error instanceof SettingsError) return error.message
    throw error
  }
  throw new Error('it was accepted')
}

test('forms of a URL that lead to one server are read alike', () => {
  const places = [
    ['postgres://ada@db.example.org:5433/app', 'db.example.org:5433', 'app'],
    ['postgresql://ada:p%40ss@db.example.org/my%20app?sslmode=require', 'db.example.org', 'my app'],
    ['postgres://ada@/app?host=/var/run/postgresql', '/var/run/postgresql', 'app'],
    ['postgres://ada:p%40ss@/app?host=/run/pg&port=5433', '/run/pg:5433', 'app'],
    ['postgres:///app?host=/run/pg&user=ada', '/run/pg', 'app'],
    ['postgres://ada@%2Frun%2Fpg/app', '/run/pg', 'app'],
    ['postgres://[::1]:5433/app', '[::1]:5433', 'app'],
  ] as const
  for (const [url, host, name] of places)
    expect(shownDatabase(readDatabaseUrl(url)), url).toEqual({ host, name })
  const client = new pg.Client(readDatabaseUrl('postgres://ada:p%40s%3As@/app?host=/run/pg'))
  expect(client).toMatchObject({
    user: 'ada',
    password: 'p@s:s',
    host: '/run/pg',
    database: 'app',
  })
})

test('a URL that leads nowhere is rejected at the start, by the name of the part, and its password is not repeated', () => {
  for (const [url, part] of [
    ['mysql://ada:secret@host/app', '--database: expected a URL that begins with postgres://'],
    ['postgres://ada:secret@one,two/app', '--database: host: expected one host, got several'],
    ['postgres://ada:secret@one:1,two:2/app', '--database: host: expected one host, got several'],
    ['postgres://ada:secret@/app?host=/a,/b', '--database: host: expected one host, got several'],
    ['postgres://ada:secret@host:port/app', '--database: expected a URL such as'],
    ['postgres://ada:sec%ret@/app', '--database: password: expected special characters'],
    ['postgres://ada:secret@host/app%', '--database: expected a URL such as'],
    ['postgres://ada:secret@host/app?port=0', '--database: port: expected a number from 1 to'],
    ['postgres://ada:secret@host/app?sslmode=on', '--database: sslmode: expected one of disable'],
    [
      'postgres://ada:secret@host/app?sslrootcert=/none.pem',
      '--database: sslrootcert: expected a file that this user may read, got "/none.pem" (ENOENT)',
    ],
  ] as const) {
    const message = refusalOf(url)
    expect(message, url).toContain(part)
    expect(message, url).not.toContain('sec')
  }
})

const server = process.env.STEPWELL_TEST_DATABASE

test.skipIf(server === undefined)(
  'a service uses a server by its Unix socket, with the user before an empty host',
  async ({ skip }) => {
    const { location, drop } = await newDatabase()
    const { url } = location as { url: string }
    const client = new pg.Client(url)
    await client.connect()
    const { rows } = await client.query(
      `SELECT current_setting('unix_socket_directories') AS folders, current_setting('port') AS port, current_user AS "user"`,
    )
    await client.end()
    const [folder = ''] = rows[0].folders.split(/,\s*/)
    const { pathname, password } = new URL(url)
    try {
      // The server may be on another machine.
      skip(!existsSync(join(folder, `.s.PGSQL.${rows[0].port}`)))
      const secret = password === '' ? '' : `:${password}`
      const databaseUrl = `postgres://${rows[0].user}${secret}@${pathname}?host=${folder}&port=${rows[0].port}`
      const settings = readSettings(['--data', '/tmp/none'], { DATABASE_URL: databaseUrl })
      const service = await createService({ databaseUrl: settings?.databaseUrl, apiKey: 'key' })
      const answer = await service.fetch('http://host/api/graphql', {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': 'key' },
        body: '{"query":"{ project { storage { databasePlace } } }"}',
      })
      expect(await answer.json()).toEqual({
        data: { project: { storage: { databasePlace: `${folder}:${rows[0].port}${pathname}` } } },
      })
      await service.close()
    } finally {
      await drop()
    }
  },
)

test('an application that opens a service itself is told by the name of its option', async () => {
  await expect(createService({ databaseUrl: 'postgres://ada:secret@one,two/app' })).rejects.toThrow(
    /^databaseUrl: host: expected one host, got several/,
  )
})
