import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { Agent, request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePort } from '../support/free-port.js'
import { newDatabase } from '../support/new-database.js'
import { configurations, hasNginx, startNginx } from '../support/nginx.js'
import { type ServiceProcess, startService } from '../support/start-service.js'

// The configuration of the page about nginx, as it is there, before two processes that are restarted one after another.
const isPossible = hasNginx && spawnSync('openssl', ['version']).error === undefined
const ROUNDS = Number(process.env.STEPWELL_RESTARTS ?? 1)
const CLIENTS = 8

let folder: string
let environment: Record<string, string> = {}
const ends: (() => Promise<unknown>)[] = []
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stepwell-nginx-'))
  const { location, drop } = await newDatabase()
  if ('url' in location) environment = { DATABASE_URL: location.url }
  ends.push(drop)
})
afterAll(async () => {
  for (const end of ends.toReversed()) await end()
  await rm(folder, { recursive: true, force: true })
})

const start = async (port: number): Promise<ServiceProcess> => {
  const service = await startService(
    ['--data', join(folder, String(port)), '--port', String(port)],
    {
      environment,
    },
  )
  await expect.poll(() => fetch(`${service.url}/readyz`).then(({ status }) => status)).toBe(200)
  return service
}

const stop = async ({ process }: ServiceProcess): Promise<void> => {
  const ended = once(process, 'exit')
  process.kill('SIGTERM')
  expect(await ended).toEqual([0, null])
}

/** Starts nginx with the configuration of the page, for other ports and a certificate of its own. */
const startProxy = async (ports: readonly number[]): Promise<number> => {
  const port = await freePort()
  const [certificate, key] = ['stepwell.crt', 'stepwell.key'].map((name) => join(folder, name))
  const making = `req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=localhost -keyout ${key} -out ${certificate}`
  expect(spawnSync('openssl', making.split(' ')).status).toBe(0)
  const [text = ''] = await configurations([
    ['listen 443', `listen 127.0.0.1:${port}`],
    ['127.0.0.1:3001', `127.0.0.1:${ports[0]}`],
    ['127.0.0.1:3002', `127.0.0.1:${ports[1]}`],
    ['/etc/ssl/', `${folder}/`],
  ])
  expect(text).toContain(`listen 127.0.0.1:${port}`)
  ends.push(await startNginx(folder, text))
  return port
}

interface StepPage {
  pageInfo: { hasNextPage: boolean; endCursor: string | null }
  edges: { node: { id: string } }[]
}

/** Sends a step, and returns the answer's status and text. */
const send = (port: number, agent: Agent, id: string): Promise<string> =>
  new Promise((resolve) => {
    const body = JSON.stringify({ query: `mutation { ingestStep(id: "${id}") { ok } }` })
    const headers = { 'content-type': 'application/json', 'x-api-key': 'key' }
    const options = { host: '127.0.0.1', port, path: '/api/graphql', method: 'POST', headers }
    // The certificate is of this test.
    const asking = request({ ...options, agent, rejectUnauthorized: false }, async (answer) => {
      let text = ''
      for await (const part of answer) text += part
      resolve(`${answer.statusCode} ${text}`)
    })
    asking.on('error', (error) => resolve(String(error)))
    asking.end(body)
  })

/** Reads the ids of all steps; a count of so many is an estimate. */
const idsOf = async ({ url }: ServiceProcess): Promise<string[]> => {
  const ids: string[] = []
  for (let after: string | null = null; ; ) {
    const answer = await fetch(`${url}/api/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': 'key' },
      body: JSON.stringify({
        query:
          'query ($after: ID) { steps(first: 1000, after: $after) { pageInfo { hasNextPage endCursor } edges { node { id } } } }',
        variables: { after },
      }),
    })
    const { data } = (await answer.json()) as { data: { steps: StepPage } }
    ids.push(...data.steps.edges.map(({ node }) => node.id))
    if (!data.steps.pageInfo.hasNextPage) return ids
    after = data.steps.pageInfo.endCursor
  }
}

test.skipIf(!isPossible)(
  `clients of nginx notice nothing of ${2 * ROUNDS} restarts, and nothing that was acknowledged is lost`,
  async () => {
    const ports = [await freePort(), await freePort()]
    const services: ServiceProcess[] = []
    for (const port of ports) services.push(await start(port))
    ends.push(() => Promise.all(services.map(stop)))
    const proxy = await startProxy(ports)
    const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS })
    await expect.poll(() => send(proxy, agent, 'first')).toContain('200')
    const answers = new Map<string, number>()
    const sent = ['first']
    let isOver = false
    const clients = Array.from({ length: CLIENTS }, async (_, lane) => {
      for (let index = 0; !isOver; index++) {
        const id = `${lane}-${index}`
        const answer = await send(proxy, agent, id)
        sent.push(id)
        answers.set(answer, (answers.get(answer) ?? 0) + 1)
      }
    })
    const total = () => [...answers.values()].reduce((sum, count) => sum + count, 0)
    for (let round = 0; round < ROUNDS; round++)
      for (const [index, port] of ports.entries()) {
        const before = total()
        await stop(services[index] as ServiceProcess)
        services[index] = await start(port)
        await expect.poll(total).toBeGreaterThan(before + 10)
      }
    isOver = true
    await Promise.all(clients)
    agent.destroy()
    expect([...answers.keys()]).toEqual(['200 {"data":{"ingestStep":{"ok":true}}}'])
    // Without a server, each process has a database of its own.
    const stored =
      environment.DATABASE_URL === undefined
        ? (await Promise.all(services.map(idsOf))).flat()
        : await idsOf(services[0] as ServiceProcess)
    expect(stored.toSorted()).toEqual(sent.toSorted())
  },
)
