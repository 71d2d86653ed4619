import { createService, listen } from '@stepwell/server'
import { afterAll, describe, expect, test } from 'vitest'
import { type PythonClient, runTests } from './python.js'

/**
 * Runs the tests of a Python file on several released clients, each in a separate project, and shows each of them as a
 * test here. Every client has to have at least `least` of them.
 */
export const testReleased = async (
  file: string,
  clients: readonly { title: string; client: PythonClient; least: number }[],
) => {
  const faults: unknown[] = []
  const service = await createService({ onError: (error) => faults.push(error) })
  const { url, stop } = await listen(service, '127.0.0.1', 0)
  afterAll(async () => {
    await stop()
    await service.close()
  })
  for (const { title, client, least } of clients) {
    const { apiKey } = await service.createProject(title)
    const { outcomes, ended } = await runTests(client, file, { url, apiKey })
    describe(title, () => {
      for (const { name, failure } of outcomes)
        test(name, () => {
          expect(failure).toBeNull()
        })
      test(`at least ${least} tests ran`, () => {
        expect(outcomes.length, ended.output).toBeGreaterThanOrEqual(least)
      })
    })
  }
  test('the service reported no fault', () => {
    expect(faults).toEqual([])
  })
}
