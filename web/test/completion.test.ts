import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { STEP_LANGUAGE, THREAD_LANGUAGE } from '../src/filter/fields.js'
import { parseFilter } from '../src/filter/language.js'
import { placeAt } from '../src/filter/place.js'
import { facetAt, suggest } from '../src/filter/suggest.js'

/** Reads a text whose caret is at the `|`. */
const at = (marked: string, language = THREAD_LANGUAGE) =>
  placeAt(marked.replace('|', ''), marked.indexOf('|'), language)
const offered = (marked: string, values: string[] = [], language = THREAD_LANGUAGE) => {
  const place = at(marked, language)
  const occurring = values.map((value, index) => ({ value, count: 100 - index }))
  return place === undefined ? [] : suggest(place, occurring)
}
const labels = (...given: Parameters<typeof offered>) => offered(...given).map(({ label }) => label)

describe('the place of the caret', () => {
  test.each([
    ['|', 'field', 0, ''],
    ['env=prod du|', 'field', 9, 'du'],
    ['env=pr|', 'value', 4, 'pr'],
    ['tags:a,b|', 'value', 7, 'b'],
    ['score[qu|', 'path', 6, 'qu'],
    ['score["a b|', 'path', 6, 'a b'],
    ['-err|', 'field', 1, 'err'],
    ['(env=prod OR er|', 'field', 13, 'er'],
    ['name="lost b|', 'value', 5, 'lost b'],
    ['du| env=prod', 'field', 0, 'du'],
  ])('%s', (marked, part, from, word) => {
    expect(at(marked)).toMatchObject({ part, from, word })
  })

  test('has the fields of steps inside of any(…), and those of threads behind it', () => {
    const inside = at('any(type=tool err|')
    const behind = at('any(type=tool) err|')
    expect(inside?.part === 'field' && inside.language).toBe(THREAD_LANGUAGE.some?.language)
    expect(behind?.part === 'field' && behind.language).toBe(THREAD_LANGUAGE)
    expect(at('any(start|')).toBeDefined()
    expect(at('any(error:any OR (parent=|')).toMatchObject({ part: 'value' })
    expect(at('(parent=|')).toBeUndefined()
  })

  test('offers nothing for a name that is no field', () => {
    expect(at('durations>|')).toBeUndefined()
  })
})

describe('what is offered', () => {
  test('fields and forms by their beginning', () => {
    expect(labels('|')).toContain('any(…)')
    expect(labels('|', [], STEP_LANGUAGE)).not.toContain('any(…)')
    expect(labels('dur|')).toEqual(['duration'])
    expect(labels('O|')).toContain('OR')
    expect(offered('scor|')[0]).toMatchObject({ label: 'score', insert: 'score[' })
  })

  test('the operators of a field that is written out', () => {
    expect(labels('duration|')).toEqual([
      ...['duration=', 'duration!=', 'duration>', 'duration>=', 'duration<', 'duration<='],
      ...['duration:none', 'duration:any'],
    ])
  })

  test('values with their counts, those of an enum, and any and none', () => {
    expect(offered('user:ad|', ['ada', 'adam', 'bob'])).toEqual([
      { label: 'ada', detail: '100×', insert: 'ada', isEnd: true },
      { label: 'adam', detail: '99×', insert: 'adam', isEnd: true },
    ])
    expect(labels('env=|')).toEqual(['dev', 'staging', 'prod', 'experiment'])
    expect(labels('error:|')).toEqual(['any', 'none'])
    expect(labels('id:|')).toEqual([])
    expect(offered('score[|', ['a]b', 'quality']).map(({ insert }) => insert)).toEqual([
      '"a]b"]',
      'quality]',
    ])
    expect(labels('score[quality]:|', ['quality'])).toEqual(['any', 'none'])
  })

  test('values from the facet of the field, names of scores for its path', () => {
    expect(facetAt(at('user:|'))).toBe('user')
    expect(facetAt(at('score[|'))).toBe('score')
    expect(facetAt(at('score[quality]<|'))).toBeUndefined()
    expect(facetAt(at('duration>|'))).toBeUndefined()
    expect(facetAt(at('us|'))).toBeUndefined()
  })

  test('every value that is offered reads back as itself', () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 1, unit: 'grapheme' }),
        fc.constantFrom('user:', 'step='),
        (value, head) => {
          const [option] = offered(`${head}|`, [value]).filter(({ label }) => label === value)
          fc.pre(option !== undefined && value !== 'any' && value !== 'none')
          const { nodes, mistakes } = parseFilter(head + option?.insert, THREAD_LANGUAGE)
          expect(mistakes).toEqual([])
          expect(nodes).toMatchObject([{ values: [value] }])
        },
      ),
    )
  })

  test('never throws, wherever the caret is', () => {
    fc.assert(
      fc.property(fc.string(), fc.nat(), (text, caret) => {
        const place = placeAt(text, Math.min(caret, text.length), THREAD_LANGUAGE)
        if (place !== undefined) expect(place.from).toBeLessThanOrEqual(text.length)
      }),
    )
  })
})
