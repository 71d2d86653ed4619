import fc from 'fast-check'
import { coerceInputValue, type GraphQLInputType } from 'graphql'
import { expect, test } from 'vitest'
import { coerce } from '../src/graphql/engine/coerce.js'
import { createExecutableSchema } from '../src/graphql/engine/executable.js'
import { parseInstant } from '../src/kernel/instant.js'

const schema = createExecutableSchema()
const STEP = schema.getType('StepInput') as GraphQLInputType

/** Coerces a value by GraphQL's own function; returns undefined when that refuses it. */
const byGraphQL = (value: unknown) => {
  let isRefused = false
  const coerced = coerceInputValue(value, STEP, () => {
    isRefused = true
  })
  return isRefused ? undefined : coerced
}

const nothing = fc.constantFrom(null, undefined)
const wrong = fc.oneof(fc.integer(), fc.boolean(), fc.string(), fc.constant([]), fc.constant({}))
const loosely = <Value>(right: fc.Arbitrary<Value>) =>
  fc.oneof({ weight: 8, arbitrary: right }, { weight: 1, arbitrary: nothing }, wrong)
const moment = fc.date({ noInvalidDate: true }).map((date) => date.toISOString())
const step = fc.record(
  {
    id: fc.oneof({ weight: 9, arbitrary: fc.string() }, fc.integer(), nothing),
    type: loosely(fc.constantFrom('run', 'tool', 'llm', 'RUN')),
    name: loosely(fc.string()),
    startTime: loosely(moment),
    input: fc.jsonValue(),
    tags: loosely(fc.array(fc.oneof({ weight: 9, arbitrary: fc.string() }, nothing))),
    scores: loosely(
      fc.array(
        fc.record({
          name: loosely(fc.string()),
          type: fc.constantFrom('AI', 'HUMAN', 'ROBOT'),
          value: loosely(fc.double()),
        }),
      ),
    ),
    generation: loosely(
      fc.record({ type: fc.constantFrom('CHAT', 'COMPLETION'), tokenCount: loosely(fc.nat()) }),
    ),
    unknown: fc.constant(1),
  },
  { requiredKeys: ['id'] },
)

test('a value of a batch is coerced as by GraphQL, and rejected when GraphQL rejects it', () => {
  fc.assert(
    fc.property(fc.oneof({ weight: 9, arbitrary: step }, fc.jsonValue()), (value) => {
      const expected = byGraphQL(value)
      const read = coerce('', value, STEP)
      if (expected === undefined) expect(read).toHaveProperty('refused.code', 'INVALID_ARGUMENT')
      else expect(read).toEqual({ value: expected })
    }),
    { numRuns: 2000 },
  )
})

test("a moment in JavaScript's form equals the same one in other forms", () => {
  fc.assert(
    fc.property(
      fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true }),
      (date) => {
        const text = date.toISOString()
        expect(parseInstant('at', text)).toBe(parseInstant('at', text.replace('Z', '+00:00')))
      },
    ),
  )
  for (const text of [
    '2026-02-30T10:00:00.000Z',
    '2026-01-01T24:00:00.000Z',
    '0000-01-01T00:00:00.000Z',
  ])
    expect(() => parseInstant('at', text)).toThrow(/^at: expected an ISO 8601 timestamp/)
})
