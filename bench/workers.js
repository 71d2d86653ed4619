// Processor time for each step with one process of the service and with several, in turns, on one PostgreSQL server:
//
//   npm run build && node bench/workers.js postgres://… [PROCESSES] [ROUNDS]
//
// 16 clients send batches of 100 steps of 2 kB, each on a connection of its own. The server's user may create databases,
// and its processes are on this machine, as their time is read from /proc.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freshDatabase } from './databases.js'
import { API_KEY, startService } from './service.js'

const [server, count = '2', given = '5'] = process.argv.slice(2)
const [processes, rounds] = [Number(count), Number(given)]
const CLIENTS = 16
const BATCH = 100
const BATCHES = 12
const STEPS = CLIENTS * BATCH * BATCHES
const TEXT = 'Where is my order? '.repeat(50)
const DOCUMENT = 'mutation ($steps: [StepInput!]!) { ingestSteps(steps: $steps) { ok } }'

const bodies = (round, client) =>
  Array.from({ length: BATCHES }, (_, batch) =>
    JSON.stringify({
      query: DOCUMENT,
      variables: {
        steps: Array.from({ length: BATCH }, (_, index) => ({
          id: `${round} ${client} ${batch} ${index}`,
          threadId: `${round} ${client} ${batch}`,
          type: 'tool',
          name: 'look_up_order',
          startTime: '2026-01-01T10:00:00.000Z',
          endTime: '2026-01-01T10:00:01.500Z',
          input: { content: TEXT },
          output: { content: TEXT },
        })),
      },
    }),
  )

/** Milliseconds of processor time of all processes that a test accepts by their command, ended ones of theirs included. */
const processorMs = (accepts) => {
  let ticks = 0
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      if (!accepts(readFileSync(`/proc/${pid}/cmdline`, 'utf8'))) continue
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')
      for (const field of [11, 12, 13, 14]) ticks += Number(stat[field])
    } catch {
      // It has just ended.
    }
  }
  return ticks * 10
}

const send = (url, agent, body) =>
  new Promise((resolve, reject) => {
    const sent = request(
      `${url}/api/graphql`,
      {
        agent,
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': API_KEY },
      },
      async (response) => {
        let text = ''
        for await (const part of response) text += part
        text.includes('"ok":true') ? resolve() : reject(new Error(text.slice(0, 300)))
      },
    )
    sent.on('error', reject)
    sent.end(body)
  })

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]
const measured = new Map([
  [1, []],
  [processes, []],
])
for (let round = 0; round < rounds; round++)
  for (const [workers, found] of measured) {
    const work = mkdtempSync(join(tmpdir(), 'stepwell-bench-'))
    const name = `stepwell_workers_${workers}`
    const service = await startService(work, await freshDatabase(server, name), { workers })
    try {
      const all = Array.from({ length: CLIENTS }, (_, client) => bodies(round, client))
      const ofService = () => processorMs((command) => command.includes(work))
      const ofDatabase = () =>
        processorMs((command) => command.startsWith('postgres:') && command.includes(name))
      const agents = all.map(() => new Agent({ keepAlive: true, maxSockets: 1 }))
      // A first batch of each client opens its connection, and what the service opens for it.
      for (const [client, agent] of agents.entries())
        await send(service.url, agent, bodies('first', client)[0])
      const before = [ofService(), ofDatabase(), performance.now()]
      await Promise.all(
        all.map(async (batches, client) => {
          for (const body of batches) await send(service.url, agents[client], body)
        }),
      )
      const after = [ofService(), ofDatabase(), performance.now()]
      const [ours, theirs, wallMs] = after.map((value, index) => value - before[index])
      for (const agent of agents) agent.destroy()
      found.push({
        rate: (STEPS / wallMs) * 1000,
        ours: (ours / STEPS) * 1000,
        theirs: (theirs / STEPS) * 1000,
      })
    } finally {
      await service.stop()
      rmSync(work, { recursive: true, force: true })
    }
  }
console.log(`median of ${rounds} rounds in turns`)
for (const [workers, found] of measured) {
  const of = (name) => median(found.map((one) => one[name]))
  console.log(
    `${workers} ${workers === 1 ? 'process ' : 'processes'}: ${of('rate').toFixed(0)} steps/s, ${of('ours').toFixed(0)} µs of the service's processor time a step, ${of('theirs').toFixed(0)} µs of the database's`,
  )
}
