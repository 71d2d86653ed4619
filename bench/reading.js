// Durations of reads as the tables grow, over HTTP, one after another, at each size in turns:
//
//   npm run build && node bench/reading.js postgres://… [SIZE…]      # a server, whose user may create databases
//   npm run build && node bench/reading.js embedded [SIZE…]
//
// SIZE is a number of steps of 2 kB, 25 of them in a thread; 10,000, 1,000,000 and 5,000,000 without any (embedded: up
// to 200,000). The databases of a server stay, and are filled again only where they are not full.
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import pg from 'pg'
import { openDatabase } from '../server/dist/src/database/database.js'
import { refreshStatistics } from '../server/dist/src/database/statistics.js'
import { startService } from './service.js'
import { sizesOf } from './sizes.js'

const [server, ...given] = process.argv.slice(2)
const isEmbedded = server === 'embedded'
const sizes = sizesOf(given, isEmbedded ? [10_000, 200_000] : [10_000, 1_000_000, 5_000_000])
const ROUNDS = 300
const PORTION = 20_000
const work = mkdtempSync(join(tmpdir(), 'stepwell-bench-'))

const place = async (size) => {
  if (isEmbedded) return { folder: join(work, `${size}`, 'database') }
  const name = `stepwell_reading_${size}`
  const client = new pg.Client({ connectionString: server })
  await client.connect()
  const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [name])
  if (rowCount === 0) await client.query(`CREATE DATABASE ${name}`)
  await client.end()
  const url = Object.assign(new URL(server), { pathname: name }).href
  return { url, statementTimeoutMs: 0, report: console.error }
}

const start = async (size, { url }) => {
  const { post, stop } = await startService(join(work, `${size}`), url)
  return { post: (path, body) => post(path, JSON.stringify(body)), stop }
}

/** Returns texts that compress by half, as those of models do. Ids are in no order, as in practice. */
const text = (n) =>
  `repeat(md5(${n}::text) || md5('a' || (${n})::text) || md5('b' || (${n})::text) || ' of the order', 9)`
const fill = async (location, projectId, size) => {
  const db = await openDatabase(location)
  const { rows } = await sql`SELECT count(*)::int AS count FROM steps`.execute(db)
  for (let from = rows[0].count; from < size; from += PORTION) {
    const to = Math.min(size, from + PORTION)
    const at = `timestamptz '2026-01-01' + n * interval '10 milliseconds'`
    await sql
      .raw(`INSERT INTO threads (project_id, id, name, created_at, environment, token_count, duration)
      SELECT '${projectId}', md5('t' || n), 'thread ' || n, timestamptz '2026-01-01' + n * interval '250 milliseconds', 'prod', n % 5000, n % 600
      FROM generate_series(${from / 25}, ${to / 25 - 1}) n ON CONFLICT DO NOTHING`)
      .execute(db)
    await sql
      .raw(`INSERT INTO steps (project_id, id, thread_id, type, name, start_time, end_time, created_at, input, output, tags,
        environment, ingested, has_generation, gen_model, gen_token_count, gen_duration)
      SELECT '${projectId}', md5('s' || n), md5('t' || n / 25), CASE WHEN n % 5 = 0 THEN 'llm' ELSE 'tool' END, 'step ' || n % 50, ${at}, ${at}, ${at},
        json_build_object('content', ${text('n')}), json_build_object('content', ${text('(-n)')}), ARRAY['tag ' || n % 100],
        'prod', true, n % 5 = 0, CASE WHEN n % 5 = 0 THEN 'model ' || n % 7 END, n % 4000, n % 90
      FROM generate_series(${from}, ${to - 1}) n`)
      .execute(db)
    if (to % 500_000 === 0)
      console.error(`  ${to.toLocaleString('en')} of ${size.toLocaleString('en')}`)
  }
  await refreshStatistics(db)
  await db.destroy()
}

const NODE = 'id name type threadId input output createdAt'
const page = (list, args, node = NODE) => ({
  query: `{ ${list}(first: 50 ${args}) { pageInfo { endCursor } edges { node { ${node} } } } }`,
})
const random = (below) => Math.floor(Math.random() * below)

const services = []
for (const size of sizes) {
  const location = await place(size)
  const first = await start(size, location)
  const { projectId } = await first.post('/api/my-project', {})
  if (isEmbedded) await first.stop()
  await fill(location, projectId, size)
  const service = isEmbedded ? await start(size, location) : first
  const middle = new Date(Date.parse('2026-01-01T00:00:00Z') + (size / 2) * 10).toISOString()
  const cursor = Buffer.from(JSON.stringify(['createdAt', middle, ''])).toString('base64url')
  services.push({ size, cursor, ...service })
}

/** Reads by name: a request at a size. */
const READS = {
  'newest 50 steps': () => page('steps', ''),
  '50 steps in the middle': ({ cursor }) => page('steps', `after: "${cursor}"`),
  '50 steps of a name': () =>
    page('steps', `filters: [{ field: "name", operator: "eq", value: "step ${random(50)}" }]`),
  '50 steps with a tag': () =>
    page('steps', `filters: [{ field: "tags", operator: "in", value: ["tag ${random(100)}"] }]`),
  '50 generations by tokens': () =>
    page(
      'generations',
      'orderBy: { column: "tokenCount", direction: DESC }',
      'id model tokenCount',
    ),
  '50 threads with a step of a name': () =>
    page(
      'threads',
      `filters: [{ field: "stepName", operator: "eq", value: "step ${random(50)}" }]`,
      'id name tokenCount',
    ),
  'a thread of 25 steps': ({ size }) => ({
    query:
      'query ($id: String!) { threadDetail(id: $id) { id steps { id name input output generation { model } } } }',
    hash: `t${random(size / 25)}`,
  }),
  'a step': ({ size }) => ({
    query: `query ($id: String!) { step(id: $id) { ${NODE} } }`,
    hash: `s${random(size)}`,
  }),
}

const quantile = (times, share) => times.toSorted((a, b) => a - b)[Math.floor(times.length * share)]
console.log(
  `${isEmbedded ? 'embedded' : 'PostgreSQL'}, milliseconds over HTTP, p50 and p99 of ${ROUNDS}, in turns:`,
)
const heading = sizes.map((size) => size.toLocaleString('en').padStart(17)).join('')
console.log(`${''.padEnd(34)}${heading}   last to first, p50`)
for (const [name, make] of Object.entries(READS)) {
  const times = new Map(services.map(({ size }) => [size, []]))
  for (let round = -20; round < ROUNDS; round++)
    for (const service of services) {
      const { query, hash } = make(service)
      const variables =
        hash === undefined ? {} : { id: createHash('md5').update(hash).digest('hex') }
      const begin = performance.now()
      await service.post('/api/graphql', { query, variables })
      if (round >= 0) times.get(service.size).push(performance.now() - begin)
    }
  const shown = [...times.values()].map((list) =>
    `${quantile(list, 0.5).toFixed(1)} / ${quantile(list, 0.99).toFixed(1)}`.padStart(17),
  )
  const ratio = quantile(times.get(sizes.at(-1)), 0.5) / quantile(times.get(sizes[0]), 0.5)
  console.log(`${name.padEnd(34)}${shown.join('')}   ${ratio.toFixed(2)}`)
}
for (const { stop } of services) await stop()
rmSync(work, { recursive: true, force: true })
