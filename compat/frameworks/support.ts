import { expect } from 'vitest'
import { type Recording, recordInMemory } from '../../src/testing/index.js'
import type { Asked, ModelServer, Play } from '../../test/support/model-server.js'

/** Ids that are made anew for each run, and times that Claude tells its model. */
const VARYING =
  /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|agentId: \w+|duration_ms: \d+/g

/** Returns the part of a request that the program decides. */
const shown = ({ method, path, body }: Asked) => ({ method, path, body: withoutVarying(body) })
/** Returns a text without the parts that differ from run to run. */
export const withoutVarying = (text: string): string => text.replace(VARYING, '')

/**
 * Runs a program without the hook and with it, against the same answers. Both must return the same and send the same.
 * Returns the result of the program, and what was recorded.
 */
export const sameWithAndWithout = async <Result>(
  server: ModelServer,
  plays: readonly Play[],
  program: (recording: Recording | undefined) => Promise<Result>,
): Promise<Recording & { result: Result; asked: Asked[] }> => {
  const recording = recordInMemory({ onReport: (message) => reports.push(message) })
  const reports: string[] = []
  const outcomes: Outcome<Result>[] = []
  const requests: unknown[] = []
  let asked: Asked[] = []
  for (const given of [undefined, recording]) {
    server.clear()
    server.plays(...plays)
    outcomes.push(await outcomeOf(() => program(given)))
    asked = [...server.asked]
    requests.push(asked.map(shown))
  }
  expect(requests[1]).toEqual(requests[0])
  expect(outcomes[1]).toEqual(outcomes[0])
  expect(reports).toEqual([])
  return { ...recording, asked, result: (outcomes[1] as { value: Result }).value }
}

type Outcome<Result> = { value: Result } | { failed: string; message: string }

/** Returns the value, or the error by its class and its text. */
const outcomeOf = async <Result>(work: () => Promise<Result>): Promise<Outcome<Result>> => {
  try {
    return { value: await work() }
  } catch (error) {
    const failure = error as Error
    return { failed: failure.constructor.name, message: failure.message }
  }
}

/** Reads a stream to its end. */
export const read = async <Value>(values: AsyncIterable<Value>): Promise<Value[]> => {
  const all: Value[] = []
  for await (const value of values) all.push(value)
  return all
}

/** Reads some values of a stream, and then forgets it. */
export const take = async <Value>(
  values: AsyncIterable<Value>,
  count: number,
): Promise<Value[]> => {
  const iterator = values[Symbol.asyncIterator]()
  const taken: Value[] = []
  while (taken.length < count) taken.push((await iterator.next()).value)
  return taken
}

/** Returns the lines of a tree without values. */
export const outline = (tree: string): string[] =>
  tree.split('\n').map((line) => line.replace(/ (input|output) .*$/, ''))
