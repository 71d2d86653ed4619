import { Readable } from 'node:stream'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { capture } from '../src/values/capture.js'
import { runs } from './support/runs.js'
import { useService } from './support/service.js'

const fixture = useService()

class Answer {
  text = 'yes'
  _secret = 'private by name'
  #hidden = 'private'
  get length() {
    return this.#hidden.length
  }
}
class Failing {
  kept = 1
  toJSON(): never {
    throw new Error('toJSON')
  }
}
class Itself {
  kept = 1
  toJSON() {
    return this
  }
}
class Streaming {
  options = { a: 1 }
  base = new ReadableStream()
}
const cycle: Record<string, unknown> = { name: 'cycle' }
cycle.self = cycle

test.each<[string, () => unknown, unknown]>([
  [
    'numbers that are none',
    () => [Number.NaN, 1 / 0, -1 / 0, -0],
    ['NaN', 'Infinity', '-Infinity', 0],
  ],
  ['a Date', () => new Date(0), '1970-01-01T00:00:00.000Z'],
  ['a Date that is none', () => new Date(Number.NaN), 'Invalid Date'],
  ['a URL', () => new URL('https://example.org/a?b=c'), 'https://example.org/a?b=c'],
  ['a RegExp', () => /a+/g, '/a+/g'],
  ['a Set', () => new Set(['a', 1]), ['a', 1]],
  [
    'a Map of texts',
    () =>
      new Map([
        ['a', 1],
        ['b', 2],
      ]),
    { a: 1, b: 2 },
  ],
  [
    'a Map of objects',
    () =>
      new Map([
        [{ id: 1 }, 'a'],
        [{ id: 2 }, 'b'],
      ]),
    [
      [{ id: 1 }, 'a'],
      [{ id: 2 }, 'b'],
    ],
  ],
  [
    'a Map of keys that read alike',
    () =>
      new Map<unknown, string>([
        [1, 'a'],
        ['1', 'b'],
      ]),
    [
      [1, 'a'],
      ['1', 'b'],
    ],
  ],
  [
    'Headers',
    () => new Headers({ accept: 'text/html', authorization: 'Bearer secret' }),
    { accept: 'text/html', authorization: '[withheld]' },
  ],
  ['URLSearchParams', () => new URLSearchParams('a=1&b=2'), { a: '1', b: '2' }],
  [
    'URLSearchParams that repeat',
    () => new URLSearchParams('a=1&a=2'),
    [
      ['a', '1'],
      ['a', '2'],
    ],
  ],
  [
    'an Error with a cause',
    () => new TypeError('outer', { cause: new Error('inner') }),
    { name: 'TypeError', message: 'outer', cause: { name: 'Error', message: 'inner' } },
  ],
  [
    'an AggregateError',
    () => new AggregateError([new Error('one'), 'two'], 'both'),
    { name: 'AggregateError', message: 'both', errors: [{ name: 'Error', message: 'one' }, 'two'] },
  ],
  [
    'an Error with members',
    () => Object.assign(new Error('e'), { code: 'E1' }),
    { name: 'Error', message: 'e', code: 'E1' },
  ],
  [
    'bytes',
    () => [Buffer.from('abc'), new ArrayBuffer(4), new DataView(new ArrayBuffer(2))],
    ['[Buffer of 3 bytes]', '[ArrayBuffer of 4 bytes]', '[DataView of 2 bytes]'],
  ],
  [
    'vectors',
    () => [new Float32Array([0.5, Number.NaN]), new BigInt64Array([1n])],
    [[0.5, 'NaN'], ['1']],
  ],
  ['a symbol and a bigint', () => [Symbol('s'), 12n], ['Symbol(s)', '12']],
  ['boxed values', () => [Object(1), Object('a'), Object(false)], [1, 'a', false]],
  [
    'files',
    () => [new Blob(['abc'], { type: 'text/plain' }), new File(['ab'], 'a.txt')],
    ['[Blob of 3 bytes as text/plain]', '[File a.txt of 2 bytes]'],
  ],
  [
    'a form',
    () => {
      const form = new FormData()
      form.append('a', '1')
      return form
    },
    { a: '1' },
  ],
  [
    'a Request',
    () => new Request('https://example.org/', { method: 'POST', headers: { a: 'b' } }),
    { method: 'POST', url: 'https://example.org/', headers: { a: 'b' } },
  ],
  [
    'a Response',
    () => new Response('x', { status: 404, headers: { a: 'b' } }),
    {
      status: 404,
      statusText: '',
      url: '',
      headers: { a: 'b', 'content-type': 'text/plain;charset=UTF-8' },
    },
  ],
  [
    'what is still to come',
    () => [
      Promise.resolve(1),
      new ReadableStream(),
      Readable.from([]),
      new WeakMap(),
      new Streaming(),
    ],
    ['[Promise]', '[ReadableStream]', '[Readable]', '[WeakMap]', '[Streaming]'],
  ],
  [
    'an iterator',
    () =>
      (function* count() {
        yield 1
      })(),
    expect.stringMatching(/^\[.*Generator.*\]$/),
  ],
  ['an instance', () => new Answer(), { text: 'yes' }],
  ['an instance whose toJSON throws', () => new Failing(), { kept: 1 }],
  ['an instance whose toJSON gives itself', () => new Itself(), { kept: 1 }],
  ['a cycle', () => cycle, { name: 'cycle', self: '[circular]' }],
  [
    'a getter that throws',
    () => ({
      get a(): never {
        throw new Error('no')
      },
      b: 1,
    }),
    { a: '[unreadable: no]', b: 1 },
  ],
  [
    'what throws no error',
    () => ({
      get a(): never {
        throw Object.assign(new Error(), { message: Symbol('odd') })
      },
    }),
    { a: '[unreadable: Symbol(odd)]' },
  ],
  [
    'a proxy that was revoked',
    () => {
      const { proxy, revoke } = Proxy.revocable({}, {})
      revoke()
      return { proxy }
    },
    { proxy: expect.stringContaining('[unreadable: ') },
  ],
])('%s are captured with their content', (_, make, expected) => {
  const captured = capture(make(), 1_000_000)
  expect(captured).toEqual(expected)
  expect(JSON.parse(JSON.stringify(captured))).toEqual(captured)
})

