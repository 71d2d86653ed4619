import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Condition, type Field, signsOf } from '../src/filter/condition.js'
import {
  GENERATION_FIELDS,
  SCORE_FIELDS,
  STEP_FIELDS,
  THREAD_FIELDS,
  USER_FIELDS,
  wordsOf,
} from '../src/filter/fields.js'
import { parseFilter } from '../src/filter/parse.js'
import { showFilter } from '../src/filter/show.js'
import { toFilters } from '../src/filter/to-filters.js'

const parse = (text: string, fields = THREAD_FIELDS) => parseFilter(text, fields, wordsOf(fields))
const filters = (text: string, fields = THREAD_FIELDS) => toFilters(parse(text, fields).conditions)

describe('the language of filters', () => {
  test('is one to one with the filters of the contract', () => {
    expect(
      filters(
        'name~refund user:ada,bob tags!:test duration>30 output[content]~"lost bag" score[quality]<0.5 error:none env=prod',
      ),
    ).toEqual([
      { field: 'name', operator: 'ilike', value: 'refund' },
      { field: 'participantIdentifiers', operator: 'in', value: ['ada', 'bob'] },
      { field: 'tags', operator: 'nin', value: ['test'] },
      { field: 'duration', operator: 'gt', value: 30 },
      { field: 'stepOutput', operator: 'ilike', value: 'lost bag', path: 'content' },
      { field: 'scoreValue', operator: 'lt', value: 0.5, path: 'quality' },
      { field: 'errorCount', operator: 'eq', value: 0 },
      { field: 'environment', operator: 'eq', value: 'prod' },
    ])
  })

  test('searches outputs for bare words, and reads none and any as missing and present', () => {
    expect(filters('lost "two words"', STEP_FIELDS)).toEqual([
      { field: 'output', operator: 'ilike', value: 'lost' },
      { field: 'output', operator: 'ilike', value: 'two words' },
    ])
    expect(filters('error:any score[quality]:none', STEP_FIELDS)).toEqual([
      { field: 'error', operator: 'nis', value: null },
      { field: 'score', operator: 'is', value: null, path: 'quality' },
    ])
    expect(filters('name="none"', STEP_FIELDS)).toEqual([
      { field: 'name', operator: 'eq', value: 'none' },
    ])
  })

  test.each([
    ['durations>5', 0, 'durations is no field of this list'],
    ['name~a duration>soon', 16, 'expected a number'],
    ['time>yesterday', 5, 'expected a date or timestamp'],
    ['env=nowhere', 4, 'expected dev, staging, prod, experiment'],
    ['name~"open', 5, 'expected a closing "'],
    ['output[content~x', 6, 'expected ] after the path'],
    ['name>3', 0, 'name takes ='],
    ['id:none', 3, 'never without a value'],
  ])('%s is a mistake at its place, and drops nothing that is valid', (text, at, message) => {
    const { mistakes } = parse(text)
    expect(mistakes[0]).toMatchObject({ at, message: expect.stringContaining(message) })
    const beside = parse(`tags:kept ${text}`)
    expect(beside.conditions[0]?.field.name).toBe('tags')
    expect(beside.mistakes[0]?.at).toBe(at + 'tags:kept '.length)
  })

  test('reads back the text that it writes', () => {
    const lists = [THREAD_FIELDS, STEP_FIELDS, GENERATION_FIELDS, SCORE_FIELDS, USER_FIELDS]
    const valueFor = (field: Field): fc.Arbitrary<string> => {
      if (field.values !== undefined) return fc.constantFrom(...field.values)
      if (field.kind === 'number') return fc.integer().map(String)
      if (field.kind === 'instant') return fc.constantFrom('2026-11-21', '2026-11-21T10:00:00Z')
      return fc.string({ minLength: 1, unit: 'grapheme' })
    }
    const condition = fc
      .constantFrom(...lists)
      .chain((fields) => fc.tuple(fc.constant(fields), fc.constantFrom(...fields)))
      .chain(([fields, field]) =>
        fc.record({
          fields: fc.constant(fields),
          condition: fc.constantFrom(...signsOf(field)).chain((sign) => {
            const isListed = sign === ':' || sign === '!:'
            const values: fc.Arbitrary<readonly string[] | null> =
              isListed && field.kind !== 'list'
                ? fc.constant(null)
                : isListed
                  ? fc.array(valueFor(field), { minLength: 1, maxLength: 3 })
                  : valueFor(field).map((value) => [value])
            return fc.record({
              field: fc.constant(field),
              path: field.hasPath
                ? fc.option(fc.string({ minLength: 1 }), { nil: undefined })
                : fc.constant(undefined),
              sign: fc.constant(
                field.kind === 'list' ? (sign === '=' ? ':' : sign === '!=' ? '!:' : sign) : sign,
              ),
              values,
            }) as fc.Arbitrary<Condition>
          }),
        }),
      )
    fc.assert(
      fc.property(condition, ({ fields, condition: given }) => {
        const text = showFilter([given, given])
        const { conditions, mistakes } = parseFilter(text, fields, wordsOf(fields))
        expect(mistakes, text).toEqual([])
        expect(conditions, text).toEqual([given, given])
      }),
    )
  })

  test('a minus negates a condition or a word, and is a word on its own', () => {
    expect(filters('-error:any -error:none -tags:a,b -user!:ada', STEP_FIELDS)).toEqual([
      { field: 'error', operator: 'is', value: null },
      { field: 'error', operator: 'nis', value: null },
      { field: 'tags', operator: 'nin', value: ['a', 'b'] },
      { field: 'participantIdentifiers', operator: 'in', value: ['ada'] },
    ])
    expect(filters('-error:any -duration>5 -output[content]!~"lost bag"')).toEqual([
      { field: 'errorCount', operator: 'eq', value: 0 },
      { field: 'duration', operator: 'lte', value: 5 },
      { field: 'stepOutput', operator: 'ilike', value: 'lost bag', path: 'content' },
    ])
    expect(filters('-lost -"two words" - "-error:any"', STEP_FIELDS)).toEqual([
      { field: 'output', operator: 'nilike', value: 'lost' },
      { field: 'output', operator: 'nilike', value: 'two words' },
      { field: 'output', operator: 'ilike', value: '-' },
      { field: 'output', operator: 'ilike', value: '-error:any' },
    ])
    expect(filters('score[quality]<-0.5', STEP_FIELDS)).toEqual([
      { field: 'score', operator: 'lt', value: -0.5, path: 'quality' },
    ])
    expect(parse('-durations>5').mistakes[0]?.message).toContain(
      'durations is no field of this list',
    )
  })

  /** The operators of the contract for each kind of field, with their negations. */
  const CONTRACT: Record<Field['kind'], readonly [sign: string, is: string, isNot: string][]> = {
    string: [
      ['=', 'eq', 'neq'],
      ['~', 'ilike', 'nilike'],
    ],
    json: [
      ['=', 'eq', 'neq'],
      ['~', 'ilike', 'nilike'],
    ],
    number: [
      ['=', 'eq', 'neq'],
      ['>', 'gt', 'lte'],
      ['>=', 'gte', 'lt'],
      ['<', 'lt', 'gte'],
      ['<=', 'lte', 'gt'],
    ],
    instant: [
      ['>', 'gt', 'lte'],
      ['>=', 'gte', 'lt'],
      ['<', 'lt', 'gte'],
      ['<=', 'lte', 'gt'],
    ],
    list: [[':', 'in', 'nin']],
  }

  test('every filter of the contract is written as text and read back, its negation with a minus', () => {
    const anyText = fc.string({ minLength: 1, unit: 'grapheme' })
    const filter = fc
      .constantFrom(THREAD_FIELDS, STEP_FIELDS, GENERATION_FIELDS, SCORE_FIELDS, USER_FIELDS)
      .chain((fields) => fc.tuple(fc.constant(fields), fc.constantFrom(...fields)))
      .chain(([fields, field]) =>
        fc.record({
          fields: fc.constant(fields),
          field: fc.constant(field),
          operator: fc.constantFrom(...CONTRACT[field.kind]),
          path: field.hasPath ? fc.option(anyText, { nil: undefined }) : fc.constant(undefined),
          number: fc.double({ noNaN: true, noDefaultInfinity: true }).map((one) => one || 0),
          instant: fc.date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) }),
          texts: fc.array(field.values === undefined ? anyText : fc.constantFrom(...field.values), {
            minLength: 1,
            maxLength: 4,
          }),
        }),
      )
    const quoted = (text: string) => `"${text.replace(/["\\]/g, '\\$&')}"`
    fc.assert(
      fc.property(filter, ({ fields, field, operator, path, number, instant, texts }) => {
        const [sign, is, isNot] = operator
        const [first = ''] = texts
        const [text, value] =
          field.kind === 'number'
            ? [String(number), number]
            : field.kind === 'instant'
              ? [instant.toISOString(), instant.toISOString()]
              : field.kind === 'list'
                ? [texts.map(quoted).join(','), texts]
                : [quoted(first), first]
        const head = `${field.name}${path === undefined ? '' : `[${quoted(path)}]`}`
        const rest = path === undefined ? {} : { path }
        const expected = (operators: readonly string[]) =>
          operators.map((one) => ({ field: field.filter, operator: one, value, ...rest }))
        const written = `${head}${sign}${text} -${head}${sign}${text}`
        expect(parse(written, fields).mistakes, written).toEqual([])
        expect(filters(written, fields), written).toEqual(expected([is, isNot]))
        // And as the builder and the address write it.
        const shown = showFilter(parse(written, fields).conditions)
        expect(filters(shown, fields), shown).toEqual(expected([is, isNot]))
        if (!field.isNullable || field.toFilter !== undefined) return
        const none = `${head}:none ${head}:any -${head}:none -${head}:any`
        expect(filters(none, fields), none).toEqual(
          ['is', 'nis', 'nis', 'is'].map((one) => ({
            field: field.filter,
            operator: one,
            value: null,
            ...rest,
          })),
        )
      }),
      { numRuns: 1000 },
    )
  })

  test('never throws, whatever is typed', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const { conditions, mistakes } = parse(text)
        expect(conditions.length + mistakes.length >= 0).toBe(true)
        for (const { at } of mistakes) expect(at).toBeLessThanOrEqual(text.length)
      }),
    )
  })
})
