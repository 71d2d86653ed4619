import { createService } from '@stepwell/server'
import fc from 'fast-check'
import {
  buildSchema,
  getOperationAST,
  isInterfaceType,
  isUnionType,
  OverlappingFieldsCanBeMergedRule,
  parse,
  validate,
} from 'graphql'
import { describe, expect, test } from 'vitest'
import { runs } from '../../test/support/runs.js'
import { typeDefs } from '../generated/type-defs.js'
import { Documents } from '../src/graphql/engine/documents.js'
import { asksTooMuch } from '../src/graphql/engine/limits/answer-values.js'
import { conflictIn } from '../src/graphql/engine/mergeable.js'
import { asker } from './support/ask.js'

const schema = buildSchema(typeDefs)
const atOnce = () => undefined
const times = (count: number, field: string, alias = 'a'): string =>
  Array.from({ length: count }, (_, index) => `${alias}${index}: ${field}`).join(' ')

/** Returns the reason for which an operation with its variables is rejected before it reads anything. */
const refusalOf = (query: string, variables = {}, name?: string): string | undefined => {
  const document = parse(query)
  const operation = getOperationAST(document, name)
  if (!operation) throw new Error('no operation')
  return asksTooMuch({ schema, document, operation, variables })?.message
}
const tooMany = (field: string) => `${field}: expected such fields at most 12 times in a document`

describe('fields with one name in the answer', () => {
  test('the schema has no type of several kinds, in which such fields might differ', () => {
    const types = Object.values(schema.getTypeMap())
    expect(types.filter((type) => isInterfaceType(type) || isUnionType(type))).toEqual([])
  })

  test('are rejected exactly when GraphQL’s own rule rejects them, through any fragments', () => {
    const { selection } = fc.letrec<{ selection: string; set: string }>((tie) => ({
      set: fc
        .array(tie('selection'), { minLength: 1, maxLength: 4 })
        .map((all) => `{ ${all.join(' ')} }`),
      selection: fc.oneof(
        { maxDepth: 3 },
        fc.constantFrom('id', 'a: id', 'a: name', 'name', 'b: id'),
        fc
          .tuple(
            fc.constantFrom('', 'a: ', 'b: '),
            fc.constantFrom(
              'step(id: "1")',
              'step(id: "2")',
              'step(id: $x)',
              'threadDetail(id: "1")',
              'parent',
              'steps',
            ),
            tie('set'),
          )
          .map((parts) => parts.join(' ')),
        tie('set').map((set) => `... ${set}`),
      ),
    }))
    const list = fc.array(selection, { minLength: 1, maxLength: 6 }).map((all) => all.join(' '))
    let refused = 0
    fc.assert(
      fc.property(list, list, list, (root, f, g) => {
        const document = parse(
          `query q($x: String!) { ${root} ...f ...g } fragment f on Query { ${f} } fragment g on Query { ${g} }`,
        )
        const expected = validate(schema, document, [OverlappingFieldsCanBeMergedRule]).length > 0
        if (expected) refused++
        expect(conflictIn(document) !== undefined).toBe(expected)
      }),
      { numRuns: runs(2000) },
    )
    expect(refused).toBeGreaterThan(runs(200))
  })

  test('are checked in a document of eight thousand of them', async () => {
    const nest = (levels: number): string =>
      levels === 0 ? 'id' : `step(id: "x") { ${`thread { ${nest(levels - 1)} } `.repeat(20)} }`
    const documents = new Documents(schema)
    const query = `{ ${`threadDetail(id: "x") { ${'steps { thread { id participant { id } } } '.repeat(90)} } `.repeat(90)} ${nest(1)} }`
    const prepared = await documents.prepare(query, query.length * 100, atOnce)
    expect('errors' in prepared || prepared.document).toBeTruthy()
  })
})

describe('cached documents', () => {
  test('have a memory limit, and the oldest make room for others', async () => {
    const documents = new Documents(schema)
    const query = (at: number) =>
      `#${at}${'x'.repeat(90_000)}\n{ ${'... { __typename } '.repeat(90)} }`
    for (let at = 0; at < 500; at++) await documents.prepare(query(at), 100_000, atOnce)
    expect(documents.bytes).toBeGreaterThan(16_000_000)
    expect(documents.bytes).toBeLessThanOrEqual(32_000_000)
    expect(documents.prepare(query(499), 100_000, atOnce)).not.toBeInstanceOf(Promise)
    expect(documents.prepare(query(0), 100_000, atOnce)).toBeInstanceOf(Promise)
  })

  test('include neither rejected nor long ones', async () => {
    const documents = new Documents(schema)
    for (const query of [
      '{ nothing }',
      '{ steps(',
      '#'.repeat(100),
      `#${'x'.repeat(200_000)}\n{ __typename }`,
    ])
      await documents.prepare(query, 1000, atOnce)
    expect(documents.bytes).toBe(0)
  })

  test('are parsed once when they come twice', async () => {
    const documents = new Documents(schema)
    const first = await documents.prepare('{ __typename }', 100, atOnce)
    expect('document' in first).toBe(true)
    expect(await documents.prepare('{ __typename }', 100, atOnce)).toBe(
      documents.prepare('{ __typename }', 100, atOnce),
    )
  })
})

