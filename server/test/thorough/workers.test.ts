import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { eventually } from '../../../test/support/eventually.js'
import { hasPostgres, OwnPostgres } from '../support/own-postgres.js'
import { type ServiceProcess, startService } from '../support/start-service.js'

// Several processes behind one port, which `stepwell serve --workers` starts.
let postgres: OwnPostgres
let folder: string
let service: ServiceProcess | undefined
beforeAll(async () => {
  if (hasPostgres) postgres = await OwnPostgres.create()
})
afterAll(() => postgres?.remove())
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stepwell-workers-'))
})
afterEach(async () => {
  const pids = service === undefined ? [] : workersOf(service)
  service?.process.kill('SIGKILL')
  await eventually(() => expect(pids.filter(isRunning)).toEqual([]))
  service = undefined
  await rm(folder, { recursive: true, force: true })
})

const several = test.skipIf(!hasPostgres)
const headers = { 'x-api-key': 'key', 'content-type': 'application/json' }

const start = async (count = 3): Promise<ServiceProcess> => {
  service = await startService([
    ...['--database', postgres.url, '--data', folder],
    ...['--workers', String(count)],
  ])
  const { url } = service
  await eventually(async () => expect(await workersIn(url)).toHaveLength(count))
  return service
}

const workersOf = ({ process: { pid } }: ServiceProcess): number[] => {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number)
  } catch {
    return []
  }
}

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

const metricsAt = async (url: string) => (await fetch(`${url}/metrics`, { headers })).text()

/** The numbers of the processes whose metrics a scrape has. */
const workersIn = async (url: string): Promise<number[]> =>
  [...(await metricsAt(url)).matchAll(/^process_resident_memory_bytes\{worker="(\d+)"\}/gm)].map(
    ([, number]) => Number(number),
  )

/** Sends a document on a connection of its own, which any of the processes gets. */
const ask = async (url: string, query: string, variables: object = {}) => {
  const response = await fetch(`${url}/api/graphql`, {
    method: 'POST',
    headers: { ...headers, connection: 'close' },
    body: JSON.stringify({ query, variables }),
  })
  return { status: response.status, body: await response.json() }
}

const INGEST = 'mutation ($steps: [StepInput!]!) { ingestSteps(steps: $steps) { ok } }'
const PAGE = `query ($after: ID) {
  steps(first: 1000, after: $after) { pageInfo { hasNextPage endCursor } edges { node { id } } }
}`
const storedIds = async (url: string): Promise<Set<string>> => {
  const ids = new Set<string>()
  for (let after: string | null = null; ; ) {
    const { body } = await ask(url, PAGE, { after })
    const { pageInfo, edges } = body.data.steps
    for (const { node } of edges) ids.add(node.id)
    if (!pageInfo.hasNextPage) return ids
    after = pageInfo.endCursor
  }
}
const store = async (url: string, id: string): Promise<boolean> => {
  const { body } = await ask(url, INGEST, {
    steps: [{ id, threadId: 'a thread', type: 'tool', startTime: new Date().toISOString() }],
  })
  return body.data?.ingestSteps?.ok === true
}

several('processes answer as one: what one has stored, each of them reads', async () => {
  const { url, output } = await start()
  expect(output()).toContain('by 3 processes')
  for (let step = 0; step < 9; step++) {
    expect(await store(url, `step ${step}`)).toBe(true)
    const { body } = await ask(url, `{ step(id: "step ${step}") { id } }`)
    expect(body.data.step.id).toBe(`step ${step}`)
  }
  const counts = [
    ...(await metricsAt(url)).matchAll(
      /^stepwell_requests_total\{worker="(\d)",route="\/api\/graphql",status="200"\} (\d+)$/gm,
    ),
  ]
  expect(counts.map(([, worker]) => worker)).toEqual(['1', '2', '3'])
  expect(counts.reduce((sum, [, , count]) => sum + Number(count), 0)).toBe(18)
})

several('a link that one process has made signs in once, by whichever process', async () => {
  const { url } = await start()
  const { rows } = await operate({ noun: 'sign-in', verb: 'link', subject: url, options: {} })
  const token = new URL(rows[0]?.link ?? '').searchParams.get('token')
  const answers = await Promise.all(
    Array.from({ length: 9 }, () =>
      fetch(`${url}/api/sign-in`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: url, connection: 'close' },
        body: JSON.stringify({ token }),
      }),
    ),
  )
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(8).fill(401)])
})

several(
  'a move is rejected with the remedy, as the others would go on with the old data',
  async () => {
    await start(2)
    await expect(
      operate({ noun: 'move', verb: 'look', options: { toData: join(folder, 'other') } }),
    ).rejects.toThrow('start it with --workers 1 for the move')
  },
)

several('a process that is killed is replaced, and nothing acknowledged is lost', async () => {
  const running = await start()
  const { url } = running
  const acknowledged: string[] = []
  let isLoaded = true
  const load = Promise.all(
    Array.from({ length: 4 }, async (_, client) => {
      for (let step = 0; isLoaded; step++) {
        const id = `of ${client}, ${step}`
        if (await store(url, id).catch(() => false)) acknowledged.push(id)
      }
    }),
  )
  const first = workersOf(running)
  for (const pid of first) {
    const before = acknowledged.length
    process.kill(pid, 'SIGKILL')
    await eventually(() => expect(acknowledged.length).toBeGreaterThan(before + 20))
  }
  await eventually(async () => expect(await workersIn(url)).toEqual([1, 2, 3]))
  isLoaded = false
  await load
  expect(workersOf(running).filter((pid) => first.includes(pid))).toEqual([])
  expect(running.output().match(/ended by SIGKILL; another one starts/g)).toHaveLength(3)
  const stored = await storedIds(url)
  expect(acknowledged.filter((id) => !stored.has(id))).toEqual([])
})

several('told to stop, all end once their requests are answered', async () => {
  const running = await start()
  const { url } = running
  const pids = workersOf(running)
  const answers = Array.from({ length: 12 }, (_, step) => store(url, `last ${step}`))
  await eventually(async () =>
    expect(await metricsAt(url)).toMatch(/requests_in_progress\{worker="\d"\} \d/),
  )
  running.process.kill('SIGTERM')
  expect(await Promise.all(answers)).toEqual(Array(12).fill(true))
  const [code] = await once(running.process, 'close')
  expect(code).toBe(0)
  expect(pids.filter(isRunning)).toEqual([])
  expect(running.output()).toContain('finishes requests in progress and stops')
})

several('processes end when the one that started them is killed', async () => {
  const running = await start()
  const pids = workersOf(running)
  expect(pids).toHaveLength(3)
  running.process.kill('SIGKILL')
  await eventually(() => expect(pids.filter(isRunning)).toEqual([]))
})

several('a port that is taken ends the start with one error', async () => {
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  const { port } = taken.address() as AddressInfo
  try {
    const refused = startService([
      ...['--database', postgres.url, '--data', folder, '--workers', '3'],
      ...['--port', String(port)],
    ])
    const error = await refused.catch((reason: Error) => reason)
    expect(String(error)).toContain('ended with 1')
    expect(String(error).match(/is in use by another process/g)).toHaveLength(1)
  } finally {
    taken.close()
  }
})

/** Executes a command of an operator, as the command line does. */
const operate = async (command: object): Promise<{ rows: Record<string, string>[] }> => {
  const { url, token } = JSON.parse(readFileSync(join(folder, 'operator'), 'utf8'))
  const response = await fetch(`${url}/api/operator`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-operator-token': token },
    body: JSON.stringify(command),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(text)
  return JSON.parse(text)
}
