// Memory and time of exports as they grow, over HTTP, from a PostgreSQL server whose user may create databases:
//
//   npm run build && node bench/exports.js postgres://… [SIZE]
//
// SIZE is a number of steps of 0.3 kB; 1,000,000 without one. Each export is read whole, at a client's full speed, and
// then one by a client that pauses. The memory is the most that the service's process ever had.
import { mkdtempSync, rmSync } from 'node:fs'
import { get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { openDatabase } from '../server/dist/src/database/database.js'
import { refreshStatistics } from '../server/dist/src/database/statistics.js'
import { freshDatabase } from './databases.js'
import { API_KEY, startService } from './service.js'

const [server, given = '1,000,000'] = process.argv.slice(2)
const size = Number(given.replaceAll(',', ''))
const PORTION = 50_000
const work = mkdtempSync(join(tmpdir(), 'stepwell-bench-'))
const url = await freshDatabase(server, 'stepwell_exports')
const service = await startService(work, url)
const { projectId } = await service.post('/api/my-project', '{}')

const db = await openDatabase({ url, statementTimeoutMs: 0, report: console.error })
for (let from = 0; from < size; from += PORTION) {
  const at = `timestamptz '2026-01-01' + n * interval '10 milliseconds'`
  await sql
    .raw(`INSERT INTO steps (project_id, id, type, name, start_time, end_time, created_at, input, output, tags, environment, ingested, has_generation)
    SELECT '${projectId}', md5('s' || n), 'tool', '=step ' || n % 50, ${at}, ${at}, ${at},
      json_build_object('content', md5(n::text)), json_build_object('content', md5('a' || n)), ARRAY['tag ' || n % 100], 'prod', true, false
    FROM generate_series(${from}, ${Math.min(size, from + PORTION) - 1}) n`)
    .execute(db)
}
await refreshStatistics(db)
await db.destroy()

/** Reads an export to its end; `pauseMs` after each megabyte. */
const read = (path, pauseMs = 0) =>
  new Promise((resolve, reject) => {
    const began = performance.now()
    get(`${service.url}/api/export/${path}`, { headers: { 'x-api-key': API_KEY } }, (response) => {
      let bytes = 0
      let lines = 0
      let paused = 0
      response.on('data', (part) => {
        bytes += part.length
        for (const byte of part) if (byte === 10) lines++
        if (pauseMs === 0 || bytes < (paused + 1) * 1e6) return
        paused++
        response.pause()
        setTimeout(() => response.resume(), pauseMs)
      })
      response.on('error', reject)
      response.on('end', () => {
        const seconds = (performance.now() - began) / 1000
        resolve({ lines, MB: Math.round(bytes / 1e6), seconds: Number(seconds.toFixed(1)) })
      })
    }).on('error', reject)
  })

const table = []
const measure = async (name, path, pauseMs) =>
  table.push({ name, ...(await read(path, pauseMs)), 'most memory, MB': service.usage().peak })
await measure('a hundredth, CSV', `steps.csv?limit=${size / 100}`)
await measure('a tenth, CSV', `steps.csv?limit=${size / 10}`)
await measure('all, CSV', 'steps.csv')
await measure('all, JSONL', 'steps.jsonl')
await measure('a tenth, JSONL, slowly', `steps.jsonl?limit=${size / 10}`, 100)
console.table(table)
await service.stop()
rmSync(work, { recursive: true })
