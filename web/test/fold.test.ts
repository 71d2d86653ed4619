import { diffWordsWithSpace } from 'diff'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fold } from '../src/values/fold.js'

const text = fc
  .array(fc.constantFrom('a', 'b', ' ', '\n', 'word', '\n\n', '🙂'), { maxLength: 60 })
  .map((pieces) => pieces.join(''))

test('a folded comparison still has both texts, and folds unchanged text alone', () => {
  fc.assert(
    fc.property(text, text, (from, to) => {
      const folded = fold(diffWordsWithSpace(from, to))
      const textOf = (left: 'added' | 'removed') =>
        folded
          .filter((part) => part.kind === 'folded' || part[left] !== true)
          .map(({ value }) => value)
          .join('')
      expect(textOf('added')).toBe(from)
      expect(textOf('removed')).toBe(to)
      for (const part of folded)
        if (part.kind === 'folded') expect(part.value.split(/(?<=\n)/)).toHaveLength(part.lines)
    }),
  )
})

test('two lines stay on each side of a change, and a long rest is folded', () => {
  const lines = Array.from({ length: 9 }, (_, index) => `line ${index}\n`)
  expect(
    fold([{ value: lines.join('') }, { value: 'new\n', added: true }, { value: lines.join('') }]),
  ).toEqual([
    { kind: 'folded', value: lines.slice(0, 7).join(''), lines: 7 },
    { kind: 'shown', value: lines.slice(7).join('') },
    { kind: 'shown', value: 'new\n', added: true },
    { kind: 'shown', value: lines.slice(0, 2).join('') },
    { kind: 'folded', value: lines.slice(2).join(''), lines: 7 },
  ])
})

test('no line is folded to save nothing', () => {
  const parts = [{ value: 'a\nb\nc\n' }, { value: 'new', added: true }]
  expect(fold(parts)).toEqual(parts.map((part) => ({ ...part, kind: 'shown' })))
})
