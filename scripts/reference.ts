// Writes the reference of the SDK from its types and docstrings, and of GraphQL from the schema's descriptions:
// docs/reference/sdk and docs/reference/graphql, a page per noun.
//
//   node scripts/run.js scripts/reference.ts write    writes them
//   node scripts/run.js scripts/reference.ts check    fails when they are out of date
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import ts from 'typescript'
import { createApi } from '../src/api/api.js'
import type { Transport } from '../src/transport/transport.js'
import { snakeName } from '../test/support/names.js'
import { scopesInWords } from './operation-scopes.js'
import { graphqlPages } from './reference-graphql.js'
import { cell, inLine, tidy } from './reference-text.js'
import { isPublic, NamedTypes } from './reference-types.js'

const root = join(import.meta.dirname, '..')
const FOLDERS = ['docs/reference/sdk', 'docs/reference/graphql']

const ENTRIES = {
  stepwell: 'src/index.ts',
  'stepwell/tracing': 'src/tracing/index.ts',
  'stepwell/spool': 'src/tracing/spool.ts',
  'stepwell/api': 'src/api/index.ts',
  'stepwell/sync': 'src/sync/index.ts',
  'stepwell/otlp': 'src/otlp/index.ts',
  'stepwell/evaluate': 'src/evaluate/index.ts',
  'stepwell/testing': 'src/testing/index.ts',
  'stepwell/langchain': 'src/hooks/langchain/index.ts',
  'stepwell/ai-sdk': 'src/hooks/ai-sdk/index.ts',
  'stepwell/openai-agents': 'src/hooks/openai-agents/index.ts',
  'stepwell/mcp': 'src/hooks/mcp/index.ts',
}

const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile)
const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root)
const files = Object.values(ENTRIES).map((file) => join(root, file))
const program = ts.createProgram(files, options)
const checker = program.getTypeChecker()

const exportsOf = (file: string): ts.Symbol[] => {
  const source = program.getSourceFile(join(root, file))
  const module = source && checker.getSymbolAtLocation(source)
  return module === undefined ? [] : checker.getExportsOfModule(module)
}
const resolved = (symbol: ts.Symbol): ts.Symbol =>
  symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol

/** Returns the docstring of a symbol, or of its first signature. */
const docsOf = (symbol: ts.Symbol): string => {
  const own = symbol.getDocumentationComment(checker)
  const [signature] =
    own.length > 0 || symbol.declarations === undefined
      ? []
      : checker.getTypeOfSymbolAtLocation(symbol, declarationOf(symbol)).getCallSignatures()
  const parts = signature === undefined ? own : signature.getDocumentationComment(checker)
  return ts
    .displayPartsToString(parts)
    .replace(/\{@link (\S+?)\}/g, '`$1`')
    .trim()
}

const tagsOf = (symbol: ts.Symbol, name: string): string[] =>
  symbol
    .getJsDocTags(checker)
    .filter((tag) => tag.name === name)
    .map(({ text }) => ts.displayPartsToString(text).trim())

/** The description of a member, with its result and errors. */
const factsOf = (symbol: ts.Symbol): string =>
  [
    docsOf(symbol),
    ...tagsOf(symbol, 'returns').map((text) => `Returns ${text}`),
    ...tagsOf(symbol, 'throws').map((text) => `Throws ${text}`),
  ].join(' ')

const exampleOf = (symbol: ts.Symbol): string =>
  tagsOf(symbol, 'example')
    // An example that holds an `@` is quoted in its line: a tag would begin there.
    .map((example) => example.replace(/^```(.*)```$/, '$1'))
    .map((example) => `\n\`\`\`ts\n${example}\n\`\`\`\n`)
    .join('')

const declarationOf = (symbol: ts.Symbol): ts.Node =>
  (symbol.valueDeclaration ?? symbol.declarations?.[0]) as ts.Node

const FORMAT =
  ts.TypeFormatFlags.NoTruncation | ts.TypeFormatFlags.UseAliasDefinedOutsideCurrentScope

