import { expect } from 'vitest'
import { type Recording, recordInMemory } from '../../src/testing/index.js'
import type { Asked, ModelServer, Play } from '../../test/support/model-server.js'

/** Headers that differ from one request to the next. */
const VARYING = /^(x-stainless-.*|idempotency-key|connection|date)$/

const shown = ({ method, path, headers, body }: Asked) => ({
  method,
  path,
  body,
  headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !VARYING.test(name))),
})

/**
 * Runs a program with the plain `fetch` and with a recording one, against the same answers. Both must return the same
 * and send the same. Returns the program's result, and what was recorded.
 */
export const sameWithAndWithout = async <Result>(
  server: ModelServer,
  plays: readonly Play[],
  program: (fetch: typeof globalThis.fetch, recording: Recording) => Promise<Result>,
): Promise<Recording & { result: Result }> => {
  const outcomes: unknown[] = []
  const requests: unknown[] = []
  const recording = recordInMemory()
  for (const fetch of [globalThis.fetch, recording.stepwell.fetch]) {
    server.clear()
    server.plays(...plays)
    outcomes.push(await outcomeOf(() => program(fetch, recording)))
    requests.push(server.asked.map(shown))
    if (fetch === globalThis.fetch) recording.clear()
  }
  expect(requests[1]).toEqual(requests[0])
  expect(outcomes[1]).toEqual(outcomes[0])
  return { ...recording, result: (outcomes[1] as { value: Result }).value }
}

/** Returns the value, or the error by its class and its text. */
const outcomeOf = async (work: () => Promise<unknown>): Promise<unknown> => {
  try {
    return { value: await work() }
  } catch (error) {
    const failure = error as Error & { status?: number }
    return { failed: failure.constructor.name, message: failure.message, status: failure.status }
  }
}
