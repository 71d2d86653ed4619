import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildSchema, parse, validate } from 'graphql'
import { expect, test } from 'vitest'
import { runPython } from './support/python.js'

const folder = join(import.meta.dirname, '../schema')
const schema = buildSchema(
  readdirSync(folder)
    .filter((name) => name.endsWith('.graphql'))
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('\n'),
)

// The documents of the TypeScript clients are all sent by the tests that call every method of them.
test.each([
  ['0.0.500', 38],
  ['0.0.607', 42],
  ['0.0.625', 43],
  ['0.1.0', 45],
  ['0.1.201', 45],
  ['0.1.300', 45],
])('every document of literalai %s is valid against the schema', async (version, count) => {
  const { code, output } = await runPython({ environment: 'literalai', version }, ['documents.py'])
  expect(code, output).toBe(0)
  const documents = Object.entries<string>(JSON.parse(output.split('\n')[0] ?? ''))
  expect(documents).toHaveLength(count)
  const faults = documents.flatMap(([name, text]) =>
    validate(schema, parse(text)).map(({ message }) => `${name}: ${message}`),
  )
  expect(faults).toEqual([])
})
