// Deleting old data while others record: the steps that go in a second, and what recording takes meanwhile and without it.
//
//   npm run build && node bench/retention.js SIZE [postgres://…] [KILLS]
//
// SIZE is a number of steps of 0.5 kB in threads of five; a tenth of them is old. A client sends ten steps every 50 ms, before
// old data is deleted, and while it is. With KILLS, the service is killed that often during the deletion. In the end exactly
// the old threads must be gone.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { openDatabase } from '../server/dist/src/database/database.js'
import { refreshStatistics } from '../server/dist/src/database/statistics.js'
import { freshDatabase } from './databases.js'
import { startService } from './service.js'

const [given = '100000', server, kills = '0'] = process.argv.slice(2)
const size = Number(given)
const old = size / 10
const STEPS_OF_THREAD = 5
const PORTION = 50_000
const work = mkdtempSync(join(tmpdir(), 'stepwell-bench-'))
const url = server && (await freshDatabase(server, 'stepwell_retention'))
const location = url === undefined ? { folder: join(work, 'database') } : { url }
const open = () => openDatabase({ ...location, statementTimeoutMs: 0, report: console.error })

let service = await startService(work, url)
const { projectId } = await service.post('/api/my-project', '{}')
await service.stop()
let db = await open()
for (let from = 0; from < size; from += PORTION) {
  const to = Math.min(size, from + PORTION) - 1
  const age = `CASE WHEN n < ${old} THEN interval '100 days' ELSE interval '1 day' END`
  await sql
    .raw(`INSERT INTO threads (project_id, id, environment, created_at, started_at, last_activity_at, step_count)
    SELECT '${projectId}', 't' || n / ${STEPS_OF_THREAD}, 'prod', now() - ${age}, now() - ${age}, now() - ${age}, ${STEPS_OF_THREAD}
    FROM generate_series(${from}, ${to}, ${STEPS_OF_THREAD}) n`)
    .execute(db)
  await sql
    .raw(`INSERT INTO steps (project_id, id, thread_id, type, name, start_time, end_time, created_at, input, output, environment, ingested, has_generation)
    SELECT '${projectId}', md5('s' || n), 't' || n / ${STEPS_OF_THREAD}, 'tool', 'step ' || n % 50, now() - ${age}, now() - ${age}, now() - ${age},
      json_build_object('content', repeat(md5(n::text), 7)), json_build_object('content', repeat(md5('a' || n), 7)), 'prod', true, false
    FROM generate_series(${from}, ${to}) n`)
    .execute(db)
}
await refreshStatistics(db)
await db.destroy()
service = await startService(work, url)

const ask = async (query) => (await service.post('/api/graphql', JSON.stringify({ query }))).data
const deleted = async () => (await ask('{ retention { deletedThreads } }')).retention.deletedThreads
let sent = 0
/** Records until something is true. Returns the times of the requests. */
const recordUntil = async (isDone) => {
  const times = []
  for (let looked = 0; ; ) {
    const steps = Array.from({ length: 10 }, () => ({
      id: `new ${sent}`,
      threadId: `new ${Math.floor(sent++ / STEPS_OF_THREAD)}`,
      output: { content: 'x'.repeat(500) },
    }))
    const begin = performance.now()
    await service
      .post(
        '/api/graphql',
        JSON.stringify({
          query: 'mutation ($steps: [StepInput!]!) { ingestSteps(steps: $steps) { ok } }',
          variables: { steps },
        }),
      )
      .catch((error) => {
        // The service is killed meanwhile: these steps are not acknowledged.
        if (kills === '0') throw error
        sent -= 10
      })
    times.push(performance.now() - begin)
    if (performance.now() - looked > 500) {
      if (await isDone().catch(() => false)) return times
      looked = performance.now()
    }
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
const quantile = (times, share) =>
  Math.round(times.toSorted((a, b) => a - b)[Math.floor(times.length * share)] * 10) / 10

const IDLE_MS = 20_000
const since = performance.now()
const idle = await recordUntil(async () => performance.now() - since > IDLE_MS)
const begun = performance.now()
await ask('mutation { setRetention(rules: [{ days: 30 }]) { keep } }')
let isOver = false
const killing = (async () => {
  for (let kill = 0; kill < Number(kills) && !isOver; kill++) {
    await new Promise((resolve) => setTimeout(resolve, 500 + Math.random() * 1500))
    if (isOver) return kill
    await service.kill()
    service = await startService(work, url)
  }
  return Number(kills)
})()
const beside = await recordUntil(async () => (await deleted()) >= old / STEPS_OF_THREAD)
const seconds = (performance.now() - begun) / 1000
isOver = true
const killed = await killing
console.table({
  'before, ms': { p50: quantile(idle, 0.5), p99: quantile(idle, 0.99) },
  'beside deletion, ms': { p50: quantile(beside, 0.5), p99: quantile(beside, 0.99) },
})
const peak = service.usage().peak
await service.stop()
db = await open()
const { rows } = await sql`
  SELECT (SELECT count(*)::int FROM steps WHERE id NOT LIKE 'new %') AS steps,
    (SELECT count(*)::int FROM threads WHERE id NOT LIKE 'new %') AS threads,
    (SELECT count(*)::int FROM steps WHERE created_at < now() - interval '30 days') AS old,
    (SELECT count(*)::int FROM steps WHERE id LIKE 'new %') AS recorded`.execute(db)
await db.destroy()
rmSync(work, { recursive: true })
const [left] = rows
console.log({ 'steps a second': Math.round(old / seconds), peak, killed, ...left, sent })
if (
  left.steps !== size - old ||
  left.threads !== (size - old) / STEPS_OF_THREAD ||
  left.old !== 0 ||
  left.recorded < sent
)
  throw new Error('what is left is not what should be')
