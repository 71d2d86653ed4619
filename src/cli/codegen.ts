import { readFile } from 'node:fs/promises'
import { type DocumentNode, Kind } from 'graphql'
import { operationsIn } from '../contract/operations.js'
import { invalidArgument } from '../errors.js'
import { loadPeer } from './peers.js'
import { readUsage } from './usage.js'

const HELP = `Usage: stepwell codegen --documents FOLDER [--schema FILE] [--out FILE] [--check]

Makes typed document nodes of the .graphql files in a folder, to run with stepwell.query(document, variables).

  --documents  a folder with .graphql files
  --schema     the recorded schema, stepwell.graphql when absent: stepwell contract pull writes it
  --out        where to write, src/generated/stepwell.ts when absent
  --check      writes nothing; ends with 1 when what is there is not what would be written
`

const NEEDED = [
  '@graphql-codegen/cli',
  '@graphql-codegen/typescript-operations',
  '@graphql-codegen/typed-document-node',
  '@graphql-typed-document-node/core',
]

interface Codegen {
  generate: (
    config: object,
    saveToFile: boolean,
  ) => Promise<readonly { filename: string; content: string }[]>
}

/** Generates what an application's own documents need. */
export const codegen = async (args: readonly string[]): Promise<number> => {
  const usage = readUsage(args, HELP, ['documents', 'schema', 'out'], ['check'])
  if (usage === undefined) return 0
  const { documents, schema = 'stepwell.graphql', out = 'src/generated/stepwell.ts' } = usage.values
  if (documents === undefined) throw invalidArgument(`--documents: expected a folder\n\n${HELP}`)
  const operations = await operationsIn(documents)
  const nameless = operations.find(({ document }) => operationWithoutName(document))
  if (nameless !== undefined)
    throw invalidArgument(
      `${nameless.where}: expected a name for each operation; types are called by it`,
    )
  if (operations.length === 0)
    throw invalidArgument(
      `--documents: there is no operation in the .graphql files of ${documents}`,
    )
  const { generate } = await loadPeer<Codegen>('@graphql-codegen/cli', NEEDED)
  const config = {
    schema,
    documents: `${documents}/**/*.{graphql,gql}`,
    silent: true,
    emitLegacyCommonJSImports: false,
    generates: {
      [out]: {
        plugins: ['typescript-operations', 'typed-document-node'],
        config: {
          scalars: { DateTime: 'string', Json: 'unknown' },
          enumsAsTypes: true,
          enumType: 'string-literal',
          inlineFragmentTypes: 'combine',
          skipTypename: true,
          useTypeImports: true,
        },
      },
    },
  }
  const isCheck = usage.has('check')
  let files: readonly { filename: string; content: string }[]
  try {
    files = await generate(config, !isCheck)
  } catch (error) {
    throw invalidArgument(messagesOf(error))
  }
  const content = files[0]?.content ?? ''
  if (!isCheck) {
    process.stdout.write(`written to ${out}\n`)
    return 0
  }
  const isFresh = (await readFile(out, 'utf8').catch(() => '')).replaceAll('\r\n', '\n') === content
  process.stdout.write(
    isFresh ? `${out} is fresh\n` : `${out} is stale; write it anew with stepwell codegen\n`,
  )
  return isFresh ? 0 : 1
}

const operationWithoutName = ({ definitions }: DocumentNode): boolean =>
  definitions.some((node) => node.kind === Kind.OPERATION_DEFINITION && node.name === undefined)

/** What went wrong in each of the documents. */
const messagesOf = (error: unknown): string => {
  const { errors, message } = error as Error & { errors?: readonly Error[] }
  return errors === undefined || errors.length === 0 ? message : errors.map(messagesOf).join('\n')
}
