import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readSegment, segment } from '../src/address/segment.js'
import { readTags, showTags } from '../src/pages/thread/tag-list.js'

const anyText = fc.string({
  unit: fc.oneof(
    fc.constantFrom('\uD800', '\uDFFF', '%', '/', ',', '"', '\\', ' '),
    fc.string({ unit: 'binary', maxLength: 2 }),
  ),
})

test('every id has an address of its own, a lone surrogate too, and can be read from it', () => {
  fc.assert(
    fc.property(anyText, (id) => {
      const written = segment(id)
      expect(written).toMatch(/^[!-~]*$/)
      expect(written).not.toContain('/')
      expect(readSegment(written)).toBe(id)
    }),
    { numRuns: 2000 },
  )
  expect(readSegment('100%')).toBe('100%')
})

test('tags survive the line in which they are edited, with any content', () => {
  fc.assert(
    fc.property(fc.array(anyText, { maxLength: 6 }), (tags) => {
      expect(readTags(showTags(tags))).toEqual(tags)
    }),
    { numRuns: 2000 },
  )
  expect(readTags(' a, b ,, "c, d" ,e')).toEqual(['a', 'b', 'c, d', 'e'])
})
