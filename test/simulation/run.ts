// Runs the simulator: `node scripts/run.js test/simulation/run.ts [--schedules N] [--seed N]`. A single seed is
// replayed and, if it fails, shrunk.
import { parseArgs } from 'node:util'
import { newSchedule } from './schedule.js'
import { failureOf, shrunk } from './shrink.js'

const { values } = parseArgs({
  options: {
    schedules: { type: 'string', default: '1000' },
    from: { type: 'string', default: '1' },
    seed: { type: 'string' },
  },
})

const report = async (seed: number, failure: string): Promise<void> => {
  console.log(`seed ${seed}: ${failure}`)
  const smallest = await shrunk(newSchedule(seed))
  console.log(`shrunk to ${smallest.schedule.actions.length} actions: ${smallest.failure}`)
  console.log(JSON.stringify(smallest.schedule, undefined, 1))
  console.log(`replay: node scripts/run.js test/simulation/run.ts --seed ${seed}`)
}

const from = Number(values.seed ?? values.from)
// Simulated failures need no stack, and each costs as much as an event. A single seed is replayed with them.
if (values.seed === undefined) Error.stackTraceLimit = 0
const count = values.seed === undefined ? Number(values.schedules) : 1
const begin = performance.now()
let failed = 0
for (let seed = from; seed < from + count; seed++) {
  const failure = await failureOf(newSchedule(seed))
  if (failure === undefined) continue
  failed++
  await report(seed, failure)
  if (failed >= 3) break
}
const seconds = ((performance.now() - begin) / 1000).toFixed(1)
console.log(`${count - failed} passed, ${failed} failed`)
console.log(`simulation: ${count} schedules from seed ${from} in ${seconds} s`)
process.exitCode = failed === 0 ? 0 : 1
