import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Texts } from '../src/model-calls/body/texts.js'

test('pieces of UTF-8 give the text that they give together, however they are cut', () => {
  const bytes = fc.array(
    fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 4 }).map((text) => new TextEncoder().encode(text)),
      fc.constant(new Uint8Array([0xef, 0xbb, 0xbf])),
      fc.uint8Array({ maxLength: 3 }),
    ),
    { maxLength: 8 },
  )
  fc.assert(
    fc.property(bytes, fc.array(fc.nat({ max: 5 }), { maxLength: 30 }), (parts, lengths) => {
      const all = Buffer.concat(parts)
      const texts = new Texts()
      let text = ''
      let start = 0
      for (const length of lengths) {
        text += texts.of(all.subarray(start, start + length))
        start = Math.min(all.length, start + length)
      }
      text += texts.of(all.subarray(start))
      // Gives up a character that is still divided, as at the end of an answer that was cut off.
      text += texts.of(new Uint8Array([0x21]))
      expect(text).toBe(new TextDecoder().decode(Buffer.concat([all, Buffer.from('!')])))
    }),
    { numRuns: 2000 },
  )
})
