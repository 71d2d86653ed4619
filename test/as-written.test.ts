import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { StepwellClient } from '../src/index.js'
import type { StepwellClient as SyncClient } from '../src/sync/index.js'
import { useServiceProcess } from './support/service-process.js'

// The built module: the sources have no thread.
const built = pathToFileURL(join(import.meta.dirname, '../dist/esm/src/sync/index.js')).href
const sync = (await import(/* @vite-ignore */ built)) as { StepwellClient: typeof SyncClient }

const service = useServiceProcess(2)

/** Members in no alphabetical order, with names that objects have themselves, and numbers with two spellings. */
const VALUE = {
  zebra: 1e21,
  apple: 1.0,
  ...JSON.parse('{"__proto__":{"b":1,"a":2},"toJSON":"no function"}'),
  constructor: { 10: 'ten', 9: 'nine' },
  left: undefined,
  nothing: Number.NaN,
  minus: -0,
  list: [undefined, { y: 1, x: 2 }],
  day: new Date(0),
}
const WRITTEN = JSON.stringify(VALUE)

/** Returns the raw text of the service's answer. */
const textOf = async (apiKey: string | undefined, query: string, id: string): Promise<string> => {
  const response = await fetch(`${service.url}/api/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': apiKey ?? '' },
    body: JSON.stringify({ query, variables: { id } }),
  })
  return response.text()
}

test.each(['with promises', 'without'])(
  'a client %s stores values as JSON.stringify writes them, their members in their order',
  async (flavour) => {
    const isSync = flavour === 'without'
    const apiKey = service.apiKeys[isSync ? 1 : 0] ?? ''
    const options = { apiKey, apiUrl: service.url }
    const api = (isSync ? new sync.StepwellClient(options) : new StepwellClient(options))
      .api as unknown as Record<string, (...parameters: unknown[]) => Promise<{ id: string }>>
    await api.sendSteps?.([{ id: 'step', type: 'tool', input: VALUE, metadata: VALUE }])
    expect(await textOf(apiKey, 'query ($id: String!) { step(id: $id) { input } }', 'step')).toBe(
      `{"data":{"step":{"input":${WRITTEN}}}}`,
    )
    const dataset = await api.createDataset?.({ name: 'cases' })
    await api.createDatasetItem?.(dataset?.id, { input: VALUE, metadata: VALUE })
    expect(
      await textOf(
        apiKey,
        'query ($id: String!) { dataset(id: $id) { items(first: 1) { edges { node { input metadata } } } } }',
        dataset?.id ?? '',
      ),
    ).toContain(`"input":${WRITTEN},"metadata":${WRITTEN}`)
    await api.createPromptLineage?.('tools')
    const prompt = await api.createPrompt?.('tools', [{ role: 'user', content: 'hi' }], VALUE, [
      VALUE,
    ])
    expect(
      await textOf(
        apiKey,
        'query ($id: String!) { promptVersion(id: $id) { tools settings } }',
        prompt?.id ?? '',
      ),
    ).toContain(`"tools":[${WRITTEN}],"settings":${WRITTEN}`)
  },
)

test('a query given as text is sent unchanged, however similar to another one', async () => {
  const stepwell = new StepwellClient({ apiKey: service.apiKeys[0], apiUrl: service.url })
  await stepwell.api.sendSteps([
    { id: 'ab', type: 'tool', name: 'the first' },
    { id: 'bA', type: 'tool', name: 'the second' },
  ])
  const nameOf = (id: string) =>
    stepwell.query<{ step: { name: string } }, object>(`{ step(id: "${id}") { name } }`)
  expect(await nameOf('ab')).toEqual({ step: { name: 'the first' } })
  // Equal in the 32 bits by which urql identifies documents.
  expect(await nameOf('bA')).toEqual({ step: { name: 'the second' } })
})
