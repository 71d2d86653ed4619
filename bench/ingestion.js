// Steps per second into the service, as a separate process over HTTP, against the upper limit: one multi-row upsert per
// batch by the same driver into the same tables and indexes, as rows of VALUES with a parameter for each value, the
// fastest form, or from one text of JSON; and COPY, which cannot merge.
//
//   npm run build && node bench/ingestion.js                  # the embedded database
//   npm run build && node bench/ingestion.js postgres://…     # a server, whose user may create databases
//
// 8 clients send batches of 100 steps of 2 kB, in turns, all of which are created before the clock runs.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import { PGlite } from '@electric-sql/pglite'
import pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { openDatabase } from '../server/dist/src/database/database.js'
import { freshDatabase } from './databases.js'
import { startService } from './service.js'

const server = process.argv[2]
const CLIENTS = 8
const BATCH = 100
/** Batches of each client in a round. */
const BATCHES = 12
const ROUNDS = 7
const STEPS = CLIENTS * BATCH * BATCHES
const work = mkdtempSync(join(tmpdir(), 'stepwell-bench-'))

const step = (id, threadId) => ({
  id,
  threadId,
  type: 'tool',
  name: 'look_up_order',
  startTime: '2026-01-01T10:00:00.000Z',
  endTime: '2026-01-01T10:00:01.500Z',
  input: { content: 'Where is my order? '.repeat(50) },
  output: { content: 'It was shipped yest. '.repeat(45) },
  metadata: { attempt: 1 },
  tags: ['bench'],
})

const COLUMNS = `project_id, id, thread_id, type, name, start_time, end_time, created_at, input, output, metadata, tags,
  environment, ingested, has_generation`
const MERGE = `
ON CONFLICT (project_id, id) DO UPDATE SET thread_id = excluded.thread_id, type = excluded.type, name = excluded.name,
  start_time = excluded.start_time, end_time = excluded.end_time, input = excluded.input, output = excluded.output,
  metadata = excluded.metadata, tags = excluded.tags`
const FROM_JSON = `
INSERT INTO steps (${COLUMNS})
SELECT 'p', r.id, r."threadId", r.type, r.name, r."startTime", r."endTime", now(), r.input, r.output, r.metadata,
  ARRAY(SELECT json_array_elements_text(r.tags)), 'prod', true, false
FROM json_to_recordset($1::json) AS r (id text, "threadId" text, type text, name text, "startTime" timestamptz,
  "endTime" timestamptz, input json, output json, metadata json, tags json) ${MERGE}`

/** The values of a step that are parameters, in the order of the columns. */
const cellsOf = ({
  id,
  threadId,
  type,
  name,
  startTime,
  endTime,
  input,
  output,
  metadata,
  tags,
}) => [
  ...[id, threadId, type, name, startTime, endTime],
  ...[JSON.stringify(input), JSON.stringify(output), JSON.stringify(metadata), `{${tags}}`],
]
const FROM_VALUES = `
INSERT INTO steps (${COLUMNS}) VALUES ${Array.from({ length: BATCH }, (_, row) => {
  const cells = Array.from({ length: 10 }, (_, index) => `$${10 * row + index + 1}`)
  return `('p', ${cells.slice(0, 6)}, now(), ${cells.slice(6)}, 'prod', true, false)`
})} ${MERGE}`
const UPSERTS = {
  'upsert of VALUES': { text: FROM_VALUES, encode: (steps) => steps.flatMap(cellsOf) },
  'upsert from JSON': { text: FROM_JSON, encode: (steps) => [JSON.stringify(steps)] },
}
const COPY_INTO = `COPY steps (${COLUMNS})`
const copied = (one) =>
  `p\t${one.id}\t${one.threadId}\t${one.type}\t${one.name}\t${one.startTime}\t${one.endTime}\t${one.endTime}\t${JSON.stringify(one.input)}\t${JSON.stringify(one.output)}\t${JSON.stringify(one.metadata)}\t{bench}\tprod\tt\tf\n`

