// Measures the processor time that wrappers of the OpenAI client add to a call and to each piece of a stream:
// `node bench/wrappers/run.js`, after a build. Each measurement runs in a separate process, in turns, delivers to a sink
// in another one, and includes what delivery takes. The model answers without a network.
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { startSink } from '../tracing/sink-client.js'

const CLIENTS = ['plain', 'stepwell', 'langsmith', 'braintrust', 'langfuse']
const rounds = Number(process.argv[2] ?? 5)
const program = fileURLToPath(new URL('measure.js', import.meta.url))
const run = promisify(execFile)
const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]

const sink = await startSink()
const results = Object.fromEntries(CLIENTS.map((name) => [name, []]))
for (let round = 0; round < rounds; round++)
  for (const name of CLIENTS) {
    const { stdout } = await run(process.execPath, [program, name, sink.url])
    results[name].push(JSON.parse(stdout.trim().split('\n').at(-1)))
  }
sink.stop()

const of = (name, part) => median(results[name].map((one) => one[part]))
console.log('client      µs a call (added)   µs a piece (added)')
for (const name of CLIENTS) {
  const cell = (part) => {
    const value = of(name, part)
    return `${value.toFixed(1).padStart(8)} (${(value - of('plain', part)).toFixed(1)})`
  }
  console.log(`${name.padEnd(12)}${cell('call').padEnd(20)}${cell('piece')}`)
}
