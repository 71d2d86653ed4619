import { sql } from 'kysely'
import { afterEach, expect, test } from 'vitest'
import { concludeQuietRuns, noteInRun } from '../src/domain/audit/runs.js'
import { Erasure } from '../src/domain/erasure/erasure.js'
import { parseStepPatch } from '../src/domain/ingestion/step-patch.js'
import { ProjectPrices } from '../src/domain/prices/project-prices.js'
import { Cleaner } from '../src/domain/retention/cleaner.js'
import { ThreadSums } from '../src/domain/threads/sums.js'
import { Values } from '../src/domain/values.js'
import type { Caller } from '../src/kernel/caller.js'
import { createClock } from '../src/kernel/instant.js'
import { DEFAULT_LIMITS } from '../src/kernel/limits.js'
import { useDomain } from './support/new-domain.js'

// The audit log and the transactions of what it tells: one has both or neither, and a run of many has one entry.
const made = useDomain()
const values = new Values(DEFAULT_LIMITS)
// Its tables have no triggers.
const isOnCluster = Boolean(process.env.STEPWELL_TEST_WORKERS)

const newCaller = async (): Promise<Caller> => {
  const { projectId } = await made.domain.projects.create(crypto.randomUUID())
  return { projectId, keyId: 'k', keyName: 'key', scopes: ['admin'], environment: 'prod' }
}

const entriesOf = async (caller: Caller) => {
  const { rows } = await made.domain.audit.list(caller, { first: 1000 })
  return rows
    .filter(({ actorKind }) => actorKind !== 'OPERATOR')
    .map(({ action, actorKind, subjectId, details }) => ({ action, actorKind, subjectId, details }))
}

const store = (caller: Caller, steps: readonly { id: string; threadId?: string }[]) =>
  made.domain.ingestion.store(steps.map((step) => parseStepPatch(values, caller, step)))

const run = (text: string) => sql.raw(text).execute(made.db)
const TABLES = ['audit_entries', 'audit_runs', 'datasets']

/** Makes a table reject all new rows. */
const rejectRows = (table: string) =>
  run(`ALTER TABLE ${table} ADD CONSTRAINT "rejected by the test" CHECK (false) NOT VALID`)

/** Makes a table let no transaction commit that has deleted rows. */
const rejectCommits = async (table: string): Promise<void> => {
  await run(`CREATE OR REPLACE FUNCTION rejected() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION 'rejected by the test'; END $$`)
  await run(`CREATE CONSTRAINT TRIGGER rejected AFTER DELETE ON ${table} DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION rejected()`)
}
afterEach(async () => {
  for (const table of TABLES)
    await run(`ALTER TABLE ${table} DROP CONSTRAINT IF EXISTS "rejected by the test"`)
  if (!isOnCluster) await run('DROP TRIGGER IF EXISTS rejected ON datasets')
})

