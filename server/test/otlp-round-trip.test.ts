import { createService, listen, type Service } from '@stepwell/server'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { StepwellClient } from '../../src/index.js'
import { PARTS, type Usage } from '../../src/model-calls/usage/usage.js'
import { otlp } from '../../src/otlp/index.js'
import { anyUsage } from '../../test/support/any-usage.js'
import { VECTORS } from '../../test/support/usage-vectors.js'

let service: Service
let listening: Awaited<ReturnType<typeof listen>>
beforeAll(async () => {
  service = await createService()
  listening = await listen(service, '127.0.0.1', 0)
})
afterAll(async () => {
  await listening?.stop()
  await service?.close()
})

let count = 0
/** Records calls with some usage, exports them to another project of the service, and returns what is there. */
const exported = async (usages: readonly Usage[]) => {
  const [{ apiKey }, other] = await Promise.all([
    service.createProject(`recording ${++count}`),
    service.createProject(`receiving ${count}`),
  ])
  const recording = new StepwellClient({
    apiKey,
    apiUrl: listening.url,
    exporters: [
      otlp({ url: `${listening.url}/v1/traces`, headers: { 'x-api-key': other.apiKey } }),
    ],
  })
  for (const [index, usage] of usages.entries())
    recording.step({ name: String(index), type: 'llm', generation: { type: 'CHAT', usage } }).end()
  await recording.flush()
  const { api } = new StepwellClient({ apiKey: other.apiKey, apiUrl: listening.url })
  const steps = []
  for await (const step of api.getSteps.all({})) steps.push(step)
  return steps.sort((one, another) => Number(one.name) - Number(another.name))
}

const known = (usage: object | null | undefined) =>
  Object.fromEntries(
    [...PARTS, 'total'].flatMap((part) => {
      const count = (usage as Record<string, number | null> | undefined)?.[part]
      return typeof count === 'number' ? [[part, count]] : []
    }),
  )

test('usage of any provider that is recorded, exported by OpenTelemetry and received is the same', async () => {
  const usages = VECTORS.flatMap(([, , , usage]) => usage ?? [])
  const steps = await exported(usages)
  expect(steps.map(({ generation }) => known(generation?.usage))).toEqual(usages)
})

test('any usage of the algebra that is recorded, exported and received is the same', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyUsage, { minLength: 1, maxLength: 60 }), async (usages) => {
      const steps = await exported(usages)
      expect(steps.map(({ generation }) => known(generation?.usage))).toEqual(usages)
      expect(steps.map(({ generation }) => generation?.tokenCount)).toEqual(
        usages.map(({ total }) => total),
      )
    }),
    { numRuns: 8 },
  )
})
