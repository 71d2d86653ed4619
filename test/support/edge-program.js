// An application in what Next.js runs handlers of its edge runtime in, as far as it differs from Node: `node
// test/support/edge-program.js URL API_KEY`, after a build. Records steps, delivers them, and prints what was reported and counted.
const [, , apiUrl, apiKey] = process.argv
const say = console.log

const absent = (name) => () => {
  throw new Error(`A Node.js API is used (${name}) which is not supported in the Edge Runtime.`)
}
const edge = { env: {} }
for (const name of Object.keys(process))
  if (name !== 'env')
    Object.defineProperty(edge, name, {
      value: typeof process[name] === 'function' ? absent(`process.${name}`) : undefined,
    })
globalThis.process = edge
for (const name of ['setImmediate', 'CompressionStream', 'DecompressionStream', 'BroadcastChannel'])
  globalThis[name] = absent(name)
AbortSignal.any = undefined

const { StepwellClient } = await import('stepwell')
const reports = []
let kept = 0
const stepwell = new StepwellClient({
  apiUrl,
  apiKey,
  onReport: (message) => reports.push(message),
  // Outside of a request, Next.js's `after` throws.
  waitUntil: () => {
    kept++
    throw new Error('outside a request scope')
  },
})
// More than is sent without being compressed.
stepwell.trace('register', () => 'text '.repeat(20_000))
const { delivered, pending, dropped } = await stepwell.flush()
say(JSON.stringify({ delivered, pending, dropped, kept, reports }))
