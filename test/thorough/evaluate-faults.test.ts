import { expect, test } from 'vitest'
import { type EvaluateOptions, evaluate, rescore, scorer } from '../../src/evaluate/index.js'
import type { StepwellClient } from '../../src/index.js'
import { useService } from '../support/service.js'

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

/** Answers that a proxy gives in place of the service, each with a status that says nothing is wrong. */
const STRANGE_ANSWERS = ['<html>Back soon</html>', '', '{"data":{"createDatasetExper']
/** Answers of a proxy that knows no way to the service. */
const LOST_ANSWERS = ['<html>Not found</html>', '', '{"message":"no Route matched"}']

/** A client every second request of which, of some operations, gets a strange answer after the service has done it. */
const clientBehindProxy = (isSpoiled: (operation: string) => boolean, status = 200) => {
  let count = 0
  const answers = status === 200 ? STRANGE_ANSWERS : LOST_ANSWERS
  const spoiled = async (input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
    const answer = await world.service.fetch(new Request(input, init))
    if (typeof init?.body !== 'string') return answer
    const operation = OPERATION.exec(JSON.parse(init.body).query)?.[1] ?? ''
    // Three in a row: the results that go together, one of them apart, and that one without its values.
    if (!isSpoiled(operation) || ++count % 4 === 0) return answer
    return new Response(answers[(count % 4) % 3] || null, { status })
  }
  return world.newClient({ fetch: spoiled as typeof fetch })
}

test.each([200, 404])(
  'an answer of status %i that is not the service’s neither ends an evaluation nor spoils its results',
  async (status) => {
    const weather = { isFoul: true }
    const client = await clientBehindProxy(
      (operation) =>
        weather.isFoul &&
        /^(Lease|CreateExperimentItems|EndExperiment|GetExperimentItems)/.test(operation),
      status,
    )
    const { id: datasetId } = await client.api.createDataset({ name: 'examples' })
    for (const number of [1, 2])
      await client.api.createDatasetItem(datasetId, { input: { number } })
    const evaluation = await run(client, { decide: undefined })
    expect(evaluation).toMatchObject({ status: 'complete', problem: null, errors: 0 })
    expect(evaluation.results.map(({ error, scores }) => [error, scores.length])).toEqual([
      [null, 1],
      [null, 1],
    ])
    weather.isFoul = false
    const { data } = await client.api.getExperimentItems({ experimentId: evaluation.experimentId })
    expect(data.map(({ datasetItemId }) => typeof datasetItemId)).toEqual(['string', 'string'])
  },
)

test.each([200, 404])(
  'outputs are scored anew past answers of status %i that are not the service’s',
  async (status) => {
    const weather = { isFoul: false }
    const client = await clientBehindProxy(
      (operation) => weather.isFoul && /^(GetExperimentItems|GetDatasetItem)/.test(operation),
      status,
    )
    const { id: datasetId } = await client.api.createDataset({ name: 'examples' })
    await client.api.createDatasetItem(datasetId, { input: { number: 1 } })
    const { experimentId } = await run(client, { decide: undefined })
    weather.isFoul = true
    const anew = await rescore({
      experiment: experimentId,
      scorers: [right],
      client,
      progress: false,
    })
    expect(anew.results).toHaveLength(1)
  },
)

test('a page in place of an answer does not mean that what is to be deleted is gone', async () => {
  const client = await clientBehindProxy(() => true, 404)
  const problem = await client.api.deleteDataset('d').catch((error: unknown) => error)
  expect(problem).toMatchObject({ code: 'NETWORK', status: 404, retryable: false })
})

test('a request is not repeated before the time that the service names', async () => {
  const times: number[] = []
  const client = await world.newClient({
    fetch: (async (input: RequestInfo | URL, init?: RequestInit) => {
      const isFirst =
        typeof init?.body === 'string' &&
        OPERATION.exec(JSON.parse(init.body).query)?.[1] === 'CreateExperiment' &&
        times.push(performance.now()) === 1
      if (!isFirst) return world.service.fetch(new Request(input, init))
      const errors = [{ message: 'slow down', extensions: { code: 'RATE_LIMITED' } }]
      return Response.json({ errors }, { status: 429, headers: { 'retry-after': '1' } })
    }) as typeof fetch,
  })
  await run(client, { data: [{ input: 1 }], decide: undefined })
  const [first = 0, second = 0] = times
  expect(second - first).toBeGreaterThan(990)
})

test('an address where something else answers is told at once', async () => {
  const client = await clientBehindProxy(() => true)
  const began = performance.now()
  await expect(run(client, { decide: undefined })).rejects.toMatchObject({ code: 'NETWORK' })
  expect(performance.now() - began).toBeLessThan(5000)
})