test.each<[string, () => unknown, unknown]>([
  ['Date', () => new Date(0), '1970-01-01T00:00:00.000Z'],
  ['URL', () => new URL('https://example.org/'), 'https://example.org/'],
  ['Buffer', () => Buffer.from('abc'), '[Buffer of 3 bytes]'],
  ['RegExp', () => /a/, '/a/'],
  ['Set', () => new Set([1]), [1]],
  ['Symbol', () => Symbol('s'), 'Symbol(s)'],
  ['Streaming', () => new Streaming(), '[Streaming]'],
])('a returned %s is an output { output }', async (_, make, output) => {
  const client = await fixture.newClient()
  const value = make()
  expect(client.trace({ id: 'returns' }, () => value)).toBe(value)
  client.traced((given: unknown) => given, { name: 'takes' })(value)
  await client.flush()
  expect((await client.api.getStep('returns'))?.output).toEqual({ output })
  const { data } = await client.api.getSteps()
  expect(data.find(({ name }) => name === 'takes')?.input).toEqual({ arguments: [output] })
})

/** Ways to make values of every kind, hostile ones among them, nested in one another. */
const anything = (): fc.Arbitrary<() => unknown> => {
  const leaf: fc.Arbitrary<() => unknown> = fc.oneof(
    fc
      .anything({
        withBigInt: true,
        withBoxedValues: true,
        withDate: true,
        withMap: true,
        withNullPrototype: true,
        withObjectString: true,
        withSet: true,
        withSparseArray: true,
        withTypedArray: true,
      })
      .map((value) => () => value),
    fc.string({ unit: 'binary', maxLength: 50 }).map((value) => () => value),
    fc.constantFrom<() => unknown>(
      () => cycle,
      () => new Failing(),
      () => new Itself(),
      () => new Streaming(),
      () => Promise.resolve(1),
      () => new Headers({ a: 'b' }),
      () => new URLSearchParams('a=1&a=2'),
      () => new AggregateError([new Error('x')], 'y'),
      () => new Map([[{}, 1]]),
      () => Symbol.iterator,
      () => () => 1,
      () =>
        new Proxy(
          {},
          {
            get: () => {
              throw new Error('get')
            },
            getPrototypeOf: () => {
              throw new Error('proto')
            },
          },
        ),
      () =>
        new Proxy(
          {},
          {
            ownKeys: () => {
              throw new Error('keys')
            },
          },
        ),
      () => {
        const { proxy, revoke } = Proxy.revocable([], {})
        revoke()
        return proxy
      },
      () => ({
        toJSON: () => {
          throw {
            toString: () => {
              throw 1
            },
          }
        },
      }),
      () => ({
        get toJSON(): never {
          throw new Error('x'.repeat(10_000))
        },
      }),
      () => ({ toJSON: () => ({ toJSON: () => 1, a: 1 }) }),
      () => Object.create(new Answer()),
      () => new Error('e', { cause: { cause: cycle } }),
      () => Object.assign(Object.create(Error.prototype), { name: { toString: () => 1 } }),
      () => ['__proto__', JSON.parse('{"__proto__": {"a": 1}}')],
    ),
  )
  return fc.oneof(
    leaf,
    fc.array(leaf).map((list) => () => list.map((make) => make())),
    fc
      .array(fc.tuple(fc.string(), leaf))
      .map((pairs) => () => Object.fromEntries(pairs.map(([key, make]) => [key, make()]))),
    fc.tuple(leaf, leaf).map(
      ([key, value]) =>
        () =>
          new Map([[key(), value()]]),
    ),
  )
}

