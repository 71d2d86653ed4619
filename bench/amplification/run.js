// Sends requests that are cheap to send and expensive to process, with a well-behaved client of another project beside
// it, and measures the service's process. Ends with 1 when a case is over a bar twice.
//
//   npm run build && node bench/amplification/run.js                   # fixed cases and 200 generated ones
//   node bench/amplification/run.js --generated 2000 --seed 7 --database postgres://…
//   node bench/amplification/run.js --seed 7 --only 41                 # the 41st generated case of that seed again
//   node bench/amplification/run.js --only 'document: comments'        # a fixed case
//
//   --share S     part of the fixed cases, chosen by the seed: 1
//   --skip N      leaves the first fixed cases out: 0
//   --bytes N     size of the fixed cases' bodies, unpacked: 4,000,000
//   --generated N number of generated cases: 200; --minutes M stops after this time
//   --all         continues after cases over a bar
//   --slack N     fails only where a bar is broken N times over, and memory twice; 1. Others are shown all the same.
//                 Processes that end, answers of 500 and refusals of the other client fail in any case
import { fork } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { API_KEY, operate, startService } from '../service.js'
import { fixed, generate } from './cases.js'
import { Dice, seedOf } from './dice.js'
import { converse } from './wire.js'

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    generated: { type: 'string', default: '200' },
    minutes: { type: 'string', default: '600' },
    skip: { type: 'string', default: '0' },
    share: { type: 'string', default: '1' },
    bytes: { type: 'string', default: '4000000' },
    database: { type: 'string' },
    only: { type: 'string' },
    all: { type: 'boolean', default: false },
    slack: { type: 'string', default: '1' },
  },
})

/** Time that a request may hold the event loop, in total or for each unpacked megabyte. */
const HOLD_MS = 250
const HOLD_MS_OF_MEGABYTE = 25
/**
 * Memory that a request may take, as a multiple of its unpacked size; in addition, the garbage that a minute of any
 * work leaves behind.
 */
const MEMORY = 20
const SLACK_BYTES = 192_000_000
/** The live part of that garbage. */
const ALIVE_SLACK_BYTES = 64_000_000
/** Limit for the other client's calls. */
const NEIGHBOUR_MS = 1000
/** A machine slower than the one on which the bars were set gets proportionally more time. */
const CALIBRATION_MS = 55

const slack = Number(values.slack)
const memorySlack = slack > 1 ? 2 : 1

const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31))
const work = mkdtempSync(join(tmpdir(), 'stepwell-amplification-'))
const probe = new URL('./probe.js', import.meta.url).href
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

/** Measures this machine's present speed: the processor time for reading some JSON. */
const calibrate = () => {
  const text = `[${'{"a":1,"b":"text","c":[1,2,3]},'.repeat(100_000)}0]`
  const times = Array.from({ length: 5 }, () => {
    const begin = process.cpuUsage()
    JSON.parse(text)
    const { user, system } = process.cpuUsage(begin)
    return (user + system) / 1000
  })
  return Math.max(1, times.sort((a, b) => a - b)[2] / CALIBRATION_MS)
}

let service
let neighbour
const start = async () => {
  const folder = mkdtempSync(join(work, 'data-'))
  service = await startService(folder, values.database, {
    arguments: ['--expose-gc', '--import', probe],
  })
  let ended
  service.child.on('exit', (code, signal) => {
    ended = signal ?? code
  })
  service.hasEnded = () => ended
  const apiKey = await operate(folder, values.database, [
    'project',
    'create',
    `neighbour ${folder}`,
  ])
  neighbour = fork(new URL('./neighbour.js', import.meta.url), [service.url, apiKey])
  await sleep(1500)
  await told(neighbour, 'report')
}
const stop = async () => {
  neighbour?.kill()
  if (service?.hasEnded() === undefined) await service?.kill()
}
/** Resolves to a process's answer to a message; undefined when it ended instead. */
const told = (child, message) =>
  new Promise((resolve) => {
    const done = (answer) => {
      child.off('message', done)
      child.off('exit', gone)
      resolve(answer)
    }
    const gone = () => done(undefined)
    child.once('message', done)
    child.once('exit', gone)
    if (child.connected) child.send(message, (error) => error && gone())
    else gone()
  })

