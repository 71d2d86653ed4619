import { rmSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { afterAll, expect, test } from 'vitest'
import { installed } from './support/editor.js'

// A user who stores a result or passes a parameter on has to be able to name its type.
const folder = installed()
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const dist = join(folder, 'node_modules/stepwell/dist/esm')
const ENTRIES = {
  stepwell: 'src/index.d.ts',
  'stepwell/api': 'src/api/index.d.ts',
  'stepwell/tracing': 'src/tracing/index.d.ts',
  'stepwell/spool': 'src/tracing/spool.d.ts',
  'stepwell/sync': 'src/sync/index.d.ts',
  'stepwell/evaluate': 'src/evaluate/index.d.ts',
  'stepwell/testing': 'src/testing/index.d.ts',
}

const program = ts.createProgram(
  Object.values(ENTRIES).map((file) => join(dist, file)),
  { strict: true, module: ts.ModuleKind.NodeNext, target: ts.ScriptTarget.ES2022, types: [] },
)
const checker = program.getTypeChecker()

const resolved = (symbol: ts.Symbol): ts.Symbol =>
  symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol

const exportsOf = (file: string): ts.Symbol[] => {
  const module = checker.getSymbolAtLocation(program.getSourceFile(join(dist, file)) as ts.Node)
  return module === undefined ? [] : checker.getExportsOfModule(module).map(resolved)
}

/**
 * Returns true for short names of plain types, used only in the file that declares them, and for the generated
 * fragments behind `Step`, `Attachment` and the like.
 */
const isAbbreviation = (symbol: ts.Symbol): boolean =>
  symbol.name.endsWith('FieldsFragment') ||
  [
    'Metadata',
    'Settings',
    'Tools',
    'FormatParameters',
    'InputMaybe',
    'Maybe',
    'Scalars',
    'NestedScore',
  ].includes(symbol.name)

/** Finds the types of the package that the signatures of a declaration name, each with a place. */
const namedIn = (declaration: ts.Node, found: Map<ts.Symbol, string>): void => {
  const isOurs = (symbol: ts.Symbol): boolean =>
    (symbol.flags & ts.SymbolFlags.TypeParameter) === 0 &&
    (symbol.declarations ?? []).some((one) =>
      one.getSourceFile().fileName.includes('/stepwell/dist/'),
    )
  const look = (node: ts.Node): void => {
    const name = ts.isTypeReferenceNode(node)
      ? node.typeName
      : ts.isImportTypeNode(node)
        ? node.qualifier
        : undefined
    // The type of another type's field need not be named.
    const isPart = ts.isIndexedAccessTypeNode(node.parent) && node.parent.objectType === node
    const symbol = name === undefined || isPart ? undefined : checker.getSymbolAtLocation(name)
    if (symbol !== undefined && isOurs(resolved(symbol)) && !isAbbreviation(resolved(symbol))) {
      const file = node.getSourceFile().fileName.slice(dist.length + 1)
      found.set(resolved(symbol), `${file}: ${node.getText().slice(0, 60)}`)
    }
    ts.forEachChild(node, look)
  }
  const members = (node: ts.Node): void => {
    if (
      ts.isTypeLiteralNode(node) ||
      ts.isInterfaceDeclaration(node) ||
      ts.isClassDeclaration(node)
    )
      for (const member of node.members) look(member)
    else if (ts.isFunctionTypeNode(node) || ts.isFunctionDeclaration(node)) look(node)
    // An alias consists of parts that are read through it; its own content is its literals.
    else if (ts.isTypeAliasDeclaration(node)) members(node.type)
    else if (ts.isUnionTypeNode(node) || ts.isIntersectionTypeNode(node))
      node.types.forEach(members)
  }
  if (ts.isInterfaceDeclaration(declaration))
    for (const clause of declaration.heritageClauses ?? [])
      for (const { typeArguments = [] } of clause.types)
        for (const argument of typeArguments)
          if (ts.isTypeQueryNode(argument)) {
            // A noun: the API contains the result of its function.
            const symbol = resolved(checker.getSymbolAtLocation(argument.exprName) as ts.Symbol)
            const { type } = symbol.valueDeclaration as ts.VariableDeclaration
            if (type !== undefined && ts.isFunctionTypeNode(type)) look(type.type)
          }
  members(declaration)
}

test.each(Object.entries(ENTRIES))('%s exports every type that its signatures name', (_, file) => {
  const exported = exportsOf(file)
  expect(exported.length).toBeGreaterThan(10)
  const named = new Map<ts.Symbol, string>()
  for (const symbol of exported)
    for (const declaration of symbol.declarations ?? []) namedIn(declaration, named)
  expect(named.size).toBeGreaterThan(5)
  const missing = [...named].filter(([symbol]) => !exported.includes(symbol))
  expect(missing.map(([symbol, place]) => `${symbol.name} (${place})`)).toEqual([])
})
