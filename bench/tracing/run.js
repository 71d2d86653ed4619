// Measures SDKs side by side: `node bench/tracing/run.js [--rounds 5] [--sdks a,b] [--measures x,y]`. Each measurement
// runs in a separate process, in turns, against a sink in another one. Prints medians, and their ratio to bare
// OpenTelemetry.
import { fork, spawnSync } from 'node:child_process'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { startSink } from './sink-client.js'

const here = dirname(fileURLToPath(import.meta.url))
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    sdks: {
      type: 'string',
      default:
        'hand-written,opentelemetry,langfuse,langsmith,braintrust,opik,phoenix,weave,literalai,stepwell,stepwell-spool',
    },
    measures: {
      type: 'string',
      default:
        'path,flatOut,received,steady,burst,late,downFromStart,exit,naturalEnd,uncaught,sigterm,silent,unavailable3,down5,down30,large,import',
    },
  },
})
const rounds = Number(values.rounds)
/** 20,000 steps, and the 200 runs of four before the clock starts. */
const WITH_WARM_UP = 20_800
const sdks = values.sdks.split(',')
const measures = values.measures.split(',')
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

/**
 * Runs a measurement; `during` may act on the process's first message. Returns its last message and the time that it
 * took to end.
 */
const measure = (sdk, name, url, argument = '', during = () => {}) =>
  new Promise((resolve) => {
    const child = fork(join(here, 'measure.js'), [sdk, name, url, argument], {
      silent: true,
      execArgv: [],
    })
    let last
    let error = ''
    child.stderr.on('data', (text) => {
      error += text
    })
    const timer = setTimeout(() => child.kill('SIGKILL'), 120_000)
    child.on('message', (message) => {
      if (message.ready) return child.send({})
      last = message
      during(message)
    })
    child.on('exit', (code) => {
      clearTimeout(timer)
      if (last === undefined)
        console.error(`${sdk} ${name}: ${error.split('\n').slice(0, 8).join('\n')}`)
      resolve({ ...last, code })
    })
  })

const sink = await startSink()
const fresh = (mode) => sink.tell({ mode: 'ok' }).then(() => sink.tell({ mode, reset: true }))
const lost = (count, steps) => Math.max(0, steps - count)
/** The process ends in its own way; steps that arrive within a moment count. */
const ends = (name) => async (sdk) => {
  await fresh('ok')
  const { code } = await measure(sdk, name, sink.url)
  return {
    [`lost at ${name} (of 200)`]: lost(await sink.settled(200, 1500), 200),
    [`exit code at ${name}`]: code,
  }
}

/** Records 200 steps a second, through a time in which the service fails. */
const fails = (mode, seconds) => async (sdk) => {
  await fresh('ok')
  const total = seconds + 5
  const running = measure(sdk, 'steadyThrough', sink.url, String(total))
  await sleep(2000)
  await sink.tell({ mode })
  await sleep(seconds * 1000)
  await sink.tell({ mode: 'ok' })
  const { steps = total * 200 } = await running
  const count = await sink.settled(steps, 4000)
  return { [`lost, service ${mode} for ${seconds} s (of ${steps})`]: lost(count, steps) }
}

