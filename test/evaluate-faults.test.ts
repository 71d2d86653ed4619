import { expect, test } from 'vitest'
import { type EvaluateOptions, evaluate, rescore, scorer } from '../src/evaluate/index.js'
import type { StepwellClient } from '../src/index.js'
import { useService } from './support/service.js'

const world = useService()

const OPERATION = /^(?:query|mutation) (\w+)/

/** A client every second request of which fails while `weather.isFoul`: in turns before the service has it and after. */
const newUnreliableClient = async () => {
  const counts = new Map<string, number>()
  const weather = { isFoul: false }
  const unreliable = async (input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
    // The bodies of steps are compressed; their delivery has tests of its own.
    if (!weather.isFoul || typeof init?.body !== 'string')
      return world.service.fetch(new Request(input, init))
    const operation = OPERATION.exec(JSON.parse(init.body).query)?.[1] ?? 'none'
    const count = counts.get(operation) ?? 0
    counts.set(operation, count + 1)
    if (count % 4 === 0) return new Response('{"errors":[{"message":"away"}]}', { status: 503 })
    const answer = await world.service.fetch(new Request(input, init))
    if (count % 4 === 2) throw new TypeError('the other side closed')
    return answer
  }
  const client = await world.newClient({ fetch: unreliable as typeof fetch })
  return { counts, weather, client }
}

const right = scorer({ name: 'right', version: '1', score: ({ output }) => Number(output) })
const run = (client: StepwellClient, options: Partial<EvaluateOptions> = {}) =>
  evaluate({
    name: 'faults',
    client,
    release: '1',
    progress: false,
    data: 'examples',
    task: () => 1,
    scorers: [right],
    decide: { metric: 'right', margin: 0.05 },
    ...options,
  })

test('each request of an evaluation that fails or loses its answer is made again', async () => {
  const { counts, weather, client } = await newUnreliableClient()
  const { id } = await client.api.createDataset({ name: 'examples' })
  for (const number of [1, 2, 3]) await client.api.createDatasetItem(id, { input: { number } })
  weather.isFoul = true
  const first = await run(client)
  const second = await run(client, { release: '2' })
  const experiment = first.experimentId
  const anew = await rescore({ experiment, scorers: [right], client, progress: false })
  weather.isFoul = false
  expect(first).toMatchObject({ status: 'complete', problem: null })
  expect(second).toMatchObject({ comparison: { baseId: experiment } })
  for (const { results } of [first, second, anew]) expect(results).toHaveLength(3)
  expect((await client.api.getExperiments()).data).toHaveLength(3)
  for (const operation of ['CreateExperiment', 'GetExperiments', 'GetDatasets', 'GetDatasetItems'])
    expect(counts.get(operation), operation).toBeGreaterThan(1)
})
