import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createService, type Service } from '../src/index.js'
import { asker } from './support/ask.js'
import { newDatabase } from './support/new-database.js'

// The embedded engine runs one transaction at a time.
const isOnServer = Boolean(process.env.STEPWELL_TEST_DATABASE)

let service: Service
let summing: pg.Client
let drop: () => Promise<void>
beforeAll(async () => {
  if (!isOnServer) return
  const { location, drop: end } = await newDatabase()
  drop = end
  const databaseUrl = 'url' in location ? location.url : undefined
  // Nothing but the service ends a circle of transactions that wait for each other.
  const setUp = new pg.Client({ connectionString: databaseUrl })
  await setUp.connect()
  await setUp.query(
    `ALTER DATABASE ${setUp.escapeIdentifier(setUp.database ?? '')} SET deadlock_timeout = '1h'`,
  )
  await setUp.end()
  service = await createService({ databaseUrl })
  summing = new pg.Client({ connectionString: databaseUrl })
  await summing.connect()
})
afterAll(async () => {
  await summing?.end()
  await service?.close()
  await drop?.()
})

/** Returns true when a transaction waits for rows that another one has locked: on a cluster, its workers have the locks. */
const isSomeoneWaiting = async (): Promise<boolean> => {
  const waiting = process.env.STEPWELL_TEST_WORKERS
    ? 'SELECT 1 FROM citus_lock_waits'
    : 'SELECT 1 FROM pg_locks WHERE NOT granted'
  return ((await summing.query(waiting)).rowCount ?? 0) > 0
}

const INGEST = 'mutation ($steps: [StepInput!]!) { ingestSteps(steps: $steps) { ok } }'
const THREAD =
  'query ($id: Json) { threads(filters: [{ field: "id", operator: "eq", value: $id }]) { edges { node { stepCount errorCount } } } }'

const changes = {
  'a step without its thread': (id: string) =>
    [INGEST, { steps: [{ id, error: 'too late' }] }, { stepCount: 2, errorCount: 1 }] as const,
  'a deleted step': (id: string) =>
    [
      'mutation ($id: String!) { deleteStep(id: $id) { id } }',
      { id },
      { stepCount: 1, errorCount: 0 },
    ] as const,
}

test.runIf(isOnServer).each(Object.entries(changes))(
  '%s is in the sums of a thread that are computed meanwhile',
  async (name, change) => {
    const ask = asker(service, service.apiKey ?? '')
    const threadId = `thread of ${name}`
    const id = `step of ${name}`
    await ask(INGEST, {
      steps: [
        { id, threadId },
        { id: `${id}, another`, threadId },
      ],
    })
    const [document, variables, expected] = change(id)
    // As the service does, after a moment in which nothing else has looked at the thread.
    await summing.query('UPDATE threads SET stale = true WHERE id = $1', [threadId])
    await summing.query('BEGIN')
    await summing.query('UPDATE threads SET stale = false WHERE id = $1 AND stale', [threadId])
    let isAnswered = false
    const changed = ask(document, variables).then(() => {
      isAnswered = true
    })
    await expect.poll(async () => isAnswered || (await isSomeoneWaiting())).toBe(true)
    await summing.query('UPDATE threads SET step_count = 2, error_count = 0 WHERE id = $1', [
      threadId,
    ])
    await summing.query('COMMIT')
    await changed
    const { threads } = await ask(THREAD, { id: threadId })
    expect(threads.edges).toEqual([{ node: expected }])
  },
)

test.runIf(isOnServer)(
  'sums let go of their threads when one that records needs them and holds the next',
  async () => {
    const ask = asker(service, service.apiKey ?? '')
    const ids = Array.from({ length: 40 }, (_, n) => `circle ${n}`)
    await ask(INGEST, { steps: ids.map((threadId) => ({ id: `step of ${threadId}`, threadId })) })
    await ask(
      '{ threads(first: 100, orderBy: { column: "tokenCount", direction: ASC }) { totalCount } }',
    )
    for (const [held, wanted] of [ids, ids.toReversed()] as const) {
      await summing.query('UPDATE threads SET stale = true')
      await summing.query('BEGIN')
      await summing.query('UPDATE threads SET stale = true WHERE id = $1', [held])
      const sums = ask(
        '{ threads(first: 100, orderBy: { column: "tokenCount", direction: ASC }) { edges { node { id stepCount } } } }',
      )
      await expect.poll(isSomeoneWaiting).toBe(true)
      await summing.query('UPDATE threads SET stale = true WHERE id = ANY($1)', [
        ids.filter((id) => id !== wanted),
      ])
      await summing.query('COMMIT')
      const { threads } = await sums
      expect(threads.edges).toHaveLength(42)
    }
  },
)
