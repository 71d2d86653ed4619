import { createService, type Service } from '@stepwell/server'
import { afterAll, beforeAll, expect } from 'vitest'
import { StepwellClient } from '../../../src/index.js'
import { asJson, type GivenSpan } from './otlp.js'

/** Starts a service for the tests of a file. Returns its API, and a function that stores a span and returns its step. */
export const useSpans = () => {
  let service: Service
  let client: StepwellClient
  let spans = 0
  beforeAll(async () => {
    service = await createService({ apiKey: 'k' })
    client = new StepwellClient({ apiKey: 'k', fetch: service.fetch })
  })
  afterAll(() => service?.close())
  return {
    api: () => client.api,
    /** Stores a span with these attributes, in a trace of its own unless one is named. */
    recorded: async (attributes: Record<string, unknown>, more: Omit<GivenSpan, 'spanId'> = {}) => {
      const spanId = String(++spans).padStart(16, '0')
      const traceId = more.traceId ?? String(spans).padStart(32, 'f')
      const response = await service.fetch('http://stepwell.test/v1/traces', {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': 'k' },
        body: asJson({ spans: [{ spanId, attributes, ...more, traceId }] }),
      })
      expect(await response.json()).toEqual({})
      const step = await client.api.getStep(`${traceId}-${spanId}`)
      if (step === null) throw new Error('expected a step')
      return step
    },
  }
}
