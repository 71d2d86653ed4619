import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  GENERATION_LANGUAGE,
  SCORE_LANGUAGE,
  type ShownLanguage,
  STEP_LANGUAGE,
  THREAD_LANGUAGE,
  USER_LANGUAGE,
} from '../src/filter/fields.js'
import {
  type Condition,
  type Field,
  isGroup,
  type Node,
  parseFilter,
  showFilter,
  signsOf,
  toFilter,
} from '../src/filter/language.js'

const parse = (text: string, language: ShownLanguage = THREAD_LANGUAGE) => {
  const { nodes, mistakes } = parseFilter(text, language)
  return { conditions: nodes.filter((node) => !isGroup(node)) as Condition[], nodes, mistakes }
}
const filters = (text: string, language: ShownLanguage = THREAD_LANGUAGE) =>
  parse(text, language).conditions.map(toFilter)

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
    expect(filters('lost "two words"', STEP_LANGUAGE)).toEqual([
      { field: 'output', operator: 'ilike', value: 'lost' },
      { field: 'output', operator: 'ilike', value: 'two words' },
    ])
    expect(filters('error:any score[quality]:none', STEP_LANGUAGE)).toEqual([
      { field: 'error', operator: 'nis', value: null },
      { field: 'score', operator: 'is', value: null, path: 'quality' },
    ])
    expect(filters('name="none"', STEP_LANGUAGE)).toEqual([
      { field: 'name', operator: 'eq', value: 'none' },
    ])
  })

  test('keeps all digits of a moment, and takes one without a zone as UTC', () => {
    const valuesOf = (text: string) => filters(text).map(({ value }) => value)
    expect(
      valuesOf(
        'time>2026-11-21T10:00:00.123456Z time>2026-11-21T10:00+0130 time>"2026-11-21 10:00" time>2026-11',
      ),
    ).toEqual([
      '2026-11-21T10:00:00.123456Z',
      '2026-11-21T10:00+01:30',
      '2026-11-21T10:00Z',
      '2026-11-01T00:00Z',
    ])
  })

  test.each([
    ['durations>5', 0, 'durations is no field of this list'],
    ['name~a duration>soon', 16, 'expected a number'],
    ['time>yesterday', 5, 'expected a date or timestamp'],
    ['time>7', 5, 'expected a date or timestamp'],
    ['time>"Nov 5 2026"', 5, 'expected a date or timestamp'],
    ['time>2026-02-30', 5, 'expected a date or timestamp'],
    ['name="a","b"', 8, 'expected a space after the closing "'],
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
    const lists = [
      THREAD_LANGUAGE,
      STEP_LANGUAGE,
      GENERATION_LANGUAGE,
      SCORE_LANGUAGE,
      USER_LANGUAGE,
    ]
    const valueFor = (field: Field): fc.Arbitrary<string> => {
      if (field.values !== undefined) return fc.constantFrom(...field.values)
      if (field.kind === 'number') return fc.integer().map(String)
      if (field.kind === 'instant') return fc.constantFrom('2026-11-21', '2026-11-21T10:00:00Z')
      return fc.string({ minLength: 1, unit: 'grapheme' })
    }
    const condition = fc
      .constantFrom(...lists)
      .chain((language) => fc.tuple(fc.constant(language), fc.constantFrom(...language.fields)))
      .chain(([language, field]) =>
        fc.record({
          language: fc.constant(language),
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
      fc.property(condition, ({ language, condition: given }) => {
        const text = showFilter([given, given])
        const { conditions, mistakes } = parse(text, language)
        expect(mistakes, text).toEqual([])
        expect(conditions, text).toEqual([given, given])
      }),
    )
  })

  test('a minus negates a condition or a word, and is a word on its own', () => {
    expect(filters('-error:any -error:none -tags:a,b -user!:ada', STEP_LANGUAGE)).toEqual([
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
    expect(filters('-lost -"two words" - "-error:any"', STEP_LANGUAGE)).toEqual([
      { field: 'output', operator: 'nilike', value: 'lost' },
      { field: 'output', operator: 'nilike', value: 'two words' },
      { field: 'output', operator: 'ilike', value: '-' },
      { field: 'output', operator: 'ilike', value: '-error:any' },
    ])
    expect(filters('score[quality]<-0.5', STEP_LANGUAGE)).toEqual([
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
    list: [
      [':', 'in', 'nin'],
      ['~', 'ilike', 'nilike'],
    ],
  }

  test('every filter of the contract is written as text and read back, its negation with a minus', () => {
    const anyText = fc.string({ minLength: 1, unit: 'grapheme' })
    const filter = fc
      .constantFrom(
        THREAD_LANGUAGE,
        STEP_LANGUAGE,
        GENERATION_LANGUAGE,
        SCORE_LANGUAGE,
        USER_LANGUAGE,
      )
      .chain((language) => fc.tuple(fc.constant(language), fc.constantFrom(...language.fields)))
      .chain(([language, field]) =>
        fc.record({
          language: fc.constant(language),
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
      fc.property(filter, ({ language, field, operator, path, number, instant, texts }) => {
        const [sign, is, isNot] = operator
        const [first = ''] = texts
        const [text, value] =
          field.kind === 'number'
            ? [String(number), number]
            : field.kind === 'instant'
              ? [instant.toISOString(), instant.toISOString()]
              : field.kind === 'list' && sign === ':'
                ? [texts.map(quoted).join(','), texts]
                : [quoted(first), first]
        const head = `${field.name}${path === undefined ? '' : `[${quoted(path)}]`}`
        const rest = path === undefined ? {} : { path }
        const expected = (operators: readonly string[]) =>
          operators.map((one) => ({ field: field.filter, operator: one, value, ...rest }))
        const written = `${head}${sign}${text} -${head}${sign}${text}`
        expect(parse(written, language).mistakes, written).toEqual([])
        expect(filters(written, language), written).toEqual(expected([is, isNot]))
        // And as the builder and the address write it.
        const shown = showFilter(parse(written, language).conditions)
        expect(filters(shown, language), shown).toEqual(expected([is, isNot]))
        if (!field.isNullable || field.isCount) return
        const none = `${head}:none ${head}:any -${head}:none -${head}:any`
        expect(filters(none, language), none).toEqual(
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

  test('OR, brackets, NOT and any read back as they are written', () => {
    const leaf = (fields: readonly string[]): fc.Arbitrary<string> => fc.constantFrom(...fields)
    const group = (leaves: fc.Arbitrary<string>, depth: number): fc.Arbitrary<string> => {
      if (depth === 0) return leaves
      const inner = group(leaves, depth - 1)
      const several = fc.array(inner, { minLength: 1, maxLength: 3 })
      return fc.oneof(
        leaves,
        several.map((all) => all.join(' ')),
        several.map((all) => all.join(' OR ')),
        several.map((all) => `(${all.join(' AND ')})`),
        inner.map((one) => `-(${one})`),
        inner.map((one) => `NOT (${one})`),
        inner.map((one) => `any(${one.replaceAll(/any/g, 'some')})`),
      )
    }
    const leaves = leaf([
      'name=a',
      'name="a (b) OR"',
      'tags:x,y',
      '-tags:none',
      'score[q]:none',
      'AND=1',
    ])
    const isSteady = (text: string) => {
      const { nodes, mistakes } = parse(text)
      fc.pre(mistakes.length === 0)
      const shown = showFilter(nodes)
      const again = parse(shown)
      expect(again.mistakes, shown).toEqual([])
      expect(again.nodes, shown).toEqual(nodes)
      expect(showFilter(again.nodes)).toBe(shown)
    }
    fc.assert(fc.property(group(leaves, 3), isSteady), { numRuns: 1000 })
    for (const text of ['a OR b c', '-(a OR b) -any(error:any)', '(a b) OR (c -(d -(e)))'])
      isSteady(text)
  })

  test('AND binds closer than OR; brackets go first', () => {
    const shape = (node: Node): unknown =>
      isGroup(node) ? [node.join, ...node.of.map(shape)] : node.values?.join()
    const shapes = (text: string) => parse(text).nodes.map(shape)
    expect(shapes('a b OR c')).toEqual([['or', ['and', 'a', 'b'], 'c']])
    expect(shapes('a (b OR c) AND d')).toEqual(['a', ['or', 'b', 'c'], 'd'])
    expect(shapes('a NOT (b c) NOT d')).toEqual(['a', ['not', ['and', 'b', 'c']], 'd'])
    expect(shapes('any(type=tool error:any) OR x')).toEqual([
      ['or', ['some', 'tool', undefined], 'x'],
    ])
    expect(toFilter(parse('NOT d').conditions[0] as Condition).operator).toBe('nilike')
    expect(shapes(`${'NOT '.repeat(20_000)}d`)).toEqual(['d'])
    expect(shapes('NOT NOT NOT (b c)')).toEqual(shapes('NOT (b c)'))
  })

  test.each([
    ['name=f(x)', 'f(x)'],
    ['name=half)', 'half)'],
    ['name=OR', 'OR'],
    ['(name=f(x))', 'f(x)'],
    ['or', 'or'],
    ['ORDER', 'ORDER'],
    [')', ')'],
  ])('%s has the value %s, as before there were brackets', (text, value) => {
    const { conditions, mistakes } = parse(text)
    expect(mistakes).toEqual([])
    expect(conditions.map(({ values }) => values)).toEqual([[value]])
  })

  test.each([
    ['a OR', 2, 'expected a condition after OR'],
    ['OR a', 0, 'expected a condition before OR'],
    ['a OR OR b', 5, 'expected a condition before OR'],
    ['a AND', 2, 'expected a condition after AND'],
    ['a (b OR c', 2, 'expected a closing )'],
    ['a ()', 2, 'expected a condition inside the brackets'],
    ['NOT', 0, 'expected a condition after NOT'],
    ['any(durations>5)', 4, 'durations is no field of this list'],
    ['any(any(a))', 4, 'any(…) asks for one step of a thread'],
    [`${'('.repeat(21)}a`, 20, 'expected at most 20 brackets'],
    ['a '.repeat(101), 200, 'expected at most 100 conditions'],
    ['a'.repeat(100_001), 100_000, 'expected at most 100,000 characters'],
  ])('%s is told with its place', (text, at, message) => {
    expect(parse(text).mistakes[0]).toEqual({ at, message: expect.stringContaining(message) })
  })

  test('names of the contract work beside the short ones', () => {
    expect(
      filters('environment=prod participantIdentifiers:ada stepError~seats error~seats'),
    ).toEqual([
      { field: 'environment', operator: 'eq', value: 'prod' },
      { field: 'participantIdentifiers', operator: 'in', value: ['ada'] },
      { field: 'stepError', operator: 'ilike', value: 'seats' },
      { field: 'stepError', operator: 'ilike', value: 'seats' },
    ])
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