test('include a large one, which is validated in parts, between which others have their turn', async () => {
  const fields = Array.from({ length: 3000 }, (_, at) => `a${at}: ingestStep(id: "${at}") { ok }`)
  const query = `mutation { ${fields.join(' ')} }`
  let turns = 0
  const prepared = await new Documents(schema).prepare(query, query.length, () => {
    turns++
    return undefined
  })
  expect('document' in prepared).toBe(true)
  expect(turns).toBeGreaterThan(5)
})

test('a document of more than a million lines is refused before it is parsed', async () => {
  const query = `{ step(id: """${'\n'.repeat(1_000_001)}""") { id } }`
  expect(await new Documents(schema).prepare(query, query.length, atOnce)).toMatchObject({
    errors: [{ message: 'the document has more than 1000000 lines' }],
  })
})

test('a long document that does not fit the schema is refused without them, as it would be parsed again', async () => {
  const query = `{ nothing(text: """${'\n'.repeat(200_000)}""") }`
  const prepared = await new Documents(schema).prepare(query, query.length, atOnce)
  const [error] = 'errors' in prepared ? prepared.errors : []
  expect(error?.message).toContain('nothing')
  expect(error?.locations).toBeUndefined()
})

test('a document that does not fit the schema is refused with line and column', async () => {
  const documents = new Documents(schema)
  for (const [query, place] of [
    ['{\n  threads { nothing }\n}', { line: 2, column: 13 }],
    ['{ steps(', { line: 1, column: 9 }],
    ['query A {\n  step(id: "1") { id: id a: id\n id: name } }', { line: 2, column: 19 }],
  ] as const) {
    const prepared = await documents.prepare(query, query.length, atOnce)
    const [error] = 'errors' in prepared ? prepared.errors : []
    expect(error?.toJSON().locations?.[0], query).toEqual(place)
  }
})

test.each([
  [
    'metrics',
    (n: number) =>
      `${times(n, 'metrics(subject: steps, from: "2026-01-01", to: "2026-01-02") { __typename }')}`,
  ],
  [
    'facets',
    (n: number) =>
      `... F ... F } fragment F on Query { ${times(n / 2, 'facets(field: name) { value }')}`,
  ],
  ['outline', (n: number) => times(n, 'outline(threadId: "t") { revision }')],
  ['matches', (n: number) => `o: outline(threadId: "t") { ${times(n - 1, 'matches(text: "x")')} }`],
])('a document with %s more than 12 times is rejected before any of them is read', (name, of) => {
  expect(refusalOf(`{ ${of(14)} }`)).toBe(tooMany(name))
  expect(refusalOf(`{ ${of(12)} }`)).toBeUndefined()
})

test('operations of one document may each have as many expensive fields as a document of their own', () => {
  const fields = times(12, 'outline(threadId: "t") { revision }')
  const query = `query A { ${fields} } query B { ${fields} b: outline(threadId: "t") { revision } }`
  expect(refusalOf(query, {}, 'A')).toBeUndefined()
  expect(refusalOf(query, {}, 'B')).toBe(tooMany('outline'))
})

test.each([
  ['@skip(if: true)', {}],
  ['@include(if: false)', {}],
  ['@skip(if: $yes)', { yes: true }],
  ['@include(if: $no)', { no: false }],
  ['@skip(if: $yesUnlessSaid)', {}],
  ['@include(if: true) @skip(if: true)', {}],
])('fields that %s leaves out do not count, in fragments either', (directive, variables) => {
  const left = `outline(threadId: "t") ${directive} { revision }`
  const of = (fields: string) =>
    `query($yes: Boolean = false, $no: Boolean = true, $yesUnlessSaid: Boolean = true) { ${fields} }
     fragment F on Query { ${times(12, 'outline(threadId: "t") { revision }', 'f')} }`
  expect(refusalOf(of(`${times(50, left)} ...F`), variables)).toBeUndefined()
  expect(refusalOf(of(`...F ...F ${directive}`), variables)).toBeUndefined()
  expect(refusalOf(of(`...F ... on Query ${directive} { ...F }`), variables)).toBeUndefined()
  const read = { yes: false, no: true, yesUnlessSaid: false }
  if (directive.includes('$'))
    expect(refusalOf(of(`${times(50, left)} ...F`), read)).toBe(tooMany('outline'))
})

test.each(['@skip(if: false)', '@include(if: true)', '@include(if: $yes)', '@skip(if: $no)'])(
  'fields that %s does not leave out count',
  (directive) => {
    const fields = times(13, `outline(threadId: "t") ${directive} { revision }`)
    const query = `query($yes: Boolean!, $no: Boolean!) { ${fields} }`
    expect(refusalOf(query, { yes: true, no: false })).toBe(tooMany('outline'))
  },
)

test('a service answers many expensive fields of which directives leave out all but a few', async () => {
  const service = await createService()
  try {
    const ask = asker(service, (await service.createProject('directives')).apiKey)
    const query = `query($all: Boolean!) { some: outline(threadId: "t") { revision } ${times(20, 'outline(threadId: "t") @include(if: $all) { revision }')} }`
    expect(await ask(query, { all: false })).toEqual({ some: null })
    await expect(ask(query, { all: true })).rejects.toThrow('at most 12 times')
  } finally {
    await service.close()
  }
})