const megabytes = (bytes) => (bytes / 1e6).toFixed(1)
const percentile = (times, share) =>
  times.toSorted((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0

/** Runs a case, and returns its cost and the bars that it broke. */
const measure = async ({ name, make, prepare }) => {
  for (const connection of prepare?.() ?? []) await converse({ port: service.port, ...connection })
  const connections = make()
  const slower = calibrate()
  // The duration of the other client's calls while only they run, whatever else the machine does.
  await sleep(400)
  const quiet = Math.max(0, ...(await told(neighbour, 'report')).times)
  await told(service.child, 'begin')
  const answers = await Promise.all(
    connections.map((connection) => converse({ port: service.port, ...connection })),
  )
  // The neighbour's slowest call may still be under way, and the service busy with abandoned work.
  await sleep(300)
  const cost = await told(service.child, 'report')
  const { times, refused } = await told(neighbour, 'report')
  const ended = service.hasEnded()
  const unpacked = connections.map((one) => one.unpacked)
  const [largest, total] = [
    unpacked.reduce((a, b) => Math.max(a, b)),
    unpacked.reduce((a, b) => a + b),
  ]
  const wire = answers.reduce((sum, one) => sum + one.wire, 0)
  const mostHold = Math.max(HOLD_MS, (HOLD_MS_OF_MEGABYTE * largest) / 1e6) * slower
  const mostMemory = MEMORY * total + SLACK_BYTES
  const p99 = percentile(times, 0.99)
  const broken = []
  let isFatal = false
  const check = (value, bar, times, text) => {
    if (value <= bar) return
    broken.push(text)
    isFatal ||= value > bar * times
  }
  const fail = (text) => {
    broken.push(text)
    isFatal = true
  }
  if (cost === undefined || ended !== undefined) fail(`the process ended: ${ended}`)
  else {
    const held = `held the loop ${cost.holdMs.toFixed(0)} ms, at most ${mostHold.toFixed(0)}`
    check(cost.holdMs, mostHold, slack, held)
    const mostAlive = MEMORY * total + ALIVE_SLACK_BYTES
    const kept = `kept ${megabytes(cost.alive)} MB, at most ${megabytes(mostAlive)}`
    check(cost.alive, mostAlive, memorySlack, kept)
    const taken = `took ${megabytes(cost.memory)} MB, at most ${megabytes(mostMemory)}`
    check(cost.memory, mostMemory, memorySlack, taken)
    // Other programs take time from it as they do from the service: the difference between wall-clock and processor
    // time.
    const crowd = 4 * quiet + 2 * Math.max(0, cost.clockMs - cost.holdMs)
    const waited = `the other client waited ${p99.toFixed(0)} ms`
    check(p99, NEIGHBOUR_MS * slower + crowd, slack, waited)
  }
  if (refused.length > 0)
    fail(`the other client was refused ${refused.length} times: ${refused[0]}`)
  const statuses = {}
  for (const { statuses: ones, isHeldBack } of answers)
    for (const status of ones.length > 0 ? ones : [isHeldBack ? 'given up' : 'cut off'])
      statuses[status] = (statuses[status] ?? 0) + 1
  if (Object.keys(statuses).some((status) => status === '500')) fail('an answer was 500')
  return { name, wire, total, p99, statuses, broken, isFatal, slower, ...cost }
}

const show = (result) => {
  const { name, wire, total, holdMs, clockMs, cpuMs, memory, alive, p99, statuses, broken } = result
  const counts = Object.entries(statuses)
    .map(([status, count]) => `${count}x${status}`)
    .join(' ')
  console.log(
    `${broken.length > 0 ? 'OVER' : 'ok  '} ${name.slice(0, 110)}\n       wire ${megabytes(wire)} MB, unpacked ${megabytes(total)}, hold ${holdMs?.toFixed(0)} ms (clock ${clockMs?.toFixed(0)}), CPU ${cpuMs?.toFixed(0)} ms, memory ${megabytes(memory ?? Number.NaN)} MB (alive ${megabytes(alive ?? Number.NaN)}), neighbour p99 ${p99.toFixed(0)} ms, ${counts}`,
  )
  for (const reason of broken) console.log(`       ${reason}`)
}

console.log(
  `seed ${seed}, ${values.database ? 'PostgreSQL' : 'embedded'}, calibration ${calibrate().toFixed(2)}`,
)
const begin = performance.now()
const isOver = () => performance.now() - begin > Number(values.minutes) * 60_000
const worst = { hold: 0, memory: 0, p99: 0 }
const over = []
/** Over a bar twice, within the slack. */
const noted = []
let done = 0
const run = async (one, label) => {
  if (isOver()) return
  let result = await measure(one)
  if (result.broken.length > 0) {
    // A single time may be due to the machine.
    show(result)
    await stop()
    await start()
    result = await measure(one)
    if (result.isFatal) over.push(label)
    else if (result.broken.length > 0) noted.push(label)
  }
  show(result)
  done++
  worst.hold = Math.max(
    worst.hold,
    (result.holdMs ?? Infinity) / Math.max(HOLD_MS, (HOLD_MS_OF_MEGABYTE * result.total) / 1e6),
  )
  worst.memory = Math.max(
    worst.memory,
    (result.memory ?? Infinity) / (MEMORY * result.total + SLACK_BYTES),
  )
  worst.p99 = Math.max(worst.p99, result.p99)
  if (service.hasEnded() !== undefined) {
    await stop()
    await start()
  }
  if (over.length > 0 && !values.all) throw new Error('over a bar')
}

try {
  await start()
  const isIndex = /^\d+$/.test(values.only ?? '')
  const choice = new Dice(seed)
  if (!isIndex)
    for (const one of fixed(API_KEY, Number(values.bytes))
      .slice(Number(values.skip))
      .filter(() => choice.chance(Number(values.share))))
      if (values.only === undefined || one.name.startsWith(values.only))
        await run(one, `--only '${one.name}' --bytes ${values.bytes}`)
  if (values.only === undefined || isIndex)
    for (
      let index = isIndex ? Number(values.only) : 0;
      index < (isIndex ? Number(values.only) + 1 : Number(values.generated));
      index++
    )
      await run(generate(new Dice(seedOf(seed, index)), API_KEY), `--seed ${seed} --only ${index}`)
} catch (error) {
  if (over.length === 0 || values.all) over.push(String(error.stack))
} finally {
  await stop()
  rmSync(work, { recursive: true, force: true })
}
console.log(
  `${done} cases in ${((performance.now() - begin) / 60_000).toFixed(1)} min, seed ${seed}: longest hold ${worst.hold.toFixed(2)} of what it may be, most memory ${worst.memory.toFixed(2)}, the other client's slowest p99 ${worst.p99.toFixed(0)} ms`,
)
for (const one of noted)
  console.log(`over a bar twice, within the slack: node bench/amplification/run.js ${one}`)
for (const one of over) console.log(`over a bar twice: node bench/amplification/run.js ${one}`)
process.exit(over.length > 0 ? 1 : 0)