/** Returns a signature as its author wrote it: the compiler's form expands each name to a page. */
const written = (signature: ts.Signature): string => {
  const { parameters, type, typeParameters } = signature.getDeclaration() ?? {}
  if (parameters === undefined || type === undefined)
    return checker.signatureToString(signature, undefined, FORMAT)
  const generics =
    typeParameters === undefined ? '' : `<${typeParameters.map((one) => one.getText()).join(', ')}>`
  // Lists share a signature, whose parameters only the compiler knows.
  if (/\bItem\b/.test(type.getText()))
    return checker.signatureToString(signature, undefined, FORMAT).replace(/\s+/g, ' ')
  const text = `${generics}(${parameters.map((one) => one.getText()).join(', ')}): ${type.getText()}`
  // Fields are described below.
  return (
    text
      .replace(/\/\*\*[\s\S]*?\*\//g, '')
      .replace(/\s+/g, ' ')
      // In lines of their own, parts of a union all begin with a bar, and brackets stand apart.
      .replace(/([(:<]) \| /g, '$1 ')
      .replace(/\( /g, '(')
      .replace(/ \)/g, ')')
  )
}

/** Returns the signatures of a function, as they are written. */
const signaturesOf = (name: string, symbol: ts.Symbol): string[] => {
  const type = checker.getTypeOfSymbolAtLocation(symbol, declarationOf(symbol))
  return type.getCallSignatures().map((signature) => `${name}${written(signature)}`)
}

const membersOf = (symbol: ts.Symbol): ts.Symbol[] =>
  checker
    .getPropertiesOfType(checker.getDeclaredTypeOfSymbol(symbol))
    .filter((member) => isPublic(member, checker))

const api = exportsOf(ENTRIES['stepwell/api']).find(({ name }) => name === 'Api') as ts.Symbol
const methods = checker.getPropertiesOfType(checker.getDeclaredTypeOfSymbol(resolved(api)))
const byName = new Map(methods.map((method) => [method.name, method]))
// In the order in which the SDK lists them.
const camel = Object.keys(createApi({} as Transport))
  .filter((name) => !name.includes('_'))
  .map((name) => byName.get(name) as ts.Symbol)
/** Files that share the page of their noun. */
const PARTS: Readonly<Record<string, string>> = {
  copies: 'datasets',
  items: 'datasets',
  definitions: 'prompts',
}
const nounOf = (method: ts.Symbol) => {
  const { fileName } = declarationOf(method).getSourceFile()
  const file = fileName.split('/').pop()?.replace('.ts', '') ?? ''
  return PARTS[file] ?? file
}
const nouns = [...new Set(camel.map(nounOf))]
const title = (noun: string) => `${noun[0]?.toUpperCase()}${noun.slice(1)}`
const scopeOf = (method: ts.Symbol) => scopesInWords(checker, method)
const anchorOf = (method: ts.Symbol) => `${method.name}-${snakeName(method.name)}`.toLowerCase()

const types = new NamedTypes(checker, docsOf)

/** A list: the compiler's form of its other spelling takes pages. */
const LIST = /\(params\?: (\w+) \| undefined\): Promise<(Page<.+>)>$/

/** Returns a link to the filters and orders of a list; an empty text for a method without filters. */
const filtersOf = (method: ts.Symbol): string => {
  const signatures = checker
    .getTypeOfSymbolAtLocation(method, declarationOf(method))
    .getCallSignatures()
  for (const parameter of signatures.flatMap((signature) => signature.getParameters())) {
    const type = checker.getNonNullableType(checker.getTypeOfSymbol(parameter))
    const filters = checker.getPropertyOfType(type, 'filters')
    if (filters === undefined) continue
    const [, list = ''] = /(\w+)Filter\b/.exec(types.typeOf(filters)) ?? []
    const name = list === 'Users' ? 'participants' : list.toLowerCase()
    if (name !== '') return `Filters and orders: [${name}](../filters.md#${name}).`
  }
  return ''
}

/** Describes an operation in both spellings: signatures, description, scope, parameters, errors, example. */
const operation = (method: ts.Symbol): string => {
  const other = byName.get(snakeName(method.name)) as ts.Symbol
  const signatures = signaturesOf(method.name, method).flatMap((signature) => {
    const list = LIST.exec(signature)
    return list === null
      ? [signature]
      : [
          `${method.name}(params?: ${list[1]}): Promise<${list[2]}>`,
          `${other.name}(params?: Snake<${list[1]}>): Promise<Snake<${list[2]}>>`,
        ]
  })
  if (!LIST.test(signaturesOf(method.name, method)[0] ?? ''))
    signatures.push(...signaturesOf(other.name, other))
  const old = tagsOf(method, 'deprecated').map((text) => `Deprecated: ${inLine(text)}`)
  const throwing = tagsOf(method, 'throws').map((text) => `- Throws ${inLine(text)}`)
  const returned = tagsOf(method, 'returns').map((text) => `Resolves to ${inLine(text)}`)
  const parameters = tagsOf(method, 'param').map((text) => `- ${inLine(text)}`)
  return [
    `### ${method.name}, ${other.name}`,
    `\`\`\`ts\n${signatures.join('\n')}\n\`\`\``,
    docsOf(method),
    ...old,
    ...returned,
    parameters.join('\n'),
    throwing.join('\n'),
    `Scope of the key: ${scopeOf(method)}.`,
    types.linksOf(method, nounOf(method)),
    filtersOf(method),
    exampleOf(method),
  ].join('\n\n')
}

const nounPage = (noun: string): string => {
  const own = camel.filter((method) => nounOf(method) === noun)
  const operations = own.map(operation)
  return `# ${title(noun)}\n\n${operations.join('\n\n')}\n\n${types.section(noun)}`
}

const index = (): string => {
  const rows = camel.map((method) => {
    const [summary = ''] = inLine(docsOf(method)).split(/(?<=\.) /)
    const old = tagsOf(method, 'deprecated')
    return `| [\`${method.name}\`](${nounOf(method)}.md#${anchorOf(method)}) | \`${snakeName(method.name)}\` | ${scopeOf(method)} | ${cell(summary)}${old.length > 0 ? ` Deprecated: ${cell(old[0] ?? '')}` : ''} |`
  })
  return `# SDK

Written by \`npm run reference\` from the types and docstrings of the SDK. \`stepwell/sync\` has the same operations without
promises.

## Operations by noun

${nouns.map((noun) => `- [${title(noun)}](${noun}.md)`).join('\n')}

## Entry points

${Object.keys(ENTRIES)
  .map((entry) => `- [${entry}](${pageOf(entry)}.md)`)
  .join('\n')}

## Operations

A key of scope \`admin\` may do everything. The table names the other scopes that suffice.

| camelCase | snake_case | scope of the key | |
|---|---|---|---|
${rows.join('\n')}`
}

const pageOf = (entry: string): string => entry.split('/').pop() ?? ''

/** Symbols that an earlier entry point exports too. */
const described = new Set<ts.Symbol>()

/** Describes the other exports of an entry point, with the members of classes and interfaces. */
const exported = (entry: string, file: string): string => {
  const all = exportsOf(file).filter(({ name }) => name !== 'Api')
  const again = all.filter((symbol) => described.has(resolved(symbol)))
  const elsewhere = all.flatMap(({ name }) => types.linkTo(name) ?? [])
  const also = [
    again.length === 0
      ? ''
      : `It also exports ${again.map(({ name }) => `\`${name}\``).join(', ')}: see [stepwell](stepwell.md).`,
    elsewhere.length === 0 ? '' : `Types of operations: ${elsewhere.join(', ')}.`,
  ]
  const sections = all
    .filter((symbol) => !described.has(resolved(symbol)) && types.linkTo(symbol.name) === undefined)
    .map((symbol) => ({ name: symbol.name, symbol: resolved(symbol) }))
    .filter(({ symbol }) => declarationOf(symbol) !== undefined)
    .map(({ name, symbol }) => {
      const isType = (symbol.flags & (ts.SymbolFlags.Class | ts.SymbolFlags.Interface)) !== 0
      const members = isType ? membersOf(symbol) : []
      const rows = members
        .filter((member) => docsOf(member) !== '')
        .map(
          (member) => `| \`${member.name}\` | ${types.typeOf(member)} | ${cell(factsOf(member))} |`,
        )
      const signatures = isType ? [] : signaturesOf(name, symbol)
      return [
        `## ${name}`,
        signatures.length === 0 ? '' : `\`\`\`ts\n${signatures.join('\n')}\n\`\`\``,
        docsOf(symbol),
        exampleOf(symbol),
        symbol.flags & ts.SymbolFlags.TypeAlias
          ? types.bodyOf(checker.getDeclaredTypeOfSymbol(symbol))
          : '',
        rows.length > 0 ? `| member | type | |\n|---|---|---|\n${rows.join('\n')}` : '',
      ].join('\n\n')
    })
  for (const symbol of exportsOf(file)) described.add(resolved(symbol))
  return [`# ${entry}`, ...also, ...sections].join('\n\n')
}

