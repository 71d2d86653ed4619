// A move of a running service from the embedded database to a PostgreSQL server, while a client records and deletes.
//
//   npm run build && node bench/move.js SIZE postgres://… [KILLS]
//
// SIZE is a number of steps of 0.5 kB in threads of five. The client of the SDK records a step every 20 ms, and deletes every
// tenth. With KILLS, the command is killed that often before it may go on to its end. Fails if a step is lost that was
// acknowledged, if one is there that was deleted, or if archives of a project that is quiet differ before and after.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { StepwellClient } from '../dist/esm/src/index.js'
import { openDatabase } from '../server/dist/src/database/database.js'
import { refreshStatistics } from '../server/dist/src/database/statistics.js'
import { freshDatabase } from './databases.js'
import { API_KEY, startService } from './service.js'

const [given = '100000', server, kills = '0'] = process.argv.slice(2)
const size = Number(given)
const STEPS_OF_THREAD = 5
const PORTION = 20_000
const EVERY_MS = 20
const bin = fileURLToPath(new URL('../bin/stepwell.js', import.meta.url))
const work = mkdtempSync(join(tmpdir(), 'stepwell-bench-'))
const target = await freshDatabase(server, 'stepwell_move')

const command = (...args) => {
  const child = spawn(process.execPath, [bin, ...args, '--data', work], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const text = (async () => {
    let said = ''
    for await (const part of child.stdout) said += part
    return said
  })()
  return { child, ended: once(child, 'exit').then(async ([code]) => ({ code, said: await text })) }
}

let service = await startService(work)
const { projectId } = await service.post('/api/my-project', '{}')
await service.stop()
const db = await openDatabase({ folder: join(work, 'database'), report: console.error })
await sql`INSERT INTO projects (id, name, created_at) VALUES ('quiet', 'quiet', now())`.execute(db)
for (const project of [projectId, 'quiet'])
  for (let from = 0; from < size / 2; from += PORTION) {
    const to = Math.min(size / 2, from + PORTION) - 1
    await sql
      .raw(`INSERT INTO threads (project_id, id, environment, created_at, started_at, last_activity_at, step_count)
      SELECT '${project}', 't' || n / ${STEPS_OF_THREAD}, 'prod', now(), now(), now(), ${STEPS_OF_THREAD}
      FROM generate_series(${from}, ${to}, ${STEPS_OF_THREAD}) n`)
      .execute(db)
    await sql
      .raw(`INSERT INTO steps (project_id, id, thread_id, type, name, start_time, end_time, created_at, input, output, environment, ingested, has_generation)
      SELECT '${project}', md5('s' || n), 't' || n / ${STEPS_OF_THREAD}, 'tool', 'step ' || n % 50, now(), now(), now(),
        json_build_object('content', repeat(md5(n::text), 7)), json_build_object('content', repeat(md5('a' || n), 7)), 'prod', true, false
      FROM generate_series(${from}, ${to}) n`)
      .execute(db)
  }
await refreshStatistics(db)
await db.destroy()
service = await startService(work)
// Otherwise the load would be the work of the service on these rows.
await wait(3000)

const { api } = new StepwellClient({ apiKey: API_KEY, apiUrl: service.url })
const kept = new Set()
const deleted = new Set()
let isOver = false
let longestMs = 0
let slow = 0
const writing = (async () => {
  for (let sent = 0; !isOver; sent++) {
    const id = `new ${sent}`
    const begin = performance.now()
    await api.sendSteps([
      { id, threadId: `new ${sent % 20}`, output: { content: 'x'.repeat(500) } },
    ])
    kept.add(id)
    if (sent % 10 === 9) {
      const other = `new ${sent - 5}`
      await api.deleteStep(other)
      kept.delete(other)
      deleted.add(other)
    }
    const ms = performance.now() - begin
    longestMs = Math.max(longestMs, ms)
    if (ms > 1000) slow++
    await wait(EVERY_MS)
  }
})()
writing.catch((error) => {
  console.error('the client failed:', error)
  process.exit(1)
})
await wait(2000)
const before = { written: kept.size, longestMs: Math.round(longestMs), ...service.usage() }
console.log(`${size} steps; before the move: ${JSON.stringify(before)}`)
longestMs = 0
slow = 0
const moving = ['move', '--to-database', target]
for (let kill = 0; kill < Number(kills); kill++) {
  const { child } = command(...moving)
  await wait(1500 + Math.random() * 4000)
  child.kill('SIGKILL')
}
const began = performance.now()
const { code, said } = await command(...moving).ended
const seconds = (performance.now() - began) / 1000
if (code !== 0) throw new Error(`the move ended with ${code}: ${said}`)
console.log(said.trim())
await wait(2000)
isOver = true
await writing
console.log(
  `${seconds.toFixed(1)} s after ${kills} kills; the longest request of the client ${Math.round(longestMs)} ms, ${slow} over a second; memory of the service at most ${service.usage().peak} MB`,
)
const found = new Set()
for await (const { id } of api.getSteps.all({
  first: 100,
  filters: [{ field: 'name', operator: 'is', value: null }],
}))
  found.add(id)
const lost = [...kept].filter((id) => !found.has(id))
const back = [...deleted].filter((id) => found.has(id))
await service.stop()

const archive = async (...place) => {
  const path = join(work, `archive-${place.length}.tar`)
  const { code: status } = await command(
    'export',
    '--project',
    'quiet',
    '--quiet',
    '--out',
    path,
    ...place,
  ).ended
  if (status !== 0) throw new Error('the export failed')
  return createHash('sha256').update(readFileSync(path)).digest('hex')
}
const hashes = [await archive(), await archive('--database', target)]
console.log(`archives of the quiet project: ${hashes.join(', ')}`)
console.log(
  `${kept.size} steps kept, ${lost.length} lost; ${deleted.size} deleted, ${back.length} back`,
)
if (lost.length > 0 || back.length > 0 || hashes[0] !== hashes[1]) process.exitCode = 1
rmSync(work, { recursive: true, force: true })
process.exit()
