import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buildSchema, type IntrospectionQuery, introspectionFromSchema } from 'graphql'
import { expect, test } from 'vitest'
import { complete } from '../src/pages/settings/query/complete.js'
import type { Schema } from '../src/pages/settings/query/schema.js'

// The service's own schema, as it is recorded; `|` is the caret.
const recorded = join(import.meta.dirname, '../../schema/recorded/contract.graphql')
const text = await readFile(recorded, 'utf8')
const schema = (introspectionFromSchema(buildSchema(text)) as unknown as IntrospectionQuery)
  .__schema as unknown as Schema

const at = (marked: string) => {
  const offset = marked.indexOf('|')
  return complete(schema, marked.replace('|', ''), offset)
}
const labels = (marked: string) => at(marked)?.options.map(({ label }) => label) ?? []

test.each([
  ['{ | }', 'threads', 'displayName'],
  ['{ thr| }', 'threads', 'edges'],
  ['{ threads { | } }', 'edges', 'threads'],
  ['{ mine: threads { edges { node { | } } } }', 'stepCount', 'edges'],
  ['{ threads(first: 5) { edges { cursor } | } }', 'pageInfo', 'cursor'],
  ['{ threads { totalCount } ste| }', 'steps', 'totalCount'],
  ['mutation { | }', 'deleteStep', 'threads'],
  ['query A { threads { totalCount } } mutation B { | }', 'deleteStep', 'threads'],
  ['fragment F on Thread { | }', 'stepCount', 'edges'],
  ['{ thread(id: "a") { ... on Thread { | } } }', 'stepCount', 'threads'],
  ['{ threads(|) { totalCount } }', 'first', 'totalCount'],
  ['{ threads(first: 5, |', 'after', 'first'],
  ['{ threads(filters: [{ | }]) { totalCount } }', 'field', 'first'],
  ['query($id: String!, $first: Int) { threads(first: |) { totalCount } }', '$first', 'first'],
  ['query($id: String!) { thread(id: $|) { id } }', 'id', 'first'],
  ['query($id: |) { thread(id: $id) { id } }', 'String', 'Thread'],
  ['{ threads @| { totalCount } }', 'include', 'edges'],
  ['{ threads @include(|) { totalCount } }', 'if', 'first'],
  ['|', 'query', 'threads'],
  ['fragment F on |', 'Thread', 'threads'],
])('in %s there may stand %s, and not %s', (marked, possible, impossible) => {
  expect(labels(marked)).toContain(possible)
  expect(labels(marked)).not.toContain(impossible)
})

test('values of an enum are those of the argument', () => {
  const values = labels('mutation { createScore(name: "a", type: |) { id } }')
  expect(values).toEqual(expect.arrayContaining(['HUMAN', 'AI', 'CODE']))
  expect(values).not.toContain('name')
})

test('strings, comments and what is no name of the schema have no completion', () => {
  for (const marked of ['{ thread(id: "thr|', '# thr|', '{ nothing { | } }', '"""thr|'])
    expect(at(marked), marked).toBeNull()
})

test('the word under the caret is replaced, and an argument gets its colon', () => {
  expect(at('{ thr|eads }')?.from).toBe(2)
  const first = at('{ threads(fi|) { totalCount } }')
  expect(first?.from).toBe(10)
  expect(first?.options.find(({ label }) => label === 'first')).toMatchObject({
    insert: 'first: ',
    detail: 'Int',
  })
})

test('no caret in any document throws, wherever it breaks off', () => {
  const whole =
    'query A($id: String!) @x(y: {a: [1]}) { a: thread(id: $id) { ...F ... on Thread @skip(if: true) { id } } } fragment F on Thread { steps { id } } }}))'
  for (let end = 0; end <= whole.length; end++)
    expect(() => complete(schema, whole.slice(0, end), end)).not.toThrow()
})
