import { rmSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { afterAll, describe, expect, test } from 'vitest'
import { scopesInWords } from '../scripts/operation-scopes.js'
import { type Docstring, Docstrings } from './support/docstrings.js'
import { declarationsOf, installed } from './support/editor.js'

// An editor shows these while a user writes a call: TypeScript's language service on the built types.
const folder = installed()
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const docstrings = new Docstrings(folder)

const namesOf = (found: readonly Docstring[]) => found.map(({ name }) => name)
const without = (tag: string, found: readonly Docstring[]) =>
  namesOf(found.filter(({ tags }) => !tags.get(tag)?.every((text) => text !== '')))

test.each(Docstrings.OBJECTS)('every method and field of %s has a description', (object) => {
  const all = docstrings.of(object)
  expect(all.length).toBeGreaterThan(0)
  expect(namesOf(all.filter(({ description }) => description === ''))).toEqual([])
})

test.each(Docstrings.OBJECTS)('every method of %s has an example', (object) => {
  const methods = docstrings.of(object).filter(({ isMethod }) => isMethod)
  expect(without('example', methods)).toEqual([])
})

test.each(Docstrings.OBJECTS)('every method of %s says what it returns', (object) => {
  const methods = docstrings.of(object).filter(({ isMethod, isVoid }) => isMethod && !isVoid)
  expect(without('returns', methods)).toEqual([])
})

test.each(Docstrings.OBJECTS)('a description of %s begins with a verb', (object) => {
  const methods = docstrings.of(object).filter(({ isMethod }) => isMethod)
  const others = methods.filter(({ description }) => !/^[A-Z][a-z]+s\b(?! of)/.test(description))
  expect(namesOf(others)).toEqual([])
})

/** The scopes that the sources ask for, by the schema. */
const scopes = (): Map<string, string> => {
  const root = join(import.meta.dirname, '..')
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root)
  const file = join(root, 'src/api/api.ts')
  const program = ts.createProgram([file], options)
  const checker = program.getTypeChecker()
  const source = checker.getSymbolAtLocation(program.getSourceFile(file) as ts.Node) as ts.Symbol
  const api = checker.getExportsOfModule(source).find(({ name }) => name === 'Api') as ts.Symbol
  return new Map(
    checker
      .getPropertiesOfType(checker.getDeclaredTypeOfSymbol(api))
      .map((method) => [method.name, scopesInWords(checker, method)]),
  )
}

/** Read once: it takes a compilation. */
let known: Map<string, string> | undefined

describe.each(['api', 'sync'])('every operation of %s', (object) => {
  const operations = docstrings.of(object)

  test('says what it throws, by codes', () => {
    expect(operations.length).toBeGreaterThan(150)
    const silent = operations.filter(
      ({ tags }) => !tags.get('throws')?.every((text) => /^`[A-Z_]+`/.test(text)),
    )
    expect(namesOf(silent)).toEqual([])
  })

  test('names the scope that the schema asks for', () => {
    known ??= scopes()
    const said = Object.fromEntries(
      operations.map(({ symbol, tags }) => [symbol.name, tags.get('scope')?.join()]),
    )
    expect(said).toEqual(Object.fromEntries(known))
  })
})

test.each(Docstrings.OBJECTS)('every field of a parameter of %s has a description', (object) => {
  expect(docstrings.undescribed(docstrings.parameters(object))).toEqual([])
})

test('every option of a client has a description', () => {
  const parameters = [...docstrings.constructorParameters()]
  expect(parameters.length).toBeGreaterThan(4)
  expect(docstrings.undescribed(parameters)).toEqual([])
})

test('a tag and a description that are missing are found', () => {
  const replaced = new Map(
    [...declarationsOf(folder)]
      .filter(([file]) => /\/(api\/steps|generated\/operations)\.d\.ts$/.test(file))
      .map(([file, text]) => [file, text.replace(/\/\*\*[\s\S]*?\*\//g, '')]),
  )
  expect(replaced.size).toBe(2)
  const bare = new Docstrings(folder, replaced)
  const operations = bare.of('api')
  expect(without('scope', operations)).toContain('api.getStep')
  expect(without('scope', operations)).not.toContain('api.getThread')
  const undescribed = bare.undescribed(bare.parameters('api'))
  expect(undescribed).toContain('api.getSteps(params).filters')
  expect(undescribed).toContain('api.createStep(params).threadId')
})
