import { buildSchema, printSchema, validate } from 'graphql'
import { expect, test } from 'vitest'
import {
  breakingChanges,
  readOperations,
  readRecordedSchema,
  readSchema,
} from './support/schema.js'

/** Root fields that the SDK does not use; released clients do. */
const FOR_OLD_CLIENTS = ['ingestStep', 'createScore', 'promotePromptVersion']

test('every operation is valid against the recorded contract', () => {
  expect(validate(readRecordedSchema(), readOperations())).toEqual([])
})

test('the working schema breaks no released operation', async () => {
  expect(await breakingChanges(readRecordedSchema(), readSchema())).toEqual([])
})

test('every root field is used by an operation, or listed as one for old clients', () => {
  const schema = readSchema()
  const fields = [schema.getQueryType(), schema.getMutationType()].flatMap((type) =>
    Object.keys(type?.getFields() ?? {}),
  )
  const used = new Set(
    readOperations().definitions.flatMap((definition) =>
      definition.kind === 'OperationDefinition'
        ? definition.selectionSet.selections.map((node) =>
            node.kind === 'Field' ? node.name.value : '',
          )
        : [],
    ),
  )
  expect(fields.filter((field) => !used.has(field)).sort()).toEqual(FOR_OLD_CLIENTS.toSorted())
})

test('everything in the schema is described', () => {
  const undescribed: string[] = []
  for (const type of Object.values(readSchema().getTypeMap())) {
    if (
      type.name.startsWith('__') ||
      ['String', 'Int', 'Float', 'Boolean', 'ID'].includes(type.name)
    )
      continue
    if (!type.description) undescribed.push(type.name)
    if ('getFields' in type)
      for (const field of Object.values(type.getFields())) {
        if (!field.description) undescribed.push(`${type.name}.${field.name}`)
        if ('args' in field)
          for (const argument of field.args)
            if (!argument.description)
              undescribed.push(`${type.name}.${field.name}(${argument.name})`)
      }
    if ('getValues' in type)
      for (const value of type.getValues())
        if (!value.description) undescribed.push(`${type.name}.${value.name}`)
  }
  expect(undescribed).toEqual([])
})

test.each([
  ['a field is removed', (sdl: string) => sdl.replace(/^ *rootRunId: String$/m, '')],
  [
    'an argument becomes required',
    (sdl: string) => sdl.replace(/(ingestStep\([\s\S]*?threadId: String)$/m, '$1!'),
  ],
  ['an enum value is dropped', (sdl: string) => sdl.replace(/^ *rerank$/m, '')],
  ['a type changes', (sdl: string) => sdl.replace(/^ *tokenCount: Int$/m, 'tokenCount: String')],
])('the check of the contract notices when %s', async (_, change) => {
  const released = printSchema(readRecordedSchema())
  const changed = change(released.replace(/"""[\s\S]*?"""\n/g, ''))
  expect(await breakingChanges(buildSchema(released), buildSchema(changed))).not.toEqual([])
})

test('the check of the contract lets additions pass', async () => {
  const released = printSchema(readRecordedSchema())
  const changed = released.replace('type PageInfo {', 'type PageInfo {\n  added: String')
  expect(await breakingChanges(buildSchema(released), buildSchema(changed))).toEqual([])
})
