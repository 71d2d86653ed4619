import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openDatabase } from '../src/database/database.js'
import { Keys } from '../src/domain/access/keys.js'
import { SERVICE } from '../src/domain/audit/entry.js'
import { createDomain } from '../src/domain/domain.js'
import { Projects } from '../src/domain/projects.js'
import { Files } from '../src/files/files.js'
import { LocalStore } from '../src/files/local-store.js'
import { Signatures } from '../src/files/signatures.js'
import type { Caller } from '../src/kernel/caller.js'
import { createClock } from '../src/kernel/instant.js'
import { DEFAULT_LIMITS } from '../src/kernel/limits.js'
import { newDatabase } from './support/new-database.js'

test('nothing of a deleted project stays, not even of requests that were under way', async () => {
  const { location, drop } = await newDatabase()
  const db = await openDatabase(location)
  const domain = createDomain(db, createClock(), DEFAULT_LIMITS, {
    writers: 1,
    commitMs: 60_000,
    report: (error) => expect(error).toBeUndefined(),
    wrote: () => undefined,
    places: { database: 'embedded', databasePlace: null, files: 'folder', filesPlace: null },
  })
  const { projectId } = await domain.projects.create('doomed')
  const { projectId: otherId } = await domain.projects.create('other')
  const ingest = (id: string) =>
    domain.steps.ingest(
      { projectId: id, environment: 'prod', scopes: ['admin'] } as never as Caller,
      [{ id: 's', threadId: 't', scores: [{ name: 'q', type: 'AI', value: 1 }] }],
    )
  const count = async (id: string) => {
    const { rows } = await sql`
      SELECT (SELECT count(*)::int FROM steps WHERE project_id = ${id}) AS steps,
        (SELECT count(*)::int FROM scores WHERE project_id = ${id}) AS scores,
        (SELECT count(*)::int FROM threads WHERE project_id = ${id}) AS threads`.execute(db)
    return rows[0]
  }
  await Promise.all([ingest(projectId), ingest(otherId)])
  await domain.projects.delete(projectId)
  expect(await count(projectId)).toEqual({ steps: 0, scores: 0, threads: 0 })
  // A request that was admitted before.
  await ingest(projectId)
  await domain.projects.removeLate()
  expect(await count(projectId)).toEqual({ steps: 0, scores: 0, threads: 0 })
  // Long after, when no such request is left.
  await sql`UPDATE deleted_projects SET deleted_at = deleted_at - interval '1 hour'`.execute(db)
  await domain.projects.removeLate()
  expect((await sql`SELECT id FROM deleted_projects`.execute(db)).rows).toEqual([])
  expect(await count(otherId)).toEqual({ steps: 1, scores: 1, threads: 1 })
  await db.destroy()
  await drop()
})

/** The embedded database runs one transaction at a time, and on a cluster keys wait for one another. */
const isOnServer = Boolean(process.env.STEPWELL_TEST_DATABASE && !process.env.STEPWELL_TEST_WORKERS)

test.runIf(isOnServer)(
  'a project is deleted although a key of it is made after its keys were deleted',
  async () => {
    const { location, drop } = await newDatabase()
    const db = await openDatabase(location)
    const caught = new Set<object>()
    let meanwhile = async (): Promise<unknown> => undefined
    const watched = db.withPlugin({
      transformQuery: ({ node, queryId }) => {
        if (JSON.stringify(node).includes('"attachments"')) caught.add(queryId)
        return node
      },
      transformResult: async ({ result, queryId }) => {
        if (caught.has(queryId)) await meanwhile()
        return result
      },
    })
    const projects = new Projects(watched, createClock())
    const keys = new Keys(db, createClock(), () => undefined)
    const { projectId } = await projects.create('doomed')
    const make = () =>
      keys.create(SERVICE, projectId, { name: 'made meanwhile', scopes: ['admin'] })
    meanwhile = make
    await projects.delete(projectId)
    expect(caught.size).toBe(1)
    const { rows } = await sql`
      SELECT project_id AS id FROM api_keys UNION ALL SELECT id FROM projects`.execute(db)
    expect(rows).toEqual([])
    await expect(make()).rejects.toThrow('no project has the id')
    await db.destroy()
    await drop()
  },
)