test('nothing is done that cannot be noted', async () => {
  const caller = await newCaller()
  const { projectId } = caller
  const { domain } = made
  await store(caller, [{ id: 's', threadId: 't' }])
  const dataset = await domain.datasets.create(caller, { name: 'd' })
  const lineage = await domain.prompts.createLineage(caller, { name: 'p' })
  const key = await domain.keys.make(caller, { name: 'k', scopes: ['read'] })
  const before = await entriesOf(caller)
  await rejectRows('audit_entries')
  const attempts: (() => Promise<unknown>)[] = [
    () => domain.keys.make(caller, { name: 'l', scopes: ['read'] }),
    () => domain.keys.revoke({ kind: 'OPERATOR', id: null, name: null }, projectId, key.row.id),
    () => domain.projects.create('rejected'),
    () => domain.projects.delete(projectId),
    () => domain.threads.delete(caller, 't'),
    () => domain.steps.delete(caller, 's'),
    () => domain.datasets.delete(caller, dataset.id),
    () => domain.prompts.createLineage(caller, { name: 'q' }),
    () => domain.prompts.createVersion(caller, { lineageId: lineage.id, templateMessages: [] }),
    () => domain.definitions.set(caller, { name: 'n' }),
    () => domain.views.create(caller, { subject: 'THREADS', name: 'v', query: '' }),
    () => domain.retention.set(caller, { rules: [{ days: 1 }] }),
    () => domain.conversations.setEnd(caller, { idleMinutes: 5 }),
    () => domain.prices.set(caller, [{ model: 'm', rates: { input: 1 } }]),
  ]
  for (const attempt of attempts) await expect(attempt()).rejects.toThrow('rejected by the test')
  expect(
    (await domain.keys.list(projectId)).map(({ name, revokedAt }) => [name, revokedAt]),
  ).toEqual([
    ['first', null],
    ['k', null],
  ])
  expect((await domain.projects.list()).some(({ name }) => name === 'rejected')).toBe(false)
  expect(await domain.threads.find(caller, 't')).not.toBeNull()
  expect(await domain.steps.find(caller, 's')).not.toBeNull()
  expect(await domain.datasets.find(caller, { id: dataset.id })).not.toBeNull()
  expect(await domain.prompts.findLineage(caller, 'q')).toBeNull()
  expect(await domain.prompts.versions(caller, lineage.id)).toEqual([])
  expect(await domain.definitions.list(caller)).toEqual([])
  expect(await domain.views.list(caller, undefined)).toEqual([])
  expect((await domain.retention.of(caller)).rules).toEqual([])
  expect(await domain.conversations.end(caller)).toBeNull()
  expect(await domain.prices.list(caller)).toEqual([])
  expect(await entriesOf(caller)).toEqual(before)
})

test.skipIf(isOnCluster)(
  'nothing is noted that was not done, because its transaction failed at the commit',
  async () => {
    const caller = await newCaller()
    const dataset = await made.domain.datasets.create(caller, { name: 'd' })
    await rejectCommits('datasets')
    await expect(made.domain.datasets.delete(caller, dataset.id)).rejects.toThrow('rejected')
    expect(await made.domain.datasets.find(caller, { id: dataset.id })).not.toBeNull()
    expect(await entriesOf(caller)).toEqual([])
  },
)

test('the data of a person is one entry, over as many calls as it takes', async () => {
  const caller = await newCaller()
  const person = await made.domain.users.create(caller, { identifier: 'ada@example.org' })
  const steps = Array.from({ length: 120 }, (_, index) => ({
    id: `s${index}`,
    threadId: `t${index % 12}`,
  }))
  await store(caller, steps)
  for (let index = 0; index < 12; index++)
    await made.domain.threads.update(caller, `t${index}`, { participantId: person.id })
  // Calls that are over after a portion or two, however slow the machine is.
  const erasureOf = (call: number) =>
    new Erasure(made.db, values, (isOnCluster ? 150 : 20) * 1.05 ** call)
  const asked = { identifier: 'ada@example.org', copies: true, isDryRun: false }
  let calls = 0
  for (let isComplete = false; !isComplete && calls < 1000; calls++) {
    isComplete = await erasureOf(calls)
      .delete(caller, asked)
      .then(
        (deleted) => deleted.isComplete,
        () => false,
      )
    const isThere = (await made.domain.users.find(caller, { id: person.id })) !== null
    expect(await entriesOf(caller)).toHaveLength(isThere ? 0 : 1)
  }
  expect(await entriesOf(caller)).toEqual([
    {
      action: 'DELETE_USER_DATA',
      actorKind: 'KEY',
      subjectId: person.id,
      details: { threads: 12, steps: 120, users: 1 },
    },
  ])
  expect(calls).toBeGreaterThan(1)
  await new Erasure(made.db, values, 60_000).delete(caller, asked)
  expect(await entriesOf(caller)).toHaveLength(1)
})

