import { setTimeout as wait } from 'node:timers/promises'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { parseStepPatch } from '../../src/domain/ingestion/step-patch.js'
import { ProjectPrices } from '../../src/domain/prices/project-prices.js'
import { Cleaner } from '../../src/domain/retention/cleaner.js'
import { ThreadSums } from '../../src/domain/threads/sums.js'
import { Values } from '../../src/domain/values.js'
import type { Caller } from '../../src/kernel/caller.js'
import { createClock } from '../../src/kernel/instant.js'
import { DEFAULT_LIMITS } from '../../src/kernel/limits.js'
import { useDomain } from '../support/new-domain.js'

// Exceptions from the rules of age that come while their step is deleted. The embedded database runs one transaction at a time.
const isOnServer = Boolean(process.env.STEPWELL_TEST_DATABASE)
const made = useDomain()
const values = new Values(DEFAULT_LIMITS)
const YEAR_AGO = new Date(Date.now() - 365 * 86_400_000).toISOString()

const isThere = async (table: string, { projectId }: Caller, id: string): Promise<boolean> => {
  const { rows } = await sql`
    SELECT 1 FROM ${sql.table(table)} WHERE project_id = ${projectId} AND id = ${id}`.execute(
    made.db,
  )
  return rows.length > 0
}

/** Records an old step that is due unless it has a score or is in a dataset. */
const newProject = async (step: { threadId?: string }): Promise<Caller> => {
  const { projectId } = await made.domain.projects.create(crypto.randomUUID())
  const caller: Caller = {
    projectId,
    keyId: 'k',
    keyName: 'key',
    scopes: ['admin'],
    environment: 'prod',
  }
  const old = { id: 's', type: 'run', startTime: YEAR_AGO, endTime: YEAR_AGO, ...step } as const
  await made.domain.ingestion.store([parseStepPatch(values, caller, old)])
  await made.domain.threads.catchUp()
  for (const table of ['steps', 'threads'])
    await sql`UPDATE ${sql.table(table)} SET created_at = ${YEAR_AGO}::timestamptz
      WHERE project_id = ${projectId}`.execute(made.db)
  await made.domain.retention.set(caller, {
    rules: [{ days: 30 }],
    keep: ['scored', 'inDataset'],
  })
  return caller
}

/** Resolves when somebody waits for a lock. */
const somebodyWaits = async (until: () => boolean): Promise<void> => {
  while (!until()) {
    const { rows } = await sql`
      SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`.execute(
      made.db,
    )
    if (rows.length > 0) return
    await wait(5)
  }
}

/** Deletes old data, with something done after one of its statements. Returns false when there are fewer. */
const deleteWith = async (at: number, act: () => Promise<void>): Promise<boolean> => {
  let statements = 0
  const db = made.db.withPlugin({
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      if (++statements === at) await act()
      return result
    },
  })
  const cleaner = new Cleaner(db, createClock(), new ThreadSums(made.db, new ProjectPrices()))
  while (await cleaner.work());
  return statements >= at
}

const exceptions = {
  score: {
    table: 'scores',
    make: (caller: Caller) =>
      made.domain.scores.create(caller, { stepId: 's', name: 'q', type: 'HUMAN', value: 1 }),
  },
  item: {
    table: 'dataset_items',
    make: async (caller: Caller) => {
      const { id } = await made.domain.datasets.create(caller, { name: 'd' } as never)
      return made.domain.datasets.addStep(caller, { datasetId: id, stepId: 's' } as never)
    },
  },
}

test.runIf(isOnServer).each([
  ['a score', 'of a thread', exceptions.score, { threadId: 't' }],
  ['a score', 'without a thread', exceptions.score, {}],
  ['an item', 'of a thread', exceptions.item, { threadId: 't' }],
  ['an item', 'without a thread', exceptions.item, {}],
] as const)(
  '%s that comes while a step %s is deleted stays, and keeps the step if it came before',
  async (_what, _where, { table, make }, step) => {
    for (let at = 1; ; at++) {
      const caller = await newProject(step)
      let mustStay = false
      let making: Promise<string | undefined> = Promise.resolve(undefined)
      const reached = await deleteWith(at, async () => {
        let isOver = false
        making = make(caller)
          .then(
            ({ id }) => id,
            () => undefined,
          )
          .finally(() => {
            isOver = true
          })
        await somebodyWaits(() => isOver)
        mustStay = isOver && (await making) !== undefined && (await isThere('steps', caller, 's'))
      })
      const id = await making
      if (id !== undefined) expect(await isThere(table, caller, id), `after ${at}`).toBe(true)
      if (mustStay) expect(await isThere('steps', caller, 's'), `after ${at}`).toBe(true)
      await made.domain.retention.set(caller, { rules: [] })
      if (!reached) break
      expect(at).toBeLessThan(100)
    }
  },
)
