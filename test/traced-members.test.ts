import fc from 'fast-check'
import { expect, test } from 'vitest'
import { recordInMemory } from '../src/testing/index.js'

const { stepwell } = recordInMemory()

test('a traced function has the members of the given one, as they are, and still its name and length', () => {
  const key = fc.oneof(
    fc
      .string()
      .filter((name) => !['name', 'length', 'prototype', 'arguments', 'caller'].includes(name)),
    fc.constantFrom('apply', 'call', 'toString', 'description', '__proto__', Symbol.for('kind')),
  )
  const member = fc.record({
    value: fc.anything(),
    enumerable: fc.boolean(),
    configurable: fc.boolean(),
    writable: fc.boolean(),
  })
  fc.assert(
    fc.property(fc.array(fc.tuple(key, member)), fc.boolean(), (members, isArrow) => {
      const tool = isArrow
        ? (_question: string) => 'answer'
        : function tool(_question: string) {
            return 'answer'
          }
      for (const [name, descriptor] of members) Reflect.defineProperty(tool, name, descriptor)
      const traced = stepwell.traced(tool)
      expect(traced.name).toBe(tool.name)
      expect(traced.length).toBe(1)
      for (const [name] of members)
        expect(Object.getOwnPropertyDescriptor(traced, name)).toEqual(
          Object.getOwnPropertyDescriptor(tool, name),
        )
      expect(traced('question')).toBe('answer')
    }),
  )
})

test('a getter of a function is carried over without being read', () => {
  let reads = 0
  const tool = Object.defineProperty(() => 1, 'schema', { get: () => ++reads })
  const traced = stepwell.traced(tool)
  expect(reads).toBe(0)
  expect(traced).toHaveProperty('schema', 1)
})