test('capturing never throws, returns JSON that reads back the same, and keeps to its budget', () => {
  fc.assert(
    fc.property(anything(), fc.integer({ min: 1, max: 2000 }), (make, most) => {
      const captured = capture(make(), most)
      if (captured === undefined) return
      const text = JSON.stringify(captured)
      expect(JSON.parse(text)).toEqual(captured)
      expect(text.length).toBeLessThan(most * 12 + 2000)
    }),
    { numRuns: runs(3000) },
  )
})

test('a value that can be read for ever is cut', () => {
  const endless = new (class extends Map<unknown, unknown> {
    override *[Symbol.iterator](): MapIterator<[unknown, unknown]> {
      for (let index = 0; ; index++) yield [index, index]
    }
  })()
  const chain: { toJSON: () => unknown; a: number } = { a: 1, toJSON: () => ({ ...chain }) }
  for (const value of [endless, new Set(Array(100_000).keys()), Array(1_000_000_000), chain])
    expect(JSON.stringify(capture(value, 1000)).length).toBeLessThan(10_000)
})

test('a copy is never longer than its characters and bytes allow, its marks included', () =>
  fc.assert(
    fc.property(
      fc.jsonValue({ stringUnit: 'binary' }),
      fc.string({ unit: 'binary', minLength: 2000, maxLength: 4000 }),
      fc.integer({ min: 500, max: 1500 }),
      fc.integer({ min: 500, max: 6000 }),
      (value, text, most, bytes) => {
        const copy = capture({ value, text }, most, bytes)
        expect(Buffer.byteLength(JSON.stringify(copy))).toBeLessThanOrEqual(bytes)
        expect((capture(text, most) as string).length).toBeLessThanOrEqual(most)
      },
    ),
    { numRuns: runs(200) },
  ))

test('a value within its bytes is kept whole, whatever its characters take', () =>
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
      const bytes = Buffer.byteLength(JSON.stringify(value))
      expect(capture(value, 1_000_000, bytes)).toEqual(capture(value, 1_000_000))
    }),
    { numRuns: runs(200) },
  ))