const DOCUMENT =
  'mutation Ingest($steps: [StepInput!]!) { ingestSteps(steps: $steps) { ok message refused { id code message } } }'

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]

/** Runs all clients at once, each with its batches one after another. */
const each = (batches, write) =>
  Promise.all(
    batches.map(async (own) => {
      for (const batch of own) await write(batch)
    }),
  )

const prepared = (kind, round, encode) =>
  Array.from({ length: CLIENTS }, (_, client) =>
    Array.from({ length: BATCHES }, (_, batch) => {
      const place = `${kind}-${round}-${client}-${batch}`
      return encode(
        Array.from({ length: BATCH }, (_, index) =>
          step(`${place}-${index}`, `${place}-${Math.floor(index / 25)}`),
        ),
      )
    }),
  )

const ways = {}
const ends = []
if (server === undefined) {
  await (await openDatabase({ folder: join(work, 'bare') })).destroy()
  const bare = new PGlite(join(work, 'bare'))
  ends.push(() => bare.close())
  for (const [name, { text, encode }] of Object.entries(UPSERTS))
    ways[name] = { encode, write: (values) => bare.query(text, values) }
  ways.COPY = {
    encode: (steps) => new Blob([steps.map(copied).join('')]),
    write: (blob) => bare.query(`${COPY_INTO} FROM '/dev/blob'`, [], { blob }),
  }
} else {
  const url = await freshDatabase(server, 'stepwell_bench_bare')
  await (await openDatabase({ url, statementTimeoutMs: 0, report: console.error })).destroy()
  const pool = new pg.Pool({ connectionString: url, max: CLIENTS })
  ends.push(() => pool.end())
  for (const [name, { text, encode }] of Object.entries(UPSERTS))
    ways[name] = { encode, write: (values) => pool.query({ name, text, values }) }
  ways.COPY = {
    encode: (steps) => steps.map(copied).join(''),
    write: async (batch) => {
      const client = await pool.connect()
      const stream = client.query(copyFrom(`${COPY_INTO} FROM STDIN`))
      stream.end(batch)
      await finished(stream)
      client.release()
    },
  }
}
const service = await startService(
  join(work, 'service'),
  server && (await freshDatabase(server, 'stepwell_bench')),
)
ends.push(service.stop)
const rest = service.usage()
ways.service = {
  encode: (steps) => Buffer.from(JSON.stringify({ query: DOCUMENT, variables: { steps } })),
  write: async (body) => {
    const { data } = await service.post('/api/graphql', body)
    if (!data.ingestSteps.ok) throw new Error(JSON.stringify(data))
  },
}

const times = Object.fromEntries(Object.keys(ways).map((name) => [name, []]))
let cpu = 0
for (let round = 0; round <= ROUNDS; round++)
  for (const [name, { encode, write }] of Object.entries(ways)) {
    const batches = prepared(name, round, encode)
    const before = service.usage().cpu
    const begin = performance.now()
    await each(batches, write)
    if (round > 0) times[name].push(performance.now() - begin)
    if (round > 0 && name === 'service') cpu += service.usage().cpu - before
  }
const rate = (name) => (STEPS * 1000) / median(times[name])
console.log(
  `${CLIENTS} clients, batches of ${BATCH} steps of 2 kB, ${ROUNDS} rounds of ${STEPS} in turns, medians, ${server ? 'PostgreSQL' : 'embedded'}:`,
)
for (const name of Object.keys(ways))
  console.log(
    `  ${name.padEnd(20)} ${Math.round(rate(name)).toLocaleString('en').padStart(7)} steps/s   service to it ${(rate('service') / rate(name)).toFixed(2)}`,
  )
console.log(
  `  CPU of the service's process: ${((cpu / (ROUNDS * STEPS)) * 1000).toFixed(0)} ms per 1,000 steps`,
)
console.log(`  memory: ${rest.now} MB at rest, ${service.usage().peak} MB at most`)
for (const end of ends) await end()
rmSync(work, { recursive: true, force: true })
