import { readFileSync } from 'node:fs'
import { createService, listen } from '@stepwell/server'
import { afterEach, expect, test, vi } from 'vitest'
import manifest from '../package.json' with { type: 'json' }
import { VERSION } from '../src/version.js'

afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})

test('the program in the README runs unchanged', async () => {
  const program = readFileSync(new URL('../examples/readme.ts', import.meta.url), 'utf8')
  expect(readFileSync(new URL('../README.md', import.meta.url), 'utf8')).toContain(program)
  const service = await createService({ apiKey: 'readme' })
  const { url, stop } = await listen(service, '127.0.0.1', 0)
  vi.stubEnv('STEPWELL_API_KEY', 'readme')
  vi.stubEnv('STEPWELL_API_URL', url)
  const log = vi.spyOn(console, 'log').mockImplementation(() => {})
  await import('../examples/readme.js')
  expect(log.mock.calls).toEqual([
    [
      'model',
      { content: 'You asked: Where is my order?' },
      [expect.objectContaining({ name: 'polite', value: 1 })],
    ],
  ])
  await stop()
  await service.close()
})

test('the version that clients send is the one of the package', () => {
  expect(VERSION).toBe(manifest.version)
})
