import fc from 'fast-check'
import { expect, test } from 'vitest'
import { checkArguments } from '../src/api/calls/arguments.js'
import { deserialize, serialize } from '../src/sync/parameters.js'
import { refuseUnwritable } from '../src/values/unwritable.js'

/** Bytes that count the reads of a member beside them: each walk over their members is one. */
const countedBytes = () => {
  const reads = { count: 0 }
  const bytes = Object.defineProperty(new Uint8Array(8), 'origin', {
    enumerable: true,
    get: () => ++reads.count,
  })
  return { bytes, reads }
}

test.each(['createAttachment', 'create_attachment'])(
  '%s() checks its arguments without reading the bytes among them',
  (method) => {
    const { bytes, reads } = countedBytes()
    checkArguments(method, [{ content: bytes, name: 'a' }])
    checkArguments(method, [{ path: 'a', metadata: bytes }])
    expect(reads.count).toBe(0)
  },
)

test('members of a file that is read elsewhere are no parameters of an attachment', () => {
  const picture = { content: 'x', name: 'a.png', width: 100, isHidden: true }
  expect(() => checkArguments('createAttachment', [picture])).not.toThrow()
})

test('content is passed to the thread of stepwell/sync without being read', () => {
  const { bytes, reads } = countedBytes()
  const [sent] = serialize([{ content: bytes, name: 'a' }])
  expect(reads.count).toBe(0)
  expect(sent?.content).toBe(bytes)
  expect(sent?.json).toBe('{"name":"a"}')
})

test('a payload that looks like a value without JSON stays what it is on its way to the thread of stepwell/sync', () => {
  for (const kind of ['function', 'bigint', 'date', 'number', 'symbol', 'object']) {
    const payload = { 'stepwell:kind': kind, value: 'x' }
    const parameter = { id: 's', input: payload, metadata: payload, cost: 1n, tags: ['a'] }
    expect(deserialize(serialize([parameter, payload]))).toEqual([parameter, payload])
  }
})

test('the members of content of any class are not listed', () => {
  const ownKeys = () => expect.unreachable('they were listed')
  const content = new Proxy({}, { ownKeys })
  expect(() => checkArguments('createAttachment', [{ content, name: 'a' }])).not.toThrow()
})

const key = fc.stringMatching(/^[a-z]{1,5}$/).filter((name) => name !== 'content')
const index = fc.nat({ max: 3 })

test('a date that is none is named with its place, at any place down to two objects', () =>
  fc.assert(
    fc.property(fc.array(fc.oneof(key, index), { maxLength: 6 }), (path) => {
      const build = (rest: (string | number)[]): unknown => {
        const [first, ...others] = rest
        if (first === undefined) return new Date(Number.NaN)
        const inner = build(others)
        return typeof first === 'string'
          ? { first: 1, [first]: inner }
          : [...Array.from({ length: first }, () => ({ value: 1 })), inner]
      }
      const place = path
        .map((part) => (typeof part === 'string' ? `.${part}` : `[${part}]`))
        .join('')
        .replace(/^\./, '')
      const check = () => refuseUnwritable('', build(path))
      if (path.filter((part) => typeof part === 'string').length > 2) expect(check).not.toThrow()
      else expect(check).toThrow(`${place}: expected a valid Date, got Invalid Date`)
    }),
  ))
