// Searching in contents, by the index and without it.
import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import type { Database } from '../../src/database/database.js'
import { select, sql } from '../../src/database/rows/sql.js'
import { s } from '../../src/database/rows/tables.js'
import { ContentIndexer } from '../../src/domain/contents/indexer.js'
import type { Domain } from '../../src/domain/domain.js'
import type { Caller } from '../../src/kernel/caller.js'
import { DEFAULT_LIMITS } from '../../src/kernel/limits.js'
import { type PageRequest, Pages } from '../../src/lists/page.js'
import { stepListing } from '../../src/storage/steps.js'
import type { TestDomain } from './new-domain.js'

export type Sent = Parameters<Domain['steps']['ingest']>[1]

/** Reads one row without the index, and asks the index for all others. */
const SIZES = {
  firstWindow: 1,
  largestWindow: 1,
  probeAfterRows: 1,
  maxCandidates: 1,
  sorted: 100_000,
}

/** An indexer for which no step waits. */
export const newIndexer = (db: Database): ContentIndexer =>
  new ContentIndexer(db, { isEnabled: true, quietMs: -60_000 })

export const newProject = async ({ domain }: TestDomain): Promise<Caller> => {
  const { projectId } = await domain.projects.create(randomUUID())
  return { projectId, environment: 'prod', scopes: ['admin'] } as unknown as Caller
}

export const send = async ({ domain }: TestDomain, caller: Caller, steps: Sent): Promise<void> => {
  for (const { refusal } of await domain.steps.ingest(caller, steps)) expect(refusal).toBeNull()
}

/** Finds steps by comparing each one. */
export const plainly = async (db: Database, projectId: string, text: string): Promise<string[]> => {
  const field = stepListing(projectId).fields.content
  const criterion = await field?.criterion({ operator: 'ilike', value: text, path: undefined }, db)
  if (criterion === undefined || 'relation' in criterion) throw new Error('expected a test')
  const { rows } = await sql`
    SELECT ${select({ id: s.id })} FROM steps s
    WHERE s.project_id = ${projectId} AND s.ingested AND ${criterion.test}`.execute(db)
  return rows.map(({ id }) => id).sort()
}

/** Finds steps page by page, in the order of the list. */
export const found = async (
  db: Database,
  projectId: string,
  text: string,
  request: PageRequest = {},
): Promise<string[]> => {
  // However busy the machine is, a search gives up by its rows alone.
  const pages = new Pages(db, { ...DEFAULT_LIMITS, searchMs: 600_000 }, SIZES)
  const ids: string[] = []
  for (let after: string | undefined; ; ) {
    const page = await pages.read(projectId, stepListing(projectId, 'light'), {
      orderBy: { column: 'startedAt', direction: 'DESC' },
      first: 1000,
      ...request,
      filters: [{ field: 'content', operator: 'ilike', value: text }, ...(request.filters ?? [])],
      after,
    })
    ids.push(...page.rows.map(({ id }) => id))
    after = page.rows.at(-1)?.cursor
    if (!page.hasNextPage || after === undefined) return ids
  }
}

/** Returns the steps that are in blocks, and those that wait to be. */
export const indexed = async (db: Database, projectId: string) => {
  const count = async (table: string) => {
    const { rows } = (await sql`
      SELECT DISTINCT unnest(step_ids) AS id FROM ${sql.table(table)} WHERE project_id = ${projectId}`.execute(
      db,
    )) as unknown as { rows: unknown[] }
    return rows.length
  }
  return { inBlocks: await count('content_blocks'), waiting: await count('content_changes') }
}
