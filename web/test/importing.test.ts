import fc from 'fast-check'
import { expect, test } from 'vitest'
import { rowNumbers } from '../src/pages/datasets/import/outlook.js'
import { Reader } from '../src/pages/datasets/import/reader.js'
import { placesOf, proposedTargets } from '../src/pages/datasets/import/targets.js'

const bytes = (text: string) => new TextEncoder().encode(text)

test('a file shows its columns with first values and a proposal, before anything is imported', () => {
  const reader = new Reader(
    'a.csv',
    bytes('id,question,answer,topic\n1,Where?,Here,x\n2,Who?,,y\n'),
  )
  expect(reader.rowCount).toBe(2)
  expect(reader.columns).toEqual([
    { name: 'id', samples: ['1', '2'], proposed: undefined },
    { name: 'question', samples: ['Where?', 'Who?'], proposed: 'input' },
    { name: 'answer', samples: ['Here'], proposed: 'expectedOutput' },
    { name: 'topic', samples: ['x', 'y'], proposed: 'metadata' },
  ])
})

test('a mapping says the items that it makes, and names the rows that it makes none of', () => {
  const reader = new Reader('a.jsonl', bytes('{"q":"a"}\nno\n{"q":"b","m":1}\n{"m":2}\n'))
  const targets = proposedTargets(reader.columns)
  targets.set('q', { part: 'input', path: 'user.text' })
  targets.set('m', { part: 'metadata', path: '' })
  const mapped = reader.map(placesOf(targets) ?? [])
  expect(mapped).toMatchObject({
    count: 2,
    badCount: 2,
    bad: [{ row: 2 }, { row: 4 }],
    first: { row: 1, input: { user: { text: 'a' } } },
  })
  expect(rowNumbers(mapped.bad, 2)).toBe('2, 4')
  expect(rowNumbers(mapped.bad, 40)).toBe('2, 4 and 38 more')
  targets.set('q', { part: 'input', path: 'user.' })
  expect(placesOf(targets)).toBeUndefined()
})

test('portions together are all items once, in the order of the file', () => {
  fc.assert(
    fc.property(fc.array(fc.boolean(), { maxLength: 1600 }), (isGood) => {
      const lines = isGood.map((good, at) => (good ? `{"input":{"at":${at}}}` : '{"other":1}'))
      const reader = new Reader('a.jsonl', bytes(lines.join('\n')))
      const { count, badCount } = reader.map([['input', 'input']])
      const seen: unknown[] = []
      for (let from: number | undefined = 0; from !== undefined; ) {
        const { items, next } = reader.portion(from)
        seen.push(...items.map(({ input }) => input.at))
        from = next
      }
      expect(seen).toEqual(isGood.flatMap((good, at) => (good ? [at] : [])))
      expect([count, badCount]).toEqual([seen.length, isGood.length - seen.length])
    }),
    { numRuns: 20 },
  )
})

test('a file in another encoding says so', () => {
  expect(() => new Reader('a.csv', new Uint8Array([0xff, 0xfe, 65]))).toThrow('expected UTF-8')
})
