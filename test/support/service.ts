import { createService, listen, type Service } from '@stepwell/server'
import { afterAll, beforeAll } from 'vitest'
import { StepwellClient, type StepwellClientOptions } from '../../src/index.js'

export interface TestService {
  service: Service
  /** Returns a client of a new project, so that tests of one file see nothing of each other. */
  newClient: (options?: Partial<StepwellClientOptions>) => Promise<StepwellClient>
}

/** Starts a service in memory for the tests of a file, reached by its own `fetch` or through a socket. */
export const useService = (
  by: 'fetch' | 'socket' = 'fetch',
  options?: Parameters<typeof createService>[0],
): TestService => {
  const fixture = {} as TestService
  let count = 0
  let stop: (() => Promise<void>) | undefined
  beforeAll(async () => {
    const service = await createService(options)
    const listening = by === 'socket' ? await listen(service, '127.0.0.1', 0) : undefined
    stop = listening?.stop
    Object.assign(fixture, {
      service,
      newClient: async (options) => {
        const { apiKey } = await service.createProject(`test ${++count}`)
        const way = listening === undefined ? { fetch: service.fetch } : { apiUrl: listening.url }
        // A busy machine answers late, and a copy of before would be taken instead.
        return new StepwellClient({ apiKey, ...way, prompts: { waitMs: 60_000 }, ...options })
      },
    } satisfies TestService)
  })
  afterAll(async () => {
    await stop?.()
    await fixture.service?.close()
  })
  return fixture
}
