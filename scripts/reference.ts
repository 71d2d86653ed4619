// The reference of the SDK, from its types and docstrings: docs/reference.md.
//
//   node scripts/run.js scripts/reference.ts write    writes it
//   node scripts/run.js scripts/reference.ts check    fails when it is not what would be written
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { createApi } from '../src/api/api.js'
import type { Transport } from '../src/transport/transport.js'
import { snakeName } from '../test/support/names.js'
import { scopesOfMethod } from './operation-scopes.js'

const root = join(import.meta.dirname, '..')
const PAGE = join(root, 'docs/reference.md')

const ENTRIES = {
  stepwell: 'src/index.ts',
  'stepwell/tracing': 'src/tracing/index.ts',
  'stepwell/spool': 'src/tracing/spool.ts',
  'stepwell/api': 'src/api/index.ts',
  'stepwell/sync': 'src/sync/index.ts',
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

/** What is said of it, or of the first way to call it. */
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

const exampleOf = (symbol: ts.Symbol): string =>
  tagsOf(symbol, 'example')
    .map((example) => `\n\`\`\`ts\n${example}\n\`\`\`\n`)
    .join('')

const declarationOf = (symbol: ts.Symbol): ts.Node =>
  (symbol.valueDeclaration ?? symbol.declarations?.[0]) as ts.Node

const FORMAT =
  ts.TypeFormatFlags.NoTruncation | ts.TypeFormatFlags.UseAliasDefinedOutsideCurrentScope

/** A signature as its author wrote it: what the compiler makes of it says in a page what a name says in a word. */
const written = (signature: ts.Signature): string => {
  const { parameters, type, typeParameters } = signature.getDeclaration() ?? {}
  if (parameters === undefined || type === undefined)
    return checker.signatureToString(signature, undefined, FORMAT)
  const generics =
    typeParameters === undefined ? '' : `<${typeParameters.map((one) => one.getText()).join(', ')}>`
  const text = `${generics}(${parameters.map((one) => one.getText()).join(', ')}): ${type.getText()}`
  return text.replace(/\s+/g, ' ')
}

/** The ways in which something can be called, as they are written. */
const signaturesOf = (name: string, symbol: ts.Symbol): string[] => {
  const type = checker.getTypeOfSymbolAtLocation(symbol, declarationOf(symbol))
  return type.getCallSignatures().map((signature) => `${name}${written(signature)}`)
}

const membersOf = (symbol: ts.Symbol): ts.Symbol[] =>
  checker
    .getPropertiesOfType(checker.getDeclaredTypeOfSymbol(symbol))
    .filter((member) => !member.name.startsWith('__'))

const EVERY_KEY = 4
/** What it asks for is its caller's to say. */
const BY_QUERY = 'getPromptWithQuery'

/** Which scopes a key must have for an operation, in words. */
const scopesOf = (method: ts.Symbol): string => {
  const all = scopesOfMethod(checker, method)
    .filter((scopes) => scopes.length < EVERY_KEY)
    .map((scopes) => scopes.map((scope) => `\`${scope}\``).join(' or '))
  return all.length === 0 ? 'any' : all.sort().join(', and ')
}

/** The operations, each with its two names, by the nouns that they are about. */
const operations = (): string => {
  const api = exportsOf(ENTRIES['stepwell/api']).find(({ name }) => name === 'Api') as ts.Symbol
  const methods = checker.getPropertiesOfType(checker.getDeclaredTypeOfSymbol(resolved(api)))
  const byName = new Map(methods.map((method) => [method.name, method]))
  // In the order in which the SDK puts them together.
  const camel = Object.keys(createApi({} as Transport))
    .filter((name) => !name.includes('_'))
    .map((name) => byName.get(name) as ts.Symbol)
  const noun = (method: ts.Symbol) =>
    declarationOf(method).getSourceFile().fileName.split('/').pop()?.replace('.ts', '') ?? ''
  const nouns = [...new Set(camel.map(noun))]
  const rows = camel.map((method) => {
    const [summary = ''] = docsOf(method)
      .replace(/\s+/g, ' ')
      .split(/(?<=\.) /)
    const old = tagsOf(method, 'deprecated')
    const scopes = method.name === BY_QUERY ? 'that of the query' : scopesOf(method)
    return `| \`${method.name}\` | \`${snakeName(method.name)}\` | ${scopes} | ${summary}${old.length > 0 ? ` Deprecated: ${old[0]}` : ''} |`
  })
  const details = nouns.map((heading) => {
    const entries = camel
      .filter((method) => noun(method) === heading)
      .map((method) => {
        const other = byName.get(snakeName(method.name)) as ts.Symbol
        const signatures = [
          ...signaturesOf(method.name, method),
          ...signaturesOf(other.name, other),
        ]
        return `#### ${method.name}, ${other.name}\n\n\`\`\`ts\n${signatures.join('\n')}\n\`\`\`\n\n${docsOf(method)}\n${exampleOf(method)}`
      })
    return `### ${heading[0]?.toUpperCase()}${heading.slice(1)}\n\n${entries.join('\n')}`
  })
  return `## Operations\n\n\`admin\` may do everything; what else will do is beside each operation.\n\n| camelCase | snake_case | scope of the key | |\n|---|---|---|---|\n${rows.join('\n')}\n\n${details.join('\n')}`
}

/** What an earlier entry point exports too. */
const described = new Set<ts.Symbol>()

/** What an entry point exports besides, with the members of classes and interfaces. */
const exported = (entry: string, file: string): string => {
  const again = exportsOf(file).filter((symbol) => described.has(resolved(symbol)))
  const also =
    again.length === 0
      ? ''
      : `\nAlso ${again.map(({ name }) => `\`${name}\``).join(', ')}: see above.\n`
  const sections = exportsOf(file)
    .filter((symbol) => !described.has(resolved(symbol)))
    .map((symbol) => ({ name: symbol.name, symbol: resolved(symbol) }))
    .filter(({ name, symbol }) => name !== 'Api' && declarationOf(symbol) !== undefined)
    .map(({ name, symbol }) => {
      const isType = (symbol.flags & (ts.SymbolFlags.Class | ts.SymbolFlags.Interface)) !== 0
      const members = isType ? membersOf(symbol) : []
      const lines = members
        .filter((member) => !member.getJsDocTags(checker).some((tag) => tag.name === 'internal'))
        .filter((member) => docsOf(member) !== '')
        .map((member) => `- \`${member.name}\`: ${docsOf(member).replace(/\s+/g, ' ')}`)
      const signatures = isType ? [] : signaturesOf(name, symbol)
      const code = signatures.length === 0 ? '' : `\n\`\`\`ts\n${signatures.join('\n')}\n\`\`\`\n`
      return `### ${name}\n${code}\n${docsOf(symbol)}\n${exampleOf(symbol)}${lines.length > 0 ? `\n${lines.join('\n')}\n` : ''}`
    })
  for (const symbol of exportsOf(file)) described.add(resolved(symbol))
  return `## ${entry}\n${also}\n${sections.join('\n')}`
}

const entries = Object.entries(ENTRIES).map(([entry, file]) => exported(entry, file))
const page = `${[
  '# Reference',
  'Written by `npm run reference` from the types and docstrings of the SDK. The synchronous flavour (`stepwell/sync`) has the same\noperations without promises.',
  operations(),
  ...entries,
]
  .join('\n\n')
  .replace(/[ \t]+$/gm, '')
  .replace(/\n{3,}/g, '\n\n')
  .trimEnd()}\n`

const [command] = process.argv.slice(2)
if (command === 'write') writeFileSync(PAGE, page)
else if (command === 'check') {
  if (!existsSync(PAGE) || readFileSync(PAGE, 'utf8') !== page) {
    console.error('docs/reference.md is stale: npm run reference writes it anew')
    process.exitCode = 1
  }
} else {
  console.error('usage: node scripts/run.js scripts/reference.ts write|check')
  process.exitCode = 2
}