const age = (table: string, { projectId }: Caller) =>
  sql`UPDATE ${sql.table(table)} SET created_at = now() - interval '40 days'
    WHERE project_id = ${projectId}`.execute(made.db)

test('a pass that deletes old data is one entry by the service, with the numbers', async () => {
  const caller = await newCaller()
  const steps = Array.from({ length: 300 }, (_, index) => ({
    id: `s${index}`,
    ...(index < 200 ? { threadId: `t${index % 100}` } : {}),
  }))
  await store(caller, steps)
  await made.domain.threads.catchUp()
  await age('steps', caller)
  await age('threads', caller)
  await sql`UPDATE threads SET last_activity_at = now() - interval '40 days'
    WHERE project_id = ${caller.projectId}`.execute(made.db)
  await made.domain.retention.set(caller, { rules: [{ days: 30 }] })
  const cleaner = new Cleaner(made.db, createClock(), new ThreadSums(made.db, new ProjectPrices()))
  while (await cleaner.work());
  expect(await entriesOf(caller)).toMatchObject([
    { action: 'DELETE_OLD_DATA', actorKind: 'SERVICE', details: { threads: 100, steps: 300 } },
    { action: 'SET_RETENTION', actorKind: 'KEY' },
  ])
})

test('what a run did whose process has ended becomes an entry later, once', async () => {
  const caller = await newCaller()
  const run = {
    projectId: caller.projectId,
    id: 'run',
    actor: { kind: 'KEY' as const, id: 'k', name: 'key' },
    action: { action: 'DELETE_USER_DATA' as const, on: 'USER' as const, id: 'u' },
  }
  const noted = (counts: Record<string, number>) =>
    made.db.transaction().execute((transaction) => noteInRun(transaction, run, counts))
  await noted({ steps: 2, threads: 0 })
  await noted({ steps: 3, scores: 1 })
  await noted({ steps: 0 })
  expect(await concludeQuietRuns(made.db)).toBe(false)
  expect(await entriesOf(caller)).toEqual([])
  await Promise.all([concludeQuietRuns(made.db, 0), concludeQuietRuns(made.db, 0)])
  expect(await entriesOf(caller)).toEqual([
    {
      action: 'DELETE_USER_DATA',
      actorKind: 'KEY',
      subjectId: 'u',
      details: { steps: 5, scores: 1 },
    },
  ])
})

test('a portion of a run is deleted with its note, or not at all', async () => {
  const caller = await newCaller()
  const person = await made.domain.users.create(caller, { identifier: 'eve' })
  await store(caller, [{ id: 's', threadId: 't' }])
  await made.domain.threads.update(caller, 't', { participantId: person.id })
  await rejectRows('audit_runs')
  const asked = { identifier: 'eve', copies: true, isDryRun: false }
  await expect(made.domain.erasure.delete(caller, asked)).rejects.toThrow('rejected')
  expect(await made.domain.steps.find(caller, 's')).not.toBeNull()
})

test('the log of a deleted project stays, and nothing else of it', async () => {
  const caller = await newCaller()
  await made.domain.projects.delete(caller.projectId)
  await made.domain.projects.removeLate()
  const { rows } = await made.domain.audit.list(caller, {})
  expect(rows.map(({ action }) => action)).toEqual([
    'DELETE_PROJECT',
    'CREATE_KEY',
    'CREATE_PROJECT',
  ])
  const { rows: tables } = await sql<{ name: string }>`
    SELECT table_name AS name FROM information_schema.columns
    WHERE table_schema = current_schema() AND column_name = 'project_id'`.execute(made.db)
  for (const { name } of tables) {
    const { rows: left } = await sql`
      SELECT 1 FROM ${sql.table(name)} WHERE project_id = ${caller.projectId}`.execute(made.db)
    expect([name, left.length > 0]).toEqual([name, name === 'audit_entries'])
  }
})
