import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ServiceProcess, startService } from '../support/start-service.js'

// A process that exports more than the memory it may take for it, to clients that read, pause, and leave.
const STEPS = 12_000
const STEP_BYTES = 12_000
let service: ServiceProcess
beforeAll(async () => {
  service = await startService([])
  for (let from = 0; from < STEPS; from += 500)
    await ask('mutation($steps: [StepInput!]!) { ingestSteps(steps: $steps) { ok } }', {
      steps: Array.from({ length: 500 }, (_, at) => ({
        id: `s${from + at}`,
        // Hardly compresses, so that the engine has as much to read.
        output: { content: noise(from + at).slice(0, STEP_BYTES) },
      })),
    })
})
afterAll(() => {
  service?.process.kill()
})

const ask = async (query: string, variables: object) => {
  const response = await fetch(`${service.url}/api/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': 'key' },
    body: JSON.stringify({ query, variables }),
  })
  const { data, errors } = (await response.json()) as { data?: unknown; errors?: unknown }
  if (errors !== undefined) throw new Error(JSON.stringify(errors))
  return data
}

const noise = (seed: number): string =>
  createHash('shake256', { outputLength: STEP_BYTES }).update(`${seed}`).digest('base64')

const open = (path: string): Promise<IncomingMessage> =>
  new Promise((resolve, reject) =>
    get(`${service.url}/api/export/${path}`, { headers: { 'x-api-key': 'key' } }, resolve).on(
      'error',
      reject,
    ),
  )
const readAll = async (response: IncomingMessage) => {
  let [bytes, lines] = [0, 0]
  for await (const part of response as AsyncIterable<Buffer>) {
    bytes += part.length
    for (let at = part.indexOf(10); at >= 0; at = part.indexOf(10, at + 1)) lines++
  }
  return { bytes, lines }
}
/** The memory of the process, and the most that it ever had. */
const memory = () => {
  const status = readFileSync(`/proc/${service.process.pid}/status`, 'utf8')
  const of = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) * 1000
  return { now: of('VmRSS'), most: of('VmHWM') }
}

test.skipIf(process.platform !== 'linux')(
  'an export takes the memory of a few pages, whatever its size, also of a client that pauses',
  async () => {
    const tenth = await readAll(await open(`steps.jsonl?limit=${STEPS / 10}`))
    expect(tenth.lines).toBe(STEPS / 10)
    const before = memory().most
    const paused = await open('steps.csv')
    await new Promise((resolve) => paused.once('readable', resolve))
    const whole = await readAll(await open('steps.jsonl'))
    expect(whole.lines).toBe(STEPS)
    expect(whole.bytes).toBeGreaterThan(STEPS * STEP_BYTES)
    expect(memory().most - before).toBeLessThan(whole.bytes / 2)
    expect((await readAll(paused)).lines).toBe(STEPS + 1)
    const parquet = await readAll(await open('steps.parquet'))
    expect(parquet.bytes).toBeGreaterThan(whole.bytes / 4)
    expect(memory().most - before).toBeLessThan(whole.bytes / 2)
  },
)

test('a client that goes away ends its export, and leaves its place to the next one', async () => {
  for (let round = 0; round < 3; round++) {
    const left = await Promise.all(Array.from({ length: 4 }, () => open('steps.csv')))
    for (const response of left) {
      expect(response.statusCode).toBe(200)
      response.destroy()
    }
    await expect
      .poll(async () => {
        const response = await open('steps.csv?limit=1')
        response.resume()
        return response.statusCode
      })
      .toBe(200)
  }
})
