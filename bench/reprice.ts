// Prices a million stored calls anew while others record, and compares the totals with a plain recomputation:
//   node scripts/run.js bench/reprice.ts postgres://user@host/database [CALLS]
// The database has to be empty.
import pg from 'pg'
import { createService } from '../server/src/index.js'

const [url = '', given = '1000000'] = process.argv.slice(2)
const calls = Number(given)
const service = await createService({ databaseUrl: url })
const { apiKey, projectId } = await service.createProject(`reprice ${Date.now()}`)
const client = new pg.Client({ connectionString: url })
await client.connect()

const ask = async (query: string, variables: object = {}) => {
  const response = await service.fetch('http://stepwell.bench/api/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
    body: JSON.stringify({ query, variables }),
  })
  const { data, errors } = (await response.json()) as { data: never; errors?: unknown }
  if (errors !== undefined) throw new Error(JSON.stringify(errors))
  return data
}
const say = (text: string) => process.stdout.write(`${text}\n`)
const seconds = (since: number) => `${((performance.now() - since) / 1000).toFixed(1)} s`

const INPUT = '1000 + i % 977'
const OUTPUT = '100 + i % 131'
let began = performance.now()
await client.query(
  `INSERT INTO threads (project_id, id, created_at, stale, environment)
   SELECT $1, 't' || i, now(), true, 'prod' FROM generate_series(0, $2::int / 100) AS i`,
  [projectId, calls],
)
await client.query(
  `INSERT INTO steps (project_id, id, thread_id, type, created_at, start_time, ingested, has_generation, environment,
     gen_model, gen_provider, gen_usage, gen_token_count, gen_cost_revision)
   SELECT $1, 's' || i, 't' || i / 100, 'llm', now(), '2025-05-01', true, true, 'prod', 'gpt-4o', 'openai',
     json_build_object('input', ${INPUT}, 'output', ${OUTPUT}, 'total', ${INPUT} + ${OUTPUT}), ${INPUT} + ${OUTPUT}, 1
   FROM generate_series(0, $2::int - 1) AS i`,
  [projectId, calls],
)
await client.query('ANALYZE steps')
say(`${calls} calls stored in ${seconds(began)}`)

const SET = 'mutation ($prices: [PriceInput!]!) { setPrices(prices: $prices) { id } }'
await ask(SET, { prices: [{ model: 'gpt-4o', rates: { input: 3.125, output: 12.5 } }] })
began = performance.now()
await ask('mutation { reprice { total } }')

let recorded = 0
let slowest = 0
const BATCH = 100
const record = async () => {
  const steps = Array.from({ length: BATCH }, (_, index) => ({
    id: `new ${recorded + index}`,
    threadId: `t${(recorded + index) % (calls / 100)}`,
    type: 'llm',
    startTime: '2025-05-01T00:00:00.000Z',
    generation: { model: 'gpt-4o', provider: 'openai', usage: { input: 1000, output: 100 } },
  }))
  const start = performance.now()
  await ask('mutation ($steps: [StepInput!]!) { ingestSteps(steps: $steps) { ok } }', { steps })
  slowest = Math.max(slowest, performance.now() - start)
  recorded += BATCH
}
const REPRICING = 'query { repricing { total done endedAt } }'
for (let shown = 0; ; ) {
  await record()
  const { repricing } = (await ask(REPRICING)) as {
    repricing: { total: number; done: number; endedAt: string | null }
  }
  if (repricing.done - shown >= 100_000) {
    shown = repricing.done
    say(`${shown} of ${repricing.total} after ${seconds(began)}, ${recorded} recorded`)
  }
  if (repricing.endedAt !== null) break
}
say(
  `priced anew in ${seconds(began)}; ${recorded} recorded meanwhile, slowest batch ${slowest.toFixed(0)} ms`,
)

const { rows } = await client.query(
  `SELECT sum(gen_cost)::text AS stored,
     sum((gen_usage ->> 'input')::numeric * 3125000 + (gen_usage ->> 'output')::numeric * 12500000)::text AS plain,
     count(*)::int AS count, count(*) FILTER (WHERE gen_cost_source <> 'PROJECT')::int AS others
   FROM steps WHERE project_id = $1`,
  [projectId],
)
const [{ stored, plain, count, others }] = rows
say(`${count} calls: stored ${stored}, plain ${plain} picodollars, ${others} with other prices`)
began = performance.now()
const { metrics } = (await ask(
  `query ($from: DateTime!, $to: DateTime!) { metrics(subject: threads, from: $from, to: $to, buckets: 1) {
    series { total { cost unpricedCount } } } }`,
  {
    from: new Date(Date.now() - 86_400_000).toISOString(),
    to: new Date(Date.now() + 86_400_000).toISOString(),
  },
).catch((error) => ({ metrics: { series: [{ total: String(error) }] } }))) as {
  metrics: { series: { total: unknown }[] }
}
say(`threads in ${seconds(began)}: ${JSON.stringify(metrics.series[0]?.total)}`)
await client.end()
await service.close()
process.exitCode = stored === plain && others === 0 ? 0 : 1
