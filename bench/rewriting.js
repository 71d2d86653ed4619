// Size of the data folder when the same steps are written again and again, and after all are deleted: `npm run build &&
// node bench/rewriting.js [TIMES] [STEPS]`, 200 and 10,000 by default. The folder must stay within three times its size
// after the first time.
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startService } from './service.js'

const [times, steps] = [Number(process.argv[2] ?? 200), Number(process.argv[3] ?? 10_000)]
const BATCH = 500
const SETTLE_MS = 15_000
const work = mkdtempSync(join(tmpdir(), 'stepwell-bench-'))
const service = await startService(work)
const DOCUMENT =
  'mutation Ingest($steps: [StepInput!]!) { ingestSteps(steps: $steps) { ok message } }'

const megabytes = () => {
  let bytes = 0
  for (const entry of readdirSync(work, { recursive: true, withFileTypes: true }))
    bytes += statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.size ?? 0
  return Math.round(bytes / 1e6)
}

const write = async (round) => {
  for (let from = 0; from < steps; from += BATCH) {
    const batch = Array.from({ length: Math.min(BATCH, steps - from) }, (_, index) => ({
      id: `step-${from + index}`,
      threadId: `thread-${Math.floor((from + index) / 25)}`,
      name: `round ${round}`,
      output: { content: `${round} ${from + index} `.repeat(150) },
    }))
    const { data } = await service.post(
      '/api/graphql',
      JSON.stringify({ query: DOCUMENT, variables: { steps: batch } }),
    )
    if (!data.ingestSteps.ok) throw new Error(data.ingestSteps.message)
  }
}

const settle = () => new Promise((resolve) => setTimeout(resolve, SETTLE_MS))

console.log(`empty: ${megabytes()} MB`)
await write(0)
await settle()
const once = megabytes()
let most = once
for (let round = 1; round <= times; round++) {
  const begin = performance.now()
  await write(round)
  most = Math.max(most, megabytes())
  if (round % Math.ceil(times / 10) === 0)
    console.log(
      `${round} times: ${megabytes()} MB, ${Math.round(performance.now() - begin)} ms for the last one`,
    )
}
console.log(
  `written once ${once} MB, at most ${most} MB, ${(most / once).toFixed(2)} times as much`,
)
for (let thread = 0; thread < Math.ceil(steps / 25); thread++)
  await service.post(
    '/api/graphql',
    JSON.stringify({
      query: 'mutation D($id: String!) { deleteThread(id: $id) { id } }',
      variables: { id: `thread-${thread}` },
    }),
  )
await settle()
console.log(`all deleted: ${megabytes()} MB`)
await service.stop()
rmSync(work, { recursive: true, force: true })
process.exitCode = most / once < 3 ? 0 : 1
