import { readFile } from 'node:fs/promises'
import { type DocumentNode, type GraphQLSchema, Kind, parse, printSchema, validate } from 'graphql'
import {
  type DocumentFile,
  documentsIn,
  type Operation,
  operationsOf,
  withPlace,
} from '../contract/operations.js'
import { readSchemaFile } from '../contract/schema-source.js'
import { invalidArgument } from '../errors.js'
import { loadPeer } from './peers.js'
import { demandNone, readUsage, UsageError } from './usage.js'
import { writeOutput } from './write-out.js'

const HELP = `Usage: stepwell codegen --documents FOLDER [--schema FILE] [--out FILE] [--check]

Generates typed documents from the .graphql files in a folder, to run with stepwell.query(document, variables).

  --documents  a folder with .graphql files
  --schema     the recorded schema, written by stepwell contract pull. Default: stepwell.graphql
  --out        the file to write; - is the standard output. Default: src/generated/stepwell.ts
  --check      writes nothing; exits with 1 when the file is stale
`

const OUT = 'src/generated/stepwell.ts'

const NEEDED = [
  '@graphql-codegen/core',
  '@graphql-codegen/typescript-operations',
  '@graphql-codegen/typed-document-node',
  '@graphql-typed-document-node/core',
]
const PLUGINS = ['typescript-operations', 'typed-document-node']

/** The part of `@graphql-codegen/core` that is used. */
interface Core {
  codegen: (options: {
    filename: string
    schema: DocumentNode
    documents: { location: string; document: DocumentNode }[]
    config: object
    plugins: Record<string, object>[]
    pluginMap: Record<string, unknown>
  }) => Promise<string>
}

/** Generates types for an application's own documents. */
export const codegen = async (args: readonly string[]): Promise<number> => {
  const usage = readUsage(args, HELP, ['documents', 'schema', 'out'], ['check'])
  if (usage === undefined) return 0
  const { documents, schema = 'stepwell.graphql', out = OUT } = usage.values
  if (documents === undefined) throw new UsageError('--documents: expected a folder, got nothing')
  demandNone('codegen', usage.command)
  const files = await documentsIn(documents)
  const operations = operationsOf(files)
  const nameless = operations.find(({ document }) => operationWithoutName(document))
  if (nameless !== undefined)
    throw invalidArgument(
      `${nameless.where}: expected a name for each operation; types are named after it`,
    )
  if (operations.length === 0)
    throw invalidArgument(
      `--documents: there is no operation in the .graphql files of ${documents}`,
    )
  const known = await readSchemaFile(schema)
  rejectInvalid(operations, known)
  const content = await generated(known, files, out)
  rejectSameNames(content)
  if (!usage.has('check')) {
    writeOutput(out, content, `written to ${out}\n`)
    return 0
  }
  const isFresh = (await readFile(out, 'utf8').catch(() => '')).replaceAll('\r\n', '\n') === content
  process.stdout.write(
    isFresh ? `${out} is fresh\n` : `${out} is stale; generate it again with stepwell codegen\n`,
  )
  return isFresh ? 0 : 1
}

/** Throws for operations that the service would reject: the plugins let some of them pass, and name no files. */
const rejectInvalid = (operations: readonly Operation[], schema: GraphQLSchema): void => {
  // Errors of a fragment come again with each operation that uses it.
  const problems = new Set(
    operations.flatMap(({ document }) => validate(schema, document).map(withPlace)),
  )
  if (problems.size > 0) throw invalidArgument([...problems].join('\n'))
}

/** Throws where two documents have one name as the plugins write names, such as `ab` and `Ab`. */
const rejectSameNames = (content: string): void => {
  const names = [...content.matchAll(/^export const (\w+) =/gm)].map(([, name]) => name)
  const twice = names.find((name, index) => names.indexOf(name) < index)
  if (twice !== undefined)
    throw invalidArgument(`two operations or fragments would be exported as ${twice}; rename one`)
}

/**
 * Runs the plugins directly: the command of graphql-codegen has ways to load schemas and documents that are not needed
 * here. They get the schema as a document, as their version of graphql may be another one.
 */
const generated = async (
  schema: GraphQLSchema,
  files: readonly DocumentFile[],
  out: string,
): Promise<string> => {
  const { codegen } = await loadPeer<Core>('@graphql-codegen/core', NEEDED)
  const pluginMap: Record<string, unknown> = {}
  for (const name of PLUGINS) pluginMap[name] = await loadPeer(`@graphql-codegen/${name}`, NEEDED)
  try {
    return await codegen({
      // Its ending says that it is TypeScript.
      filename: out === '-' ? OUT : out,
      schema: parse(printSchema(schema)),
      documents: files.map(({ file, document }) => ({ location: file, document })),
      plugins: PLUGINS.map((name) => ({ [name]: {} })),
      pluginMap,
      config: {
        scalars: { DateTime: 'string', Json: 'unknown' },
        enumsAsTypes: true,
        enumType: 'string-literal',
        inlineFragmentTypes: 'combine',
        skipTypename: true,
        useTypeImports: true,
        emitLegacyCommonJSImports: false,
      },
    })
  } catch (error) {
    throw invalidArgument(messagesOf(error))
  }
}

const operationWithoutName = ({ definitions }: DocumentNode): boolean =>
  definitions.some((node) => node.kind === Kind.OPERATION_DEFINITION && node.name === undefined)

/** Returns the message of each document's error. */
const messagesOf = (error: unknown): string => {
  const { errors, message } = error as Error & { errors?: readonly Error[] }
  return errors === undefined || errors.length === 0 ? message : errors.map(messagesOf).join('\n')
}