const pages = new Map<string, string>()
for (const noun of nouns) pages.set(`docs/reference/sdk/${noun}.md`, nounPage(noun))
for (const [entry, file] of Object.entries(ENTRIES))
  pages.set(`docs/reference/sdk/${pageOf(entry)}.md`, exported(entry, file))
pages.set('docs/reference/sdk/README.md', index())
for (const [name, page] of graphqlPages(root)) pages.set(`docs/reference/graphql/${name}`, page)
for (const [path, page] of pages) pages.set(path, tidy(page))

const present = FOLDERS.flatMap((folder) =>
  existsSync(join(root, folder))
    ? readdirSync(join(root, folder)).map((name) => `${folder}/${name}`)
    : [],
)
const extra = present.filter((path) => !pages.has(path))

const [command] = process.argv.slice(2)
if (command === 'write') {
  for (const path of extra) rmSync(join(root, path))
  for (const [path, page] of pages) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), page)
  }
} else if (command === 'check') {
  const stale = [...pages].flatMap(([path, page]) =>
    existsSync(join(root, path)) && readFileSync(join(root, path), 'utf8') === page ? [] : [path],
  )
  if (stale.length + extra.length > 0) {
    console.error(`stale: ${[...stale, ...extra].join(', ')}; npm run reference writes them anew`)
    process.exitCode = 1
  }
} else {
  console.error('usage: node scripts/run.js scripts/reference.ts write|check')
  process.exitCode = 2
}
