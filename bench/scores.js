// The cost of scores that come with steps, in each way in which they can come; the time of as many bare steps is 1.
//
//   npm run build && node bench/scores.js                  # the embedded database
//   npm run build && node bench/scores.js postgres://…     # a server, whose user may create databases
//
// Beside the time, the longest wait of a request for /healthz during it: how long the event loop was held.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freshDatabase } from './databases.js'
import { startService } from './service.js'

const server = process.argv[2] || undefined
const ROUNDS = Number(process.argv[3] ?? 5)
/** Numbers of the measures to run, if not all: an older version takes minutes for some. */
const CHOSEN = process.argv[4]?.split(',').map(Number)
const work = mkdtempSync(join(tmpdir(), 'stepwell-bench-'))
const service = await startService(
  join(work, 'data'),
  server && (await freshDatabase(server, 'stepwell_bench_scores')),
)

let count = 0
const step = (scores) => ({
  id: `step-${count++}`,
  threadId: `thread-${Math.floor(count / 25)}`,
  type: 'run',
  name: 'agent',
  ...(scores > 0
    ? {
        scores: Array.from({ length: scores }, (_, n) => ({
          name: n === 0 ? 'quality' : `quality-${n}`,
          type: 'CODE',
          value: 1,
        })),
      }
    : {}),
})
const times = (number, make) => Array.from({ length: number }, () => make())

const INGEST = 'mutation ($steps: [StepInput!]!) { ingestSteps(steps: $steps) { ok message } }'
const batch = (steps) => [JSON.stringify({ query: INGEST, variables: { steps } })]

/** As released clients write it: a field and its variables for each step. */
const aliased = (steps) => {
  const types = { id: 'String!', threadId: 'String', type: 'StepType', name: 'String' }
  const variables = {}
  const definitions = []
  const fields = steps.map(({ scores, ...members }, n) => {
    const given = Object.entries({ ...members, ...(scores === undefined ? {} : { scores }) })
    for (const [name, value] of given) {
      variables[`${name}_${n}`] = value
      definitions.push(`$${name}_${n}: ${types[name] ?? '[ScorePayloadInput!]'}`)
    }
    return `s${n}: ingestStep(${given.map(([name]) => `${name}: $${name}_${n}`).join(', ')}) { ok }`
  })
  return [JSON.stringify({ query: `mutation (${definitions}) { ${fields.join(' ')} }`, variables })]
}

/** A request for each step. */
const single = (steps) => steps.flatMap((one) => batch([one]))

const created = (scores) => [
  JSON.stringify({
    query: 'mutation ($scores: [ScoreInput!]!) { createScores(scores: $scores) { scores { id } } }',
    variables: {
      scores: Array.from({ length: scores }, () => ({
        stepId: `step-${count++}`,
        name: 'quality',
        type: 'CODE',
        value: 1,
      })),
    },
  }),
]

/** The measures, and the base of each. They create new requests at each call. */
const MEASURES = [
  ['ingestSteps, 2,000 steps', () => batch(times(2000, () => step(0)))],
  ['  of one score each', () => batch(times(2000, () => step(1))), 0],
  ['  4,000 of one score each', () => batch(times(4000, () => step(1))), 1],
  ['  one step of 4,000 scores', () => batch([step(4000)]), 0],
  ['  one step of 8,000 scores', () => batch([step(8000)]), 3],
  ['500 steps, each by itself, 20 at once', () => single(times(500, () => step(0)))],
  ['  of one score each', () => single(times(500, () => step(1))), 5],
  ['2,000 aliased ingestStep', () => aliased(times(2000, () => step(0)))],
  ['  of one score each', () => aliased(times(2000, () => step(1))), 7],
  ['  one of 8,000 scores', () => aliased([step(8000)]), 7],
  ['createScores, 2,000 of as many steps', () => created(2000), 0],
  ['  8,000', () => created(8000), 10],
]

const AT_ONCE = 20
const send = async (bodies) => {
  const lanes = Array.from({ length: AT_ONCE }, async () => {
    for (let body = bodies.pop(); body !== undefined; body = bodies.pop())
      await service.post('/api/graphql', body, { connection: 'close' })
  })
  await Promise.all(lanes)
}

/** Returns the longest time that the service did not react while something ran. */
const deafness = async (run) => {
  let longest = 0
  let isOver = false
  const watch = (async () => {
    while (!isOver) {
      const begin = performance.now()
      await service.get('/healthz')
      longest = Math.max(longest, performance.now() - begin)
      await new Promise((resolve) => setTimeout(resolve, 2))
    }
  })()
  await run()
  isOver = true
  await watch
  return longest
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]
const results = MEASURES.map(() => ({ ms: [], cpu: [], held: [] }))
for (let round = 0; round <= ROUNDS; round++)
  for (const [index, [, make]] of MEASURES.entries()) {
    if (CHOSEN !== undefined && !CHOSEN.includes(index)) continue
    const bodies = make()
    const before = service.usage().cpu
    let ms = 0
    const held = await deafness(async () => {
      const begin = performance.now()
      // A service that held its loop for too long has dropped the connection.
      const hasFailed = await send(bodies).then(
        () => false,
        () => true,
      )
      ms = hasFailed ? Number.POSITIVE_INFINITY : performance.now() - begin
    })
    if (round === 0) continue
    results[index].ms.push(ms)
    results[index].cpu.push(service.usage().cpu - before)
    results[index].held.push(held)
  }
console.log(`${server ? 'PostgreSQL' : 'embedded'}, medians of ${ROUNDS} rounds in turns:`)
for (const [index, [name, , base]] of MEASURES.entries()) {
  if (results[index].ms.length === 0) continue
  const ms = median(results[index].ms)
  const ratio =
    base === undefined || results[base].ms.length === 0
      ? ''
      : `${(ms / median(results[base].ms)).toFixed(2)} of ${MEASURES[base][0].trim()}`
  console.log(
    `  ${name.padEnd(40)} ${ms.toFixed(0).padStart(6)} ms, ${median(results[index].cpu).toFixed(0).padStart(6)} of CPU, deaf for ${median(results[index].held).toFixed(0).padStart(5)} at most   ${ratio}`,
  )
}
await service.stop()
rmSync(work, { recursive: true, force: true })
