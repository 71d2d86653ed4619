import { expect, test } from 'vitest'
import { StepwellClient } from '../../src/index.js'
import { type Database, openEngine } from '../src/database/database.js'
import { distribute } from '../src/database/distribution/distribute.js'
import { isLocked } from '../src/database/failures.js'
import { sql } from '../src/database/rows/sql.js'
import { limitLockWait } from '../src/database/transactions/attempts.js'
import { Rollups } from '../src/domain/rollups/rollups.js'
import { UserSums } from '../src/domain/user-sums.js'
import { createService } from '../src/index.js'
import { findUsage } from '../src/storage/users.js'
import { compareRollups } from './support/compare-rollups.js'
import { newCluster, newDatabase } from './support/new-database.js'

const HOUR_MS = 3_600_000

// On a Citus cluster only: STEPWELL_TEST_DATABASE is its coordinator, and STEPWELL_TEST_WORKERS are the workers.
test.runIf(process.env.STEPWELL_TEST_WORKERS)(
  'a database is distributed while it is written to, from where an earlier call stopped, and has all that was acknowledged',
  async () => {
    const { url, drop } = await newCluster()
    const service = await createService({ databaseUrl: url })
    const { apiKey, projectId } = await service.createProject('busy')
    const { api } = new StepwellClient({ apiKey, fetch: service.fetch })
    const acknowledged: string[] = []
    let isOver = false
    const record = async () => {
      while (!isOver) {
        const id = `step-${acknowledged.length}`
        await api.sendSteps([{ id, threadId: `thread-${acknowledged.length % 7}`, name: 'a' }])
        acknowledged.push(id)
      }
    }
    const recording = record()
    const dayMs = 24 * HOUR_MS
    const at = (ms: number) => new Date(Date.now() + ms).toISOString()
    const range = { from: at(-dayMs), to: at(dayMs) }
    const counts: number[] = []
    const measure = async () => {
      while (!isOver) {
        const { series } = await api.getMetrics({ subject: 'steps', ...range })
        counts.push(series[0]?.total.count ?? 0)
      }
    }
    const measuring = measure()
    const engine = await openEngine({ url })
    const db = engine.connect(0)
    const { id: ann } = await api.createUser('ann')
    await api.upsertThread({ threadId: 'first of ann', participantId: ann })
    while (await new UserSums(db, { quietSeconds: 0 }).work());
    const lines: string[] = []
    const stopped = distribute(db, {
      shards: 3,
      say: (line) => {
        lines.push(line)
        if (line.includes(': threads ')) throw new Error('the process ends here')
      },
    })
    await expect(stopped).rejects.toThrow('the process ends here')
    const rest = await distribute(db, { shards: 5 })
    expect(rest).not.toContain('steps')
    expect(rest).toContain('scores')
    expect(await distribute(db)).toEqual([])
    isOver = true
    await recording
    await measuring
    expect(counts).toEqual(counts.toSorted((a, b) => a - b))
    const { rows } = (await sql`
      SELECT table_name::text AS name, shard_count::integer AS shards FROM citus_tables
      WHERE table_name IN ('steps'::regclass, 'scores'::regclass) ORDER BY 1`.execute(db)) as {
      rows: unknown[]
    }
    // A later call keeps to the shards that there are.
    expect(rows).toEqual([
      { name: 'scores', shards: 3 },
      { name: 'steps', shards: 3 },
    ])
    // Sums of users that were kept before hold for no change since.
    await api.upsertThread({ threadId: 'second of ann', participantId: ann })
    expect(await findUsage(db, projectId, [ann])).toMatchObject([{ threadCount: 2 }])
    for (const id of acknowledged) expect(await api.getStep(id)).not.toBeNull()
    expect((await api.getSteps({ first: 1 })).totalCount).toBe(acknowledged.length)
    await measured(db, projectId)
    await api.deleteStep(acknowledged[0] ?? '')
    await api.sendSteps([{ id: acknowledged[1] ?? '', name: 'b' }])
    await measured(db, projectId)
    await db.destroy()
    await engine.close()
    await service.close()
    await drop()
  },
)

/** Waits until what workers marked is measured, and compares it with the rows. */
const measured = async (db: Database, projectId: string) => {
  const quiet = { 60: 0, 600: 0, 3600: 0, 21600: 0, 86400: 0 }
  const rollups = new Rollups(db, { fewestRows: 1, quietSeconds: quiet })
  const hour = Math.floor(Date.now() / HOUR_MS) * HOUR_MS
  const asked = { fromMs: hour - HOUR_MS, toMs: hour + HOUR_MS, environment: null, buckets: 2 }
  const left = async () => {
    while (await rollups.work());
    const { rows } = await sql`
      SELECT 1 FROM rollup_marks WHERE project_id = ${projectId} UNION ALL
      SELECT 1 FROM rollup_fills WHERE project_id = ${projectId}`.execute(db)
    return rows.length
  }
  await expect.poll(left).toBe(0)
  for (const subject of ['steps', 'threads'] as const) {
    const question = { ...asked, subject, by: undefined, excludeExperiments: false, mostRows: 0 }
    expect(await compareRollups(db, projectId, question)).toBe(true)
  }
}

test.runIf(process.env.STEPWELL_TEST_WORKERS)(
  'a transaction waits for a row that another one holds on a worker no longer than its limit',
  async () => {
    const { location, drop } = await newDatabase()
    const engine = await openEngine(location)
    const db = engine.connect(10_000)
    await sql`
      INSERT INTO steps (project_id, id, type, created_at, ingested, has_generation)
      VALUES ('p', 'held', 'run', '2026-01-01T00:00:00Z', true, false)`.execute(db)
    const change = (transaction: Database) =>
      sql`UPDATE steps SET name = 'a' WHERE project_id = 'p' AND id = 'held'`.execute(transaction)
    await db.transaction().execute(async (holder) => {
      await change(holder)
      const waiting = db.transaction().execute(async (transaction) => {
        await limitLockWait(transaction, 100)
        await change(transaction)
      })
      expect(await waiting.catch(isLocked)).toBe(true)
    })
    await db.destroy()
    await engine.close()
    await drop()
  },
)
