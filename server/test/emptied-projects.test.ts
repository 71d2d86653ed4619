import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openDatabase } from '../src/database/database.js'
import { concludeQuietRuns } from '../src/domain/audit/runs.js'
import { createDomain } from '../src/domain/domain.js'
import type { Caller } from '../src/kernel/caller.js'
import { createClock } from '../src/kernel/instant.js'
import { DEFAULT_LIMITS } from '../src/kernel/limits.js'
import { newDatabase } from './support/new-database.js'

test('a project of any size is deleted in portions that others get their turns between, its keys first', async () => {
  const { location, drop } = await newDatabase()
  const db = await openDatabase(location)
  const deleting = new Set<object>()
  let largest = 0
  const watched = db.withPlugin({
    transformQuery: ({ node, queryId }) => {
      if (/DELETE FROM/.test(JSON.stringify(node))) deleting.add(queryId)
      return node
    },
    transformResult: async ({ result, queryId }) => {
      if (deleting.has(queryId)) largest = Math.max(largest, Number(result.numAffectedRows ?? 0))
      return result
    },
  })
  const domain = createDomain(watched, createClock(), DEFAULT_LIMITS, {
    writers: 1,
    commitMs: 60_000,
    report: (error) => expect(error).toBeUndefined(),
    wrote: () => undefined,
    places: { database: 'embedded', databasePlace: null, files: 'folder', filesPlace: null },
  })
  const callerOf = async (name: string) => {
    const { projectId } = await domain.projects.create(name)
    return { projectId, environment: 'prod', scopes: ['admin'] } as never as Caller
  }
  const [doomed, other] = [await callerOf('doomed'), await callerOf('other')]
  const record = async (caller: Caller, count: number) => {
    for (let from = 0; from < count; from += 200)
      await domain.steps.ingest(
        caller,
        Array.from({ length: Math.min(200, count - from) }, (_, index) => ({
          id: `step ${from + index}`,
          // Ids have an order in the database, and the characters that it does not store.
          threadId: `thread \u0000 ${from}`,
          scores: [{ name: 'q', type: 'AI' as const, value: 1 }],
        })),
      )
  }
  await record(doomed, 1600)
  await record(other, 3)
  const rowsOf = async ({ projectId }: Caller) =>
    (
      await sql`
        SELECT (SELECT count(*)::int FROM steps WHERE project_id = ${projectId}) AS steps,
          (SELECT count(*)::int FROM scores WHERE project_id = ${projectId}) AS scores,
          (SELECT count(*)::int FROM threads WHERE project_id = ${projectId}) AS threads,
          (SELECT count(*)::int FROM api_keys WHERE project_id = ${projectId}) AS keys`.execute(db)
    ).rows[0]
  const { projectId: id } = doomed
  const project = await domain.projects.find(id)
  // As after a command that was killed at once: no key opens the project any more, and it is still listed.
  expect(await domain.projects.empty(project, 0)).toEqual({ isEmpty: false, rows: 0 })
  expect(await rowsOf(doomed)).toMatchObject({ steps: 1600, keys: 0 })
  expect(await domain.projects.find('doomed')).toEqual(project)
  largest = 0
  const { isEmpty, rows: deleted } = await domain.projects.empty(project, Number.POSITIVE_INFINITY)
  expect(isEmpty).toBe(true)
  // Steps, scores and threads; metrics were marked besides.
  expect(deleted).toBeGreaterThanOrEqual(1600 + 1600 + 8)
  expect(await rowsOf(doomed)).toEqual({ steps: 0, scores: 0, threads: 0, keys: 0 })
  expect(largest).toBeLessThanOrEqual(500)
  expect(await rowsOf(other)).toEqual({ steps: 3, scores: 3, threads: 1, keys: 1 })
  // The log has what was deleted, though the command never ends.
  await concludeQuietRuns(db, 0)
  const { rows } = await domain.audit.list(doomed, {})
  expect(rows[0]).toMatchObject({
    action: 'DELETE_PROJECT',
    subjectId: id,
    details: { keys: 1, scores: 1600, steps: 1600, threads: 8 },
  })
  await domain.projects.delete(id)
  expect((await domain.projects.list()).map(({ name }) => name)).toEqual(['other'])
  await db.destroy()
  await drop()
})
