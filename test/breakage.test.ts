import { buildSchema, parse, printSchema } from 'graphql'
import { expect, test } from 'vitest'
import { breakagesBetween } from '../src/contract/breakage.js'
import { type Operation, ownOperations } from '../src/contract/operations.js'
import { readRecordedSchema, readSchema } from './support/schema.js'

const BEFORE = `
  type Query {
    step(id: String!, size: Int): Step
    steps(filter: Filter, kind: Kind): [Step!]!
  }
  type Mutation { send(step: StepInput!): Step }
  type Step { id: String! name: String kind: Kind }
  enum Kind { RUN TOOL }
  input Filter { name: String nested: Nested }
  input Nested { kind: Kind }
  input StepInput { id: String! kind: Kind }
`
const operation = (text: string): Operation => {
  const document = parse(text)
  const [node] = document.definitions
  const name = node?.kind === 'OperationDefinition' ? (node.name?.value ?? '') : ''
  return { name, where: 'app.graphql', document }
}
const OPERATIONS = [
  'query Get { step(id: "a") { id } }',
  'query Named($id: String!) { step(id: $id) { ...F } } fragment F on Step { name }',
  'query Sized { step(id: "a", size: 3) { id } }',
  'query List($filter: Filter) { steps(filter: $filter) { id } }',
  'query Kinds { steps(kind: TOOL) { kind } }',
  'mutation Send($step: StepInput!) { send(step: $step) { id } }',
].map(operation)

const broken = (...changes: [string, string][]): Record<string, string[]> => {
  const after = changes.reduce((text, [from, to]) => {
    expect(text).toContain(from)
    return text.replace(from, to)
  }, BEFORE)
  return Object.fromEntries(
    breakagesBetween(buildSchema(BEFORE), buildSchema(after), OPERATIONS).map((breakage) => [
      breakage.message,
      breakage.operations.map(({ name }) => name),
    ]),
  )
}

test('removing a field breaks operations that select it', () => {
  expect(broken(['id: String! name: String', 'id: String!'])).toEqual({
    'Step.name was removed': ['Named'],
  })
})

test('requiring an argument breaks operations that may leave it out', () => {
  expect(broken(['size: Int', 'size: Int!'])).toEqual({
    'Query.step arg size has changed type from Int to Int!': ['Get', 'Named'],
  })
})

test('a new, required argument breaks all operations with its field', () => {
  expect(broken(['size: Int', 'size: Int, project: String!'])).toEqual({
    'A required arg project on Query.step was added': ['Get', 'Named', 'Sized'],
  })
})

test('removing an argument breaks operations that send it', () => {
  expect(broken([', size: Int', ''])).toEqual({ 'Query.step arg size was removed': ['Sized'] })
})

test('removing an enum value breaks operations that send or receive the enum, in any way', () => {
  expect(broken(['RUN TOOL', 'RUN'])).toEqual({
    'TOOL was removed from enum type Kind': ['List', 'Kinds', 'Send'],
  })
})

test('requiring an input field breaks operations that may leave it out', () => {
  expect(
    broken(['input Nested { kind: Kind }', 'input Nested { kind: Kind of: String! }']),
  ).toEqual({
    'A required field of on input type Nested was added': ['List'],
  })
})

test('changing a type breaks operations that use it', () => {
  expect(broken(['id: String! name: String', 'id: String! name: Int'])).toEqual({
    'Step.name changed type from String to Int': ['Named'],
  })
})

test('a change of an unused part is reported, and breaks no operation', () => {
  expect(broken(['type Step {', 'type Unused { a: Int } type Step {'])).toEqual({})
  const used = OPERATIONS.slice(0, 1)
  const after = buildSchema(BEFORE.replace('id: String! name: String', 'id: String!'))
  expect(breakagesBetween(buildSchema(BEFORE), after, used)).toEqual([
    { message: 'Step.name was removed', operations: [] },
  ])
})

test('additions break nothing', () => {
  expect(
    broken(
      ['enum Kind { RUN TOOL }', 'enum Kind { RUN TOOL LLM }'],
      ['id: String! name: String', 'id: String! name: String extra: Int'],
      ['size: Int', 'size: Int, more: Int'],
      ['input Filter { name: String', 'input Filter { name: String extra: String'],
    ),
  ).toEqual({})
})

test('an operation that was invalid before is found too', () => {
  const schema = buildSchema(BEFORE)
  expect(breakagesBetween(schema, schema, [operation('query Wrong { nothing }')])).toMatchObject([
    { message: expect.stringContaining('"nothing"'), operations: [{ name: 'Wrong' }] },
  ])
})

test('the operations of the SDK are all known, and the present schema breaks none', () => {
  expect(ownOperations().length).toBeGreaterThan(40)
  expect(breakagesBetween(readRecordedSchema(), readSchema(), ownOperations())).toEqual([])
})

test('changes of the contract name the operations of the SDK that they break', () => {
  const schema = printSchema(readSchema()).replace(/"""[\s\S]*?"""/g, '')
  const changed = (from: RegExp, to: string) => {
    expect(schema).toMatch(from)
    const [first] = breakagesBetween(
      readSchema(),
      buildSchema(schema.replace(from, to)),
      ownOperations(),
    )
    return first?.operations.map(({ name }) => name)
  }
  expect(changed(/\n {2}ttFirstToken: Float\n/, '\n')).toEqual(
    expect.arrayContaining(['GetStep', 'GetGenerations']),
  )
  expect(changed(/deleteScore\(/, 'deleteScore(reason: String! ')).toEqual(['DeleteScore'])
  expect(changed(/\n {2}rerank\n/, '\n')).toEqual(
    expect.arrayContaining(['GetStep', 'CreateStep', 'IngestSteps']),
  )
})

test('removing a default breaks operations that may leave the value out', () => {
  const before = 'type Query { f(i: I!, n: Int! = 1): Int } input I { a: Int! = 1 }'
  const operations = ['query A($i: I!) { f(i: $i) }'].map(operation)
  const messages = (after: string) =>
    breakagesBetween(buildSchema(before), buildSchema(after), operations).map(
      ({ message, operations }) => `${message}: ${operations.map(({ name }) => name)}`,
    )
  expect(messages(before.replace('a: Int! = 1', 'a: Int!'))).toEqual([
    'I.a lost its default and is required now: A',
  ])
  expect(messages(before.replace('n: Int! = 1', 'n: Int!'))).toEqual([
    'Query.f lost its default and is required now: A',
  ])
})

test('a type that leaves a union or an interface breaks only operations that select the union or interface', () => {
  const before = `type Query { step: Step node: Node any: Any }
    interface Node { id: ID } union Any = Step | Other
    type Step implements Node { id: ID } type Other { id: ID }`
  const operations = [
    'query S { step { id } }',
    'query N { node { id } }',
    'query U { any { __typename } }',
  ].map(operation)
  const brokenBy = (from: string, to: string) =>
    breakagesBetween(
      buildSchema(before),
      buildSchema(before.replace(from, to)),
      operations,
    ).flatMap(({ operations }) => operations.map(({ name }) => name))
  expect(brokenBy('Step | Other', 'Other')).toEqual(['U'])
  expect(brokenBy('Step implements Node', 'Step')).toEqual(['N'])
})
