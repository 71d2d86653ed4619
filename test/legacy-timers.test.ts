import { afterEach, expect, test, vi } from 'vitest'
import { useServiceProcess } from './support/service-process.js'

const service = useServiceProcess(1)

afterEach(() => vi.unstubAllGlobals())

test('steps are delivered where mocks of timers without the real ones are installed before the SDK, as Jest’s legacy ones', async () => {
  for (const name of ['setTimeout', 'clearTimeout']) {
    const mock = Object.assign(() => undefined, { _isMockFunction: true })
    vi.stubGlobal(name, mock)
  }
  vi.resetModules()
  const { StepwellClient } = await import('../src/index.js')
  vi.unstubAllGlobals()
  const client = new StepwellClient({ apiUrl: service.url, apiKey: service.apiKeys[0] })
  client.step({ name: 'a', type: 'run' }).end()
  await vi.waitFor(() => expect(client.stats()).toMatchObject({ delivered: 1, pending: 0 }))
  const away = new StepwellClient({ apiUrl: 'http://127.0.0.1:1', apiKey: 'k', onReport() {} })
  away.step({ name: 'b', type: 'run' }).end()
  expect(await away.flush({ timeoutMs: 50 })).toMatchObject({ delivered: 0, pending: 1 })
  await Promise.all([client.close(), away.close({ timeoutMs: 1 })])
})
