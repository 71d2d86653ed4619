// Compares a synchronous getStep with the asynchronous one, against the same service in a separate process, in turns:
// `npm run build && node bench/synchronous.js`. Prints medians, and their ratio.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { StepwellClient } from '../dist/esm/src/index.js'
import { StepwellClient as SyncClient } from '../dist/esm/src/sync/index.js'

const ROUNDS = 9
const CALLS = 300
const child = spawn(process.execPath, ['test/support/service-program.js', '1'], {
  stdio: ['ignore', 'pipe', 'inherit'],
})
const [line] = await once(createInterface({ input: child.stdout }), 'line')
const { url, apiKeys } = JSON.parse(line)
const options = { apiKey: apiKeys[0], apiUrl: url }
const asynchronous = new StepwellClient(options)
const begin = performance.now()
const synchronous = new SyncClient(options)
synchronous.api.getProjectId()
const first = performance.now() - begin
await asynchronous.api.sendSteps([{ id: 'step', name: 'agent', input: { question: 'why?' } }])

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]
const times = { asynchronous: [], synchronous: [] }
for (let round = 0; round <= ROUNDS; round++) {
  let start = performance.now()
  for (let call = 0; call < CALLS; call++) await asynchronous.api.getStep('step')
  const there = (performance.now() - start) / CALLS
  start = performance.now()
  for (let call = 0; call < CALLS; call++) synchronous.api.getStep('step')
  const here = (performance.now() - start) / CALLS
  // The first round warms up.
  if (round === 0) continue
  times.asynchronous.push(there)
  times.synchronous.push(here)
}
const [there, here] = [median(times.asynchronous), median(times.synchronous)]
console.log(
  `getStep: ${there.toFixed(2)} ms asynchronous, ${here.toFixed(2)} ms synchronous, ratio ${(here / there).toFixed(2)}`,
)
console.log(
  `a call more costs ${(here - there).toFixed(2)} ms; the first one, with its thread, took ${first.toFixed(0)} ms`,
)
child.kill()
