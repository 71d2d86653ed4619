// The bytes that a step takes on the disk, with its indexes: steps of about 2 kB, 25 in a thread.
//
//   npm run build && node bench/disk.js [steps] [postgres://…]
//
// The texts are random words, which compress by about as much as prose does.
import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { startService } from './service.js'

const STEPS = Number(process.argv[2] ?? 40_000)
const url = process.argv[3]
const BATCH = 200
const IN_A_THREAD = 25
const QUERY = 'mutation ($steps: [StepInput!]!) { ingestSteps(steps: $steps) { accepted } }'

const some = (list) => list[Math.floor(Math.random() * list.length)]
const words = Array.from({ length: 2000 }, () =>
  randomBytes(4)
    .toString('hex')
    .slice(0, 3 + Math.floor(Math.random() * 6)),
)
const textOf = (characters) => {
  let text = ''
  while (text.length < characters) text += `${some(words)} `
  return text
}

const bytesIn = (folder) =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('pg_wal'))
    .reduce((sum, { parentPath, name }) => {
      const found = statSync(join(parentPath, name), { throwIfNoEntry: false })
      return sum + (found?.blocks ?? 0) * 512
    }, 0)

const ask = async (text) => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query(text)
  await client.end()
  return Number(rows[0].value)
}
const size = (folder) =>
  url === undefined
    ? bytesIn(join(folder, 'database'))
    : ask('SELECT pg_database_size(current_database()) AS value')

const folder = mkdtempSync(join(tmpdir(), 'stepwell-disk-'))
const service = await startService(folder, url)
try {
  const before = await size(folder)
  let threadId
  for (let sent = 0; sent < STEPS; sent += BATCH) {
    const steps = Array.from({ length: BATCH }, (_, index) => {
      if (index % IN_A_THREAD === 0) threadId = randomUUID()
      const startTime = new Date(Date.now() + index)
      return {
        id: randomUUID(),
        threadId,
        type: 'run',
        name: some(['plan', 'search', 'answer']),
        startTime,
        endTime: new Date(startTime.getTime() + 5),
        input: { question: textOf(900) },
        output: { answer: textOf(900) },
        tags: ['prod'],
      }
    })
    await service.post('/api/graphql', JSON.stringify({ query: QUERY, variables: { steps } }))
  }
  // Contents are indexed and metrics measured in the background: the size is right once it stands still.
  let [now, last] = [await size(folder), 0]
  while (now !== last) {
    await new Promise((resolve) => setTimeout(resolve, 5000))
    last = now
    now = await size(folder)
  }
  const each = Math.round((now - before) / STEPS)
  console.log(`${STEPS} steps of 2 kB: ${each} bytes a step on the disk, indexes among them`)
} finally {
  await service.kill()
  rmSync(folder, { recursive: true, force: true })
}
