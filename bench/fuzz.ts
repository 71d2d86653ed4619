// Sends generated requests into the service: documents, variables, bodies, headers, cursors, filters, uploads. Ends with 1
// at a 5xx, a fault, a hang, or data of another project.
//
//   node --expose-gc scripts/run.js bench/fuzz.ts [COUNT] [SEED]
import { fuzz } from '../server/test/support/fuzzed.js'

const count = Number(process.argv[2] ?? 200_000)
const seed = Number(process.argv[3] ?? Math.floor(Math.random() * 2 ** 31))
console.log(`${count.toLocaleString('en')} requests, seed ${seed}`)
const { answers, faults, heap } = await fuzz(seed, count, (done) => {
  if (done % 10_000 === 0) console.log(`  ${done.toLocaleString('en')}`)
})
for (const [answer, times] of [...answers].sort())
  console.log(`  ${answer.padEnd(20)} ${times.toLocaleString('en').padStart(9)}`)
const megabytes = (bytes: number | undefined) => Math.round((bytes ?? 0) / 1e6)
const quarter = heap[Math.floor(heap.length / 4)]
console.log(
  `heap: ${megabytes(quarter)} MB after a quarter, ${megabytes(heap.at(-1))} MB at the end`,
)
console.log(`${faults.length} faults`)
for (const fault of faults.slice(0, 10)) console.log(fault)
process.exit(faults.length === 0 ? 0 : 1)
