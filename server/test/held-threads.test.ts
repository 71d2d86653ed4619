import { expect, test } from 'vitest'
import type { Database } from '../src/database/database.js'
import { sql } from '../src/database/rows/sql.js'
import type { Caller } from '../src/kernel/caller.js'
import { findThreads } from '../src/storage/threads.js'
import { useDomain } from './support/new-domain.js'

// The embedded engine has one transaction at a time, and nobody else to hold a row.
const onServer = test.runIf(process.env.STEPWELL_TEST_DATABASE)

const made = useDomain()
const callerOf = (projectId: string) =>
  ({ projectId, environment: 'prod', scopes: ['admin'] }) as unknown as Caller

const OTHERS = Array.from({ length: 30 }, (_, n) => `other ${n}`)
const HELD = 'other 15b'
const ALL = [...OTHERS, HELD].sort()

const record = (caller: Caller, threadId: string, second: number) =>
  made.domain.steps.ingest(caller, [
    {
      id: `question ${threadId} ${second}`,
      threadId,
      type: 'user_message',
      output: { content: `question ${second}` },
      startTime: `2026-01-01T00:00:0${second}.000001Z`,
    },
    {
      id: `answer ${threadId} ${second}`,
      threadId,
      type: 'assistant_message',
      output: { content: `answer ${second}` },
      startTime: `2026-01-01T00:00:0${second}.250125Z`,
      endTime: `2026-01-01T00:00:0${second}.750126Z`,
      error: 'late',
      generation: { tokenCount: 7 } as never,
    },
  ])

/** Runs work while another transaction holds a thread. */
const whileHeld = async <Result>(projectId: string, work: () => Promise<Result>) =>
  made.db.transaction().execute(async (holder: Database) => {
    await sql`UPDATE threads SET stale = true WHERE project_id = ${projectId} AND id = ${HELD}`.execute(
      holder,
    )
    return work()
  })

const staleOnes = async (projectId: string) => {
  const threads = await findThreads(made.db, projectId, ALL)
  return threads.flatMap(({ id, stale }) => (stale ? [id] : []))
}

onServer(
  'a thread that another transaction holds is shown with the figures that it has, and so are the others',
  async () => {
    const caller = callerOf('shown')
    for (const id of ALL) await record(caller, id, 1)
    await made.domain.threads.sumUp(caller, ALL)
    for (const id of ALL) await record(caller, id, 2)
    const shown = await whileHeld('shown', () => made.domain.threads.summed(caller, ALL))
    expect(await staleOnes('shown')).toEqual([HELD])
    await made.domain.threads.sumUp(caller, ALL)
    const stored = await findThreads(made.db, 'shown', ALL)
    const byId = (one: { id: string }, other: { id: string }) => (one.id < other.id ? -1 : 1)
    const expected = stored.map((thread) => ({ ...thread, stale: thread.id === HELD }))
    expect(shown.toSorted(byId)).toEqual(expected.toSorted(byId))
    expect(shown.find(({ id }) => id === HELD)).toMatchObject({
      ...{ tokenCount: 14, stepCount: 4, errorCount: 2, unpricedCount: 2, duration: 1.750125 },
      ...{ firstMessage: 'question 1', lastMessage: 'answer 2', firstError: 'late' },
    })
  },
)

onServer('threads that nobody holds are summed up in the background', async () => {
  const caller = callerOf('behind')
  for (const id of ALL) await record(caller, id, 1)
  await whileHeld('behind', () => made.domain.threads.catchUp())
  expect(await staleOnes('behind')).toEqual([HELD])
})

onServer('a list by start does not wait for a thread that another transaction holds', async () => {
  const caller = callerOf('listed')
  for (const id of ALL) await record(caller, id, 1)
  const { rows } = await whileHeld('listed', () =>
    made.domain.threads.list(caller, {
      first: 100,
      orderBy: { column: 'startedAt', direction: 'DESC' },
    }),
  )
  expect(rows.map(({ id }) => id).sort()).toEqual(ALL)
})

onServer(
  'a held thread whose calls may be in one another is waited for, as its tokens would count twice',
  async () => {
    const caller = callerOf('nested')
    const span = (n: number) => `${'a'.repeat(32)}-${String(n).padStart(16, '0')}`
    const call = (n: number, parentId: string | null) => ({
      id: span(n),
      threadId: HELD,
      type: 'llm' as const,
      parentId,
      generation: { tokenCount: 7 } as never,
    })
    await made.domain.steps.ingest(caller, [call(1, null), call(2, span(1))])
    await expect(
      whileHeld('nested', () => made.domain.threads.summed(caller, [HELD])),
    ).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    expect(await made.domain.threads.summed(caller, [HELD])).toMatchObject([{ tokenCount: 7 }])
  },
)

onServer(
  'a judge gets the threads that nobody holds, and the held one when it is let go of',
  async () => {
    const caller = callerOf('judged')
    const lease = () =>
      made.domain.judgementLeases.lease(caller, {
        judge: { name: 'judge', version: '1', subject: 'THREADS', sample: 1, quietSeconds: 0 },
        holder: 'worker',
        first: 100,
        seconds: 60,
      })
    await lease()
    for (const id of ALL) await record(caller, id, 1)
    const { leases } = await whileHeld('judged', lease)
    expect(leases.map(({ id }) => id).sort()).toEqual(OTHERS.toSorted())
    // As if the time had passed after which it is looked at again.
    await sql`UPDATE judge_items SET due_at = now() WHERE project_id = 'judged' AND id = ${HELD}`.execute(
      made.db,
    )
    expect((await lease()).leases.map(({ id }) => id)).toEqual([HELD])
  },
)
