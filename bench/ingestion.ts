// Steps per second through the SDK's sendSteps into the service, against one multi-row upsert per batch into a database
// of the same kind, with the same tables and indexes: what nobody can be faster than.
import { join } from 'node:path'
import { createService } from '@stepwell/server'
import { CompiledQuery } from 'kysely'
import { StepwellClient } from 'stepwell'
import { openDatabase } from '../server/src/storage/database.js'
import { interleave, step, withFolder } from './support.js'

const BATCH = 500
const BATCHES = 8
const ROUNDS = 7

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
  const service = await createService({ apiKey: 'bench', dataFolder: join(folder, 'service') })
  const { api } = new StepwellClient({ apiKey: 'bench', fetch: service.fetch })
  const bare = await openDatabase({ folder: join(folder, 'bare') })
  const batchOf = (kind: string, round: number, batch: number) =>
    Array.from({ length: BATCH }, (_, index) => {
      const place = `${kind}-${round}-${batch}`
      return step(`${place}-${index}`, `${place}-${index % 25}`)
    })
  const times = await interleave(ROUNDS, {
    bare: async (round) => {
      for (let batch = 0; batch < BATCHES; batch++)
        await bare.executeQuery(
          CompiledQuery.raw(UPSERT, [JSON.stringify(batchOf('bare', round, batch))]),
        )
    },
    sendSteps: async (round) => {
      for (let batch = 0; batch < BATCHES; batch++) {
        const { data } = await api.sendSteps(batchOf('sent', round, batch))
        if (!data.ingestSteps.ok) throw new Error(String(data.ingestSteps.message))
      }
    },
  })
  const rate = (milliseconds: number) =>
    Math.round((BATCH * BATCHES * 1000) / milliseconds).toLocaleString('en')
  console.log(`${BATCHES} batches of ${BATCH} steps of 2 kB, ${ROUNDS} rounds in turns, medians:`)
  console.log(`  bare upsert  ${rate(times.bare)} steps/s`)
  console.log(`  sendSteps    ${rate(times.sendSteps)} steps/s`)
  console.log(`  ratio        ${(times.bare / times.sendSteps).toFixed(2)}`)
  await service.close()
  await bare.destroy()
})