test('what a service stores of a project that another process deleted is removed by the service', async () => {
  const { location, drop } = await newDatabase()
  const db = await openDatabase(location)
  const [service, command] = [new Projects(db, createClock()), new Projects(db, createClock())]
  const { projectId } = await service.create('doomed')
  await command.delete(projectId)
  await sql`INSERT INTO views (project_id, id, name, subject, query, created_at, updated_at)
    VALUES (${projectId}, 'v', 'mine', 'THREADS', '', now(), now())`.execute(db)
  await service.removeLate()
  expect((await sql`SELECT id FROM views`.execute(db)).rows).toEqual([])
  await db.destroy()
  await drop()
})

test('no content of a file of a deleted project stays, not even of an upload that was announced meanwhile', async () => {
  const { location, drop } = await newDatabase()
  const db = await openDatabase(location)
  const folder = await mkdtemp(join(tmpdir(), 'stepwell-test-'))
  const store = new LocalStore(folder, new Signatures('secret'))
  const files = new Files(db, store, createClock())
  const projects = new Projects(db, createClock())
  const upload = async (projectId: string) => {
    const file = { fileName: undefined, mime: undefined, threadId: undefined }
    const { target } = await files.announce(projectId, 'http://stepwell.test', file)
    const { key } = 'put' in target ? target.put.fields : target.post.fields
    await store.put(projectId, key ?? '', Readable.from(['a secret']), 8)
  }
  const stored = async () =>
    (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) =>
      entry.isFile(),
    ).length
  const [{ projectId }, other] = [await projects.create('doomed'), await projects.create('other')]
  await upload(other.projectId)
  await upload(projectId)
  expect(await stored()).toBe(2)
  await files.removeAll(projectId, async (removeFiles) => {
    await upload(projectId)
    await projects.delete(projectId, removeFiles)
  })
  expect(await stored()).toBe(1)
  // A request that was admitted before.
  await upload(projectId)
  await projects.removeLate((id, keys) => files.remove(id, keys))
  expect(await stored()).toBe(1)
  await db.destroy()
  await rm(folder, { recursive: true })
  await drop()
})

test('many deleted projects are looked at again by a statement for each table, and not for each project', async () => {
  const { location, drop } = await newDatabase()
  const db = await openDatabase(location)
  let statements = 0
  const counted = db.withPlugin({
    transformQuery: ({ node }) => {
      statements++
      return node
    },
    transformResult: async ({ result }) => result,
  })
  const projects = new Projects(counted, createClock())
  const noteDeleted = async (ids: string[]) =>
    sql`INSERT INTO deleted_projects (id, deleted_at) SELECT id, now() FROM unnest(${ids}::text[]) AS x (id)`.execute(
      db,
    )
  await noteDeleted(['0'])
  await projects.removeLate()
  const ofOne = statements
  const ids = Array.from({ length: 600 }, (_, index) => String(index + 1))
  await noteDeleted(ids)
  const late = ['1', '200', '201', '600']
  for (const id of [...late, 'other']) {
    await sql`INSERT INTO views (project_id, id, name, subject, query, created_at, updated_at)
      VALUES (${id}, 'v', 'mine', 'THREADS', '', now(), now())`.execute(db)
    await sql`INSERT INTO files (project_id, object_key, mime, created_at)
      VALUES (${id}, ${`a of ${id}`}, 'text/plain', now()), (${id}, ${`b of ${id}`}, 'text/plain', now())`.execute(
      db,
    )
  }
  statements = 0
  const removed: [string, string[]][] = []
  await projects.removeLate(async (id, keys) => {
    removed.push([id, [...keys].sort()])
  })
  expect(statements).toBeLessThan(5 * ofOne)
  expect(removed).toEqual(late.map((id) => [id, [`a of ${id}`, `b of ${id}`]]))
  const left = async (table: string) =>
    (await sql`SELECT DISTINCT project_id FROM ${sql.table(table)}`.execute(db)).rows
  expect(await left('views')).toEqual([{ project_id: 'other' }])
  expect(await left('files')).toEqual([{ project_id: 'other' }])
  await db.destroy()
  await drop()
})
