// Records steps without pause, until it is killed: `node kills-program.js URL SPOOL`. Prints their number after each
// turn of the event loop.
import { writeSync } from 'node:fs'
import { Tracer } from '../dist/esm/src/tracing/spool.js'

const [apiUrl, spool] = process.argv.slice(2)
const stepwell = new Tracer({ apiKey: 'k', apiUrl, spool, delivery: { flushIntervalMs: 10 } })
const { sessionId } = stepwell.stats()
let count = 0
setInterval(() => {
  for (let index = 0; index < 5; index++)
    stepwell.trace({ name: sessionId, input: { count: ++count } }, () => count)
  const told = `${sessionId} ${count}\n`
  setImmediate(() => writeSync(1, told))
}, 1)
