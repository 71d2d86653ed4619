import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openDatabase } from '../src/database/database.js'
import { createDomain } from '../src/domain/domain.js'
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
  expect(await count(otherId)).toEqual({ steps: 1, scores: 1, threads: 1 })
  await db.destroy()
  await drop()
})
