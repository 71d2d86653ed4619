import { expect, test, vi } from 'vitest'
import { evaluate } from '../src/evaluate/index.js'
import { StepwellClient } from '../src/index.js'
import { useServiceProcess } from './support/service-process.js'

// In a process of its own: the service works by timers too.
const service = useServiceProcess(1)

test('a run ends while timers and clocks are mocked, also when its task has failed before', async () => {
  vi.useFakeTimers()
  const client = new StepwellClient({ apiUrl: service.url, apiKey: service.apiKeys[0] })
  try {
    let calls = 0
    const { results } = await evaluate({
      name: 'mocked',
      client,
      progress: false,
      data: [{ key: 'one', input: 1 }],
      retry: { waitMs: 1 },
      task: ({ input }) => {
        if (++calls === 1) throw Object.assign(new Error('away'), { status: 503 })
        return input
      },
      scorers: [],
    })
    expect(results[0]?.error).toBe(null)
    expect(calls).toBe(2)
  } finally {
    vi.useRealTimers()
    await client.close()
  }
})
