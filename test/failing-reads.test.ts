import { setImmediate } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { recordInMemory } from '../src/testing/index.js'

const unhandled: unknown[] = []
const note = (reason: unknown): void => void unhandled.push(reason)
let before: NodeJS.UnhandledRejectionListener[] = []

beforeEach(() => {
  unhandled.length = 0
  before = process.listeners('unhandledRejection')
  process.removeAllListeners('unhandledRejection')
  process.on('unhandledRejection', note)
})

afterEach(() => {
  process.removeAllListeners('unhandledRejection')
  for (const listener of before) process.on('unhandledRejection', listener)
})

const failure = new Error('not loaded')

test.each<[string, () => object]>([
  [
    'a getter',
    () => ({
      get author() {
        return Promise.reject(failure)
      },
    }),
  ],
  [
    'an inherited getter',
    () =>
      new (class extends Error {
        override get cause() {
          return Promise.reject(failure)
        }
      })(),
  ],
  [
    'the trap of a proxy',
    () =>
      new Proxy({ author: 1 }, { get: (_, name) => name === 'author' && Promise.reject(failure) }),
  ],
  [
    'toJSON',
    () => ({
      async toJSON() {
        throw failure
      },
    }),
  ],
])('a rejected promise that only %s has made is not unhandled', async (_, make) => {
  const { stepwell, steps } = recordInMemory()
  stepwell.trace({ name: 'find', metadata: { of: make() } }, () => make())
  // Node reports rejections before it.
  await setImmediate()
  expect(unhandled).toEqual([])
  expect(steps[0]?.isOpen).toBe(false)
})

test('a rejected promise that a value holds stays as unhandled as without recording', async () => {
  const { stepwell } = recordInMemory()
  stepwell.trace('find', () => ({ author: Promise.reject(failure) }))
  await setImmediate()
  expect(unhandled).toEqual([failure])
})
