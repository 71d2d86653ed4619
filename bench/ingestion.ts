// Steps per second through the SDK's sendSteps into the service, against one multi-row upsert per batch into a database
// of the same kind, with the same tables and indexes: what nobody can be faster than. With the URL of a PostgreSQL server,
// whose user may create databases, 8 clients send batches of 100 there; else one sends batches of 500 into the embedded one.

import { join } from 'node:path'
import { createService } from '@stepwell/server'
import { CompiledQuery } from 'kysely'
import pg from 'pg'
import { StepwellClient } from 'stepwell'
import { openDatabase } from '../server/src/storage/database.js'
import { interleave, step, withFolder } from './support.js'

const server = process.argv[2]
const BATCH = server === undefined ? 500 : 100
const CLIENTS = server === undefined ? 1 : 8
/** Batches of each client. */
const BATCHES = 8
const ROUNDS = 7

/** An empty database on the server. */
const newDatabase = async (name: string): Promise<string> => {
  const client = new pg.Client({ connectionString: server })
  await client.connect()
  await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
  await client.query(`CREATE DATABASE ${name}`)
  await client.end()
  return Object.assign(new URL(server ?? ''), { pathname: name }).href
}

const UPSERT = `
INSERT INTO steps (project_id, id, thread_id, type, name, start_time, end_time, created_at, input, output, metadata,
  tags, environment, ingested, has_generation)
SELECT 'p', r.id, r."threadId", r.type, r.name, r."startTime", r."endTime", now(), r.input, r.output, r.metadata,
  ARRAY(SELECT json_array_elements_text(r.tags)), 'prod', true, false
FROM json_to_recordset($1::json) AS r (id text, "threadId" text, type text, name text, "startTime" timestamptz,
  "endTime" timestamptz, input json, output json, metadata json, tags json)
ON CONFLICT (project_id, id) DO UPDATE SET thread_id = excluded.thread_id, type = excluded.type, name = excluded.name,
  start_time = excluded.start_time, end_time = excluded.end_time, input = excluded.input, output = excluded.output,
  metadata = excluded.metadata, tags = excluded.tags`

await withFolder(async (folder) => {
  const databaseUrl = server === undefined ? undefined : await newDatabase('stepwell_bench')
  const service = await createService({
    apiKey: 'bench',
    dataFolder: join(folder, 'service'),
    databaseUrl,
  })
  const { api } = new StepwellClient({ apiKey: 'bench', fetch: service.fetch })
  const bare = await openDatabase(
    server === undefined
      ? { folder: join(folder, 'bare') }
      : {
          url: await newDatabase('stepwell_bench_bare'),
          statementTimeoutMs: 0,
          report: console.error,
        },
  )
  /** Each client's batches, one after another; the clients at once. */
  const each = (work: (batch: string) => Promise<void>) =>
    Promise.all(
      Array.from({ length: CLIENTS }, async (_, client) => {
        for (let batch = 0; batch < BATCHES; batch++) await work(`${client}-${batch}`)
      }),
    )
  const batchOf = (kind: string, round: number, batch: string) =>
    Array.from({ length: BATCH }, (_, index) => {
      const place = `${kind}-${round}-${batch}`
      return step(`${place}-${index}`, `${place}-${index % 25}`)
    })
  const times = await interleave(ROUNDS, {
    bare: (round) =>
      each(async (batch) => {
        await bare.executeQuery(
          CompiledQuery.raw(UPSERT, [JSON.stringify(batchOf('bare', round, batch))]),
        )
      }),
    sendSteps: (round) =>
      each(async (batch) => {
        const { data } = await api.sendSteps(batchOf('sent', round, batch))
        if (!data.ingestSteps.ok) throw new Error(String(data.ingestSteps.message))
      }),
  })
  const rate = (milliseconds: number) =>
    Math.round((BATCH * BATCHES * CLIENTS * 1000) / milliseconds).toLocaleString('en')
  console.log(
    `${CLIENTS} clients, ${BATCHES} batches each of ${BATCH} steps of 2 kB, ${ROUNDS} rounds in turns, medians:`,
  )
  console.log(`  bare upsert  ${rate(times.bare)} steps/s`)
  console.log(`  sendSteps    ${rate(times.sendSteps)} steps/s`)
  console.log(`  ratio        ${(times.bare / times.sendSteps).toFixed(2)}`)
  await service.close()
  await bare.destroy()
})