const works = {
  async path(sdk) {
    await fresh('ok')
    const { p50, p99 } = await measure(sdk, 'path', sink.url)
    return { 'caller p50 µs/step': p50, 'caller p99 µs/step': p99 }
  },
  async flatOut(sdk) {
    await fresh('ok')
    const { cpu, peak } = await measure(sdk, 'flatOut', sink.url)
    const count = await sink.settled(WITH_WARM_UP, 1500)
    return {
      'CPU ms/1,000 flat out': cpu,
      'peak MB': peak,
      'lost of 20,000': lost(count, WITH_WARM_UP),
    }
  },
  async received(sdk) {
    await fresh('ok')
    const running = measure(sdk, 'flatOut', sink.url)
    const count = await sink.settled(WITH_WARM_UP, 4000)
    const at = Date.now()
    const { begin } = await running
    return { 's until 20,000 received': count < WITH_WARM_UP ? Number.NaN : (at - begin) / 1000 }
  },
  async steady(sdk) {
    await fresh('ok')
    const { cpu, longest } = await measure(sdk, 'steady', sink.url)
    return { 'CPU ms/1,000 at 1,000/s': cpu, 'longest hold ms at 1,000/s': longest }
  },
  async burst(sdk) {
    await fresh('ok')
    await measure(sdk, 'burst', sink.url)
    return { 'lost of a burst of 10,000': lost(await sink.settled(10_000, 2000), 10_000) }
  },
  async late(sdk) {
    await fresh('late')
    const running = measure(sdk, 'late', sink.url)
    const count = await sink.settled(2020, 4000)
    const at = Date.now()
    const { begin } = await running
    return { 's until 2,000 received, 20 ms late': count < 2020 ? Number.NaN : (at - begin) / 1000 }
  },
  async downFromStart(sdk) {
    await fresh('down')
    const { slowest } = await measure(sdk, 'downFromStart', sink.url)
    await sink.tell({ mode: 'ok' })
    return { 'slowest run ms, service down': slowest }
  },
  async silent(sdk) {
    await fresh('silent')
    const { flush } = await measure(sdk, 'silent', sink.url)
    return { 's until flush settles, no answer': flush / 1000 }
  },
  exit: ends('exit'),
  naturalEnd: ends('naturalEnd'),
  uncaught: ends('uncaught'),
  sigterm: ends('sigterm'),
  unavailable3: fails('unavailable', 3),
  down5: fails('down', 5),
  down30: fails('down', 30),
  async large(sdk) {
    if (!sdk.startsWith('stepwell')) return {}
    await fresh('ok')
    const { longest, stats } = await measure(sdk, 'large', sink.url)
    const { count, largest } = await sink.tell({})
    return {
      'longest hold ms, 300 × 200 kB': longest,
      'largest request MB': largest / 1e6,
      'lost of 300': lost(count, 300),
      dropped: stats?.dropped,
    }
  },
  async import(sdk) {
    const { entry } = await import(`./sdks/${sdk}.js`)
    if (entry === undefined) return {}
    const program = `const t = performance.now(); ${[entry]
      .flat()
      .map((name) => `await import('${name}')`)
      .join('; ')}; console.log(performance.now() - t)`
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
      cwd: here,
      encoding: 'utf8',
    })
    return { 'import ms': Number(stdout) }
  },
}

const show = (value) =>
  value === undefined || value === null
    ? '–'
    : Number.isNaN(value)
      ? 'not all'
      : value >= 100
        ? value.toFixed(0)
        : value >= 10
          ? value.toFixed(1)
          : value.toFixed(2)

const results = new Map()
/** Counts of lost steps need no medians. */
const once = new Set([
  'silent',
  'unavailable3',
  'down5',
  'down30',
  'exit',
  'naturalEnd',
  'uncaught',
  'sigterm',
  'large',
])
const median = (numbers) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)]
console.log(`| measure | ${sdks.join(' | ')} |\n|${'---|'.repeat(sdks.length + 1)}`)
for (const name of measures) {
  if (works[name] === undefined) continue
  results.clear()
  for (let round = 0; round < (once.has(name) ? 1 : rounds); round++)
    for (const sdk of sdks) {
      const result = await works[name](sdk).catch((error) => ({ [`failed: ${error.message}`]: 1 }))
      for (const [what, value] of Object.entries(result)) {
        const row = results.get(what) ?? new Map()
        row.set(sdk, [...(row.get(sdk) ?? []), value])
        results.set(what, row)
      }
    }
  for (const [what, row] of results)
    console.log(
      `| ${what} | ${sdks.map((sdk) => show(row.has(sdk) ? median(row.get(sdk)) : undefined)).join(' | ')} |`,
    )
}
sink.stop()
