import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Database } from '../src/database/database.js'
import { sql } from '../src/database/rows/sql.js'
import { inTransaction, limitLockWait } from '../src/database/transactions/attempts.js'
import {
  alone as aloneBy,
  type Lockable,
  lockAlone,
  lockShared,
} from '../src/database/transactions/locks.js'
import { parseStepPatch } from '../src/domain/ingestion/step-patch.js'
import { writeBatch } from '../src/domain/ingestion/step-writer.js'
import { Values } from '../src/domain/values.js'
import type { Caller } from '../src/kernel/caller.js'
import { createClock, parseInstant } from '../src/kernel/instant.js'
import { DEFAULT_LIMITS } from '../src/kernel/limits.js'
import { insertThread, markStale } from '../src/storage/threads.js'
import { useDomain } from './support/new-domain.js'

const made = useDomain()

interface Lock {
  key: string
  isAlone: boolean
}

/** Runs statements in a transaction. Returns the locks that it holds afterwards, by their number. */
const heldBy = (work: (db: Database) => Promise<void>): Promise<Lock[]> =>
  made.db.transaction().execute(async (db) => {
    await work(db)
    const { rows } = await sql`
      SELECT classid || ' ' || objid AS key, mode = 'ExclusiveLock' AS "isAlone" FROM pg_locks
      WHERE locktype = 'advisory' AND pid = pg_backend_pid() AND mode IN ('ExclusiveLock', 'ShareLock')
        AND objsubid = 1`.execute(db)
    return rows as Lock[]
  })

const wait = (some: readonly Lock[], others: readonly Lock[]): boolean =>
  some.some((one) => others.some(({ key, isAlone }) => key === one.key && (isAlone || one.isAlone)))

const KINDS: Lockable[] = ['experiment', 'dataset', 'participant']
interface Things {
  kind: Lockable
  project: string
  ids: string[]
}
const things: fc.Arbitrary<Things> = fc.record({
  kind: fc.constantFrom(...KINDS),
  project: fc.constantFrom('a', 'b'),
  ids: fc.oneof(
    fc.uniqueArray(fc.constantFrom<string>('1', '2', '3', '4'), { maxLength: 3 }),
    // More than are locked one by one.
    fc
      .integer({ min: 1, max: 3 })
      .map((from) => Array.from({ length: 40 }, (_, n) => `${from + n}`)),
  ),
})

const shared = ({ kind, project, ids }: Things) =>
  heldBy((db) => lockShared(db, kind, project, ids))
const alone = ({ kind, project, ids }: Things) => heldBy((db) => lockAlone(db, kind, project, ids))

test('who deletes something waits for all who keep it, and nobody for who keeps other things of another kind or project', async () => {
  await fc.assert(
    fc.asyncProperty(things, things, async (kept, deleted) => {
      const meets =
        kept.kind === deleted.kind &&
        kept.project === deleted.project &&
        kept.ids.some((id) => deleted.ids.includes(id))
      const waits = wait(await shared(kept), await alone(deleted))
      if (meets) expect(waits).toBe(true)
      // Of one kind in one project, those that have many things wait for each other, whatever these are.
      const isExact =
        kept.kind !== deleted.kind ||
        kept.project !== deleted.project ||
        (kept.ids.length < 10 && deleted.ids.length < 10)
      if (isExact) expect(waits).toBe(meets)
    }),
    { numRuns: 60 },
  )
})

test('those who keep things never wait for each other', async () => {
  await fc.assert(
    fc.asyncProperty(things, things, async (some, others) => {
      expect(wait(await shared(some), await shared(others))).toBe(false)
    }),
    { numRuns: 30 },
  )
})

test('a transaction has no more than some dozens of locks, and none after its end', async () => {
  const many: Things = { kind: 'participant', project: 'a', ids: [] }
  for (const count of [1, 32, 33, 5000]) {
    many.ids = Array.from({ length: count }, (_, n) => `p${n}`)
    expect((await shared(many)).length).toBeLessThanOrEqual(33)
    expect((await alone(many)).length).toBeLessThanOrEqual(33)
  }
  expect(await heldBy(async () => undefined)).toEqual([])
})

// The embedded engine has one transaction at a time.
test.runIf(process.env.STEPWELL_TEST_DATABASE)(
  'of transactions that wait for each other in a circle none fails, as the one that is ended begins again',
  async () => {
    let begun = 0
    let bothHold = (): void => undefined
    const held = new Promise<void>((resolve) => {
      bothHold = resolve
    })
    const lock = (db: Database, key: number) =>
      sql`SELECT pg_advisory_xact_lock(${key})`.execute(db)
    const locking = (first: number, second: number) => async (db: Database) => {
      await lock(db, first)
      if (++begun === 2) bothHold()
      await held
      await lock(db, second)
      return first
    }
    expect(
      await Promise.all([
        inTransaction(made.db, locking(1, 2)),
        aloneBy(made.db, 'circles', locking(2, 1)),
      ]),
    ).toEqual([1, 2])
    expect(begun).toBeGreaterThan(2)
  },
)

test.runIf(process.env.STEPWELL_TEST_DATABASE)(
  'threads of a project are marked while a transaction has marked those of another one, on many workers',
  async () => {
    const ids = Array.from({ length: 20 }, (_, n) => `t${n}`)
    for (const projectId of ['holding', 'other'])
      for (const id of ids)
        await insertThread(made.db, projectId, {
          id,
          environment: 'prod',
          createdAt: parseInstant('createdAt', '2026-01-01T00:00:00Z'),
        })
    await made.db.transaction().execute(async (holder) => {
      await markStale(holder, 'holding', ids)
      await made.db.transaction().execute(async (transaction) => {
        await limitLockWait(transaction, 2000)
        await markStale(transaction, 'other', ids)
      })
    })
  },
)

// On a cluster, the rows of one statement are locked on all workers at once.
test.runIf(process.env.STEPWELL_TEST_DATABASE && !process.env.STEPWELL_TEST_WORKERS)(
  'batches that name some threads, and know others by their steps alone, never wait for each other in a circle',
  async () => {
    const caller = { projectId: 'circle', environment: 'prod', scopes: ['admin'] }
    const values = new Values(DEFAULT_LIMITS)
    const patchesOf = (steps: readonly object[]) =>
      steps.map((step) => parseStepPatch(values, caller as unknown as Caller, step as never))
    const clock = createClock()
    const write = (steps: readonly object[]) =>
      made.db
        .transaction()
        .execute((transaction) => writeBatch(transaction, clock, patchesOf(steps)))
    await write(['a', 'b'].map((id) => ({ id: `of ${id}`, threadId: id })))
    for (let round = 0; round < 20; round++)
      // Not one of them is begun again: this has no attempts.
      await Promise.all([
        write([
          { id: 'of a', name: `${round}` },
          { id: `one ${round}`, threadId: 'b' },
        ]),
        write([
          { id: 'of b', name: `${round}` },
          { id: `other ${round}`, threadId: 'a' },
        ]),
      ])
    expect(await made.domain.threads.find(caller as unknown as Caller, 'a')).not.toBeNull()
  },
)
