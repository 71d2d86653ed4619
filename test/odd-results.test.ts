import { expect, test } from 'vitest'
import { recordInMemory } from '../src/testing/index.js'

test('an iterator that calls itself a generator is followed with the methods that it has', async () => {
  const { stepwell, steps } = recordInMemory()
  const words = stepwell.trace('words', () => {
    let index = 0
    return {
      [Symbol.toStringTag]: 'AsyncGenerator',
      next: async () =>
        index < 2 ? { value: `${index++}`, done: false } : { value: undefined, done: true },
      [Symbol.asyncIterator]() {
        return this
      },
    }
  })
  expect('return' in words || 'throw' in words).toBe(false)
  const read: unknown[] = []
  for await (const word of words) read.push(word)
  expect(read).toEqual(['0', '1'])
  expect(steps[0]).toMatchObject({ isOpen: false, output: { output: '01' } })
})

test('a thenable whose then throws ends its step with the error, which the application gets', async () => {
  const { stepwell, steps } = recordInMemory()
  const failure = new Error('not connected')
  const query = {
    // biome-ignore lint/suspicious/noThenProperty: the subject of the test
    then: () => {
      throw failure
    },
  }
  const asked = async () =>
    await (stepwell.trace('query', () => query) as unknown as Promise<never>)
  await expect(asked()).rejects.toBe(failure)
  expect(steps[0]).toMatchObject({ isOpen: false, error: 'Error: not connected' })
})

test('a stream of bytes that is followed is read with buffers of its reader’s own, to its end', async () => {
  const { stepwell, steps } = recordInMemory()
  const stream = stepwell.trace('bytes', (step) => step.until(new Blob(['hello']).stream()))
  const reader = stream.getReader({ mode: 'byob' })
  const texts: string[] = []
  for (;;) {
    const { done, value } = await reader.read(new Uint8Array(3))
    if (done) break
    texts.push(new TextDecoder().decode(value))
  }
  expect(texts.join('')).toBe('hello')
  expect(steps[0]).toMatchObject({ isOpen: false, output: { output: 'hello' } })
})

test('a stream of bytes whose reader cancels it ends its step with what was read', async () => {
  const { stepwell, steps } = recordInMemory()
  let reason: unknown
  const source = new ReadableStream({
    type: 'bytes',
    pull: (controller) => controller.enqueue(new TextEncoder().encode('piece ')),
    cancel: (given) => {
      reason = given
    },
  })
  const reader = stepwell.trace('bytes', (step) => step.until(source)).getReader()
  await reader.read()
  await reader.cancel('enough')
  expect(reason).toBe('enough')
  expect(steps[0]).toMatchObject({ isOpen: false, output: { output: 'piece ' } })
})
