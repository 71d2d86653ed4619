import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeJson, decodeText, encodeJson, encodeText } from '../src/database/text.js'
import { createClock, parseInstant, showInstant } from '../src/kernel/instant.js'

/** Texts of any UTF-16 units: NUL, lone surrogates, pairs, and the escape itself. */
const anyText = fc
  .array(
    fc.oneof(
      fc.constantFrom(0, 0xd800, 0xdc00, 0xfdd0, 0xd83d, 0xde00, 0x5c, 0x75, 0x30),
      fc.integer({ min: 0, max: 0xffff }),
    ),
  )
  .map((units) => String.fromCharCode(...units))
const anyJson = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    anyText,
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(anyText, tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
})).value

test('any text survives its form for the database, which has neither NUL nor lone surrogates', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const encoded = encodeText(text)
      expect(decodeText(encoded)).toBe(text)
      expect(encoded).not.toMatch(
        /\0|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/,
      )
    }),
  )
})

test('any JSON survives it too', () => {
  fc.assert(
    fc.property(anyJson, (value) => {
      const encoded = encodeJson(value)
      expect(decodeJson(encoded)).toEqual(value)
      expect(encoded).not.toMatch(/(?<!\\)(\\\\)*\\u(0000|d[89a-f])/)
    }),
  )
})

test.each([
  ['2026-11-21T10:00:00Z', '2026-11-21T10:00:00.000Z'],
  ['2026-11-21T10:00:00.123456+00:00', '2026-11-21T10:00:00.123456Z'],
  ['2026-11-21T10:00:00.5+02:00', '2026-11-21T08:00:00.500Z'],
  ['2026-11-21 10:00', '2026-11-21T10:00:00.000Z'],
  ['2024-02-29', '2024-02-29T00:00:00.000Z'],
  ['2026-11-21T10:00:00.123456789-0530', '2026-11-21T15:30:00.123456Z'],
  ['2026-11-21T10:00:00+14:00', '2026-11-20T20:00:00.000Z'],
])('%s is the moment %s', (given, shown) => {
  expect(showInstant(parseInstant('at', given))).toBe(shown)
})

test.each([
  'yesterday',
  '2026-02-30T00:00:00Z',
  '2026-13-01',
  '2026-01-01T25:00:00Z',
  '2026-01-01T00:00:00+99:99',
  '2026-01-01T00:00:00-01:60',
  '2026-01-01T00:00:00+16:01',
  '10000-01-01T00:00:00Z',
  '0000-01-01',
  '',
  5,
  null,
])('%j is no moment, and the message names the field', (given) => {
  expect(() => parseInstant('startTime', given)).toThrow(
    /^startTime: expected an ISO 8601 timestamp/,
  )
})

test('the clock never returns a moment twice, even when time stands still or goes back', () => {
  const times = [5, 5, 3, 6]
  const clock = createClock(() => times.shift() ?? 0)
  const moments = [clock(), clock(), clock(), clock(), clock()]
  expect([...new Set(moments)].sort()).toEqual(moments)
})
