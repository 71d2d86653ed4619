// Kills a recording process at random moments, with the spool on: `node bench/kills.js [RUNS]`. After each kill the
// next process delivers the rest to the real service. Each step must be stored once or be declared lost, the account
// must balance, and steps of turns of the event loop that had ended must be stored. Needs a build: `npm run build`.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { StepwellClient } from '../dist/esm/src/index.js'
import { createService, listen } from '../server/dist/src/index.js'

const runs = Number(process.argv[2] ?? 1000)
const folder = mkdtempSync(join(tmpdir(), 'stepwell-kills-'))
const service = await createService({ apiKey: 'k' })
const { url, stop } = await listen(service, '127.0.0.1', 0)
const program = fileURLToPath(new URL('./kills-program.js', import.meta.url))
const reader = new StepwellClient({ apiKey: 'k', apiUrl: url, flushAtExit: false })
const fault = (message) => {
  console.error(message)
  process.exitCode = 1
}

let steps = 0
let late = 0
let lost = 0
for (let run = 0; run < runs; run++) {
  // In every other run the service is unreachable at first, so that more is left behind.
  const child = spawn(
    process.execPath,
    [program, run % 2 === 0 ? url : 'http://127.0.0.1:9', folder],
    {
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  )
  let said = ''
  child.stdout.on('data', (text) => {
    said += text
  })
  while (said.split('\n').length < 3) await new Promise((resolve) => setTimeout(resolve, 1))
  await new Promise((resolve) => setTimeout(resolve, Math.random() * 60))
  child.kill('SIGKILL')
  await once(child, 'close')
  // The last line may be cut off.
  const [sessionId = '', count = '0'] = said.split('\n').slice(0, -1).at(-1)?.split(' ') ?? []

  const next = new StepwellClient({ apiKey: 'k', apiUrl: url, spool: folder, flushAtExit: false })
  await new Promise((resolve) => setImmediate(resolve))
  const { recorded, delivered, pending, dropped } = await next.flush()
  if (delivered + pending + dropped !== recorded || pending > 0)
    fault(`run ${run}: the account does not balance: ${JSON.stringify(next.stats())}`)
  await next.close()
  const session = await reader.api.getSession(sessionId)
  const declared = session.losses.reduce((sum, { from, to }) => sum + to - from + 1, 0)
  if (session.missing !== declared || session.endedAt === null)
    fault(
      `run ${run}: ${session.missing} missing, ${declared} declared lost, ended ${session.endedAt}`,
    )
  if (session.received < Number(count))
    fault(`run ${run}: ${session.received} of ${count} steps of turns that had ended`)
  const ids = new Set()
  for await (const step of reader.api.getSteps.all({
    filters: [{ field: 'name', operator: 'eq', value: sessionId }],
  }))
    ids.add(step.id)
  if (ids.size !== session.received)
    fault(`run ${run}: ${ids.size} steps stored, ${session.received} received`)
  steps += session.received
  late += recorded
  lost += declared
  if ((run + 1) % 100 === 0)
    console.log(
      `${run + 1} kills, ${steps} steps, ${late} of them delivered by the next process, ${lost} lost`,
    )
}
console.log(
  `${runs} kills: ${steps} steps stored once each, ${late} of them delivered by the next process, ${lost} declared lost`,
)
await stop()
await service.close()
rmSync(folder, { recursive: true, force: true })
process.exit()
