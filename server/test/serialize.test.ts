import fc from 'fast-check'
import { expect, test } from 'vitest'
import { serialize } from '../src/http/serialize.js'

const atOnce = () => undefined
const textOf = async (json: ReturnType<typeof serialize>) => new Response(await json).text()

const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { depthSize: 'large', withCrossShrink: true },
    fc.string({ unit: 'binary', maxLength: 30 }),
    fc.double(),
    fc.constantFrom(null, true, undefined, () => 1, Symbol('none')),
    fc.array(tie('any'), { maxLength: 8 }),
    fc.dictionary(fc.string({ unit: 'binary', maxLength: 6 }), tie('any'), { maxKeys: 8 }),
  ),
})).any

test('a plain value of any form is written as by JSON.stringify, in parts of any size', async () => {
  await fc.assert(
    fc.asyncProperty(value, fc.integer({ min: 1, max: 300 }), async (any, size) => {
      const held = { any, list: [any] }
      expect(await textOf(serialize(held, atOnce, size))).toBe(
        Buffer.from(JSON.stringify(held)).toString(),
      )
    }),
    { numRuns: 2000 },
  )
})

test('others have their turn before each part of a large answer', async () => {
  let turns = 0
  const rows = Array.from({ length: 2000 }, (_, at) => ({ at, text: 'x'.repeat(1000) }))
  const json = serialize({ data: { rows } }, async () => {
    turns++
  })
  expect(await textOf(json)).toBe(JSON.stringify({ data: { rows } }))
  // Two megabytes, in parts of at most 64 kB.
  expect(turns).toBeGreaterThan(30)
  expect(turns).toBeLessThan(100)
})

test('a large answer is written as it is read, and a client that leaves ends it', async () => {
  let turns = 0
  const rows = Array.from({ length: 2000 }, () => 'x'.repeat(1000))
  const json = await serialize(rows, async () => {
    turns++
  })
  const reader = (json as ReadableStream<Uint8Array>).getReader()
  for (let read = 0; read < 3; read++) await reader.read()
  expect(turns).toBeLessThan(6)
  await reader.cancel()
  expect(turns).toBeLessThan(6)
})

test('an answer that no client could hold is rejected before anything of it is sent', async () => {
  const text = 'x'.repeat(1_000_000)
  await expect(
    serialize({ rows: Array.from({ length: 501 }, () => text) }, atOnce),
  ).rejects.toThrow('first: the answer would be too large')
})
