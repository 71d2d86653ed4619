import { sql } from 'kysely'
import { afterEach, expect, test } from 'vitest'
import { openDatabase } from '../src/database/database.js'
import { onBehalfOf } from '../src/database/task.js'
import { CommitQueue } from '../src/domain/ingestion/commit-queue.js'
import { Ingestion } from '../src/domain/ingestion/ingestion.js'
import { parseStepPatch } from '../src/domain/ingestion/step-patch.js'
import { Values } from '../src/domain/values.js'
import type { Caller } from '../src/kernel/caller.js'
import { createClock } from '../src/kernel/instant.js'
import { DEFAULT_LIMITS } from '../src/kernel/limits.js'
import { newDatabase } from './support/new-database.js'

const values = new Values(DEFAULT_LIMITS)
const caller = (projectId: string) => ({ projectId, environment: 'prod' }) as Caller
const end: (() => unknown)[] = []
afterEach(async () => {
  for (const one of end.splice(0).reverse()) await one()
})

test('a score or an attachment takes as much of a shared commit as a step', () => {
  const queue = new CommitQueue()
  const push = (projectId: string, step: Parameters<typeof parseStepPatch>[2]) =>
    queue.push({ patch: parseStepPatch(values, caller(projectId), step) })
  for (let at = 0; at < 1000; at++)
    push('many', {
      id: `m${at}`,
      scores: ['a', 'b'].map((name) => ({ name, type: 'AI', value: 1 })),
      attachments: [{ id: `f${at}`, name: '' }],
    })
  push('one', { id: 'o' })
  const batch = queue.take()
  expect(batch.some(({ patch }) => patch.projectId === 'one')).toBe(true)
  const rows = batch.reduce(
    (sum, { patch }) => sum + 1 + patch.scores.length + patch.attachments.length,
    0,
  )
  expect(rows).toBeGreaterThan(200)
  // Its own share, and the room that the other one leaves of the second.
  expect(rows).toBeLessThan(700)
})

test('the commits of a project without others are small while a request waits for the only connection, and large otherwise', async () => {
  const { location, drop } = await newDatabase()
  end.push(drop)
  let waits = 0
  const waited = () => waits++
  const db = await openDatabase({ ...location, waited })
  end.push(() => db.destroy())
  const sizes: number[] = []
  const ingestion = new Ingestion(db, createClock(), {
    writers: 1,
    commitMs: 60_000,
    waits: () => waits,
    report: (error) => expect(error).toBeUndefined(),
    wrote: (steps) => sizes.push(steps),
  })
  const store = (run: string, count: number) =>
    ingestion.store(
      Array.from({ length: count }, (_, at) =>
        parseStepPatch(values, caller('p'), { id: `${run}${at}` }),
      ),
    )
  const outcomes = await store('alone', 4000)
  expect(sizes.splice(0)).toEqual([2000, 2000])
  // All connections, however many a server has.
  const hold = Promise.all(
    Array.from({ length: 20 }, () => onBehalfOf('k', () => sql`SELECT pg_sleep(0.05)`.execute(db))),
  )
  outcomes.push(...(await store('awaited', 4000)))
  await hold
  expect(sizes).toEqual(Array(16).fill(250))
  expect(new Set(outcomes)).toEqual(new Set([null]))
  // All waiting ones have gone.
  sizes.length = 0
  await store('after', 20_000)
  expect(Math.max(...sizes)).toBe(2000)
})
