import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { useServiceProcess } from './support/service-process.js'

const service = useServiceProcess(1)

test("where functions of Node are there and throw, as in Next.js's edge runtime, steps are recorded and delivered", () => {
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ['test/support/edge-program.js', service.url, service.apiKeys[0] as string],
    { encoding: 'utf8' },
  )
  expect(stderr).toBe('')
  expect(JSON.parse(stdout)).toEqual({
    delivered: 1,
    pending: 0,
    dropped: 0,
    kept: 1,
    reports: ['waitUntil failed: Error: outside a request scope'],
  })
})
