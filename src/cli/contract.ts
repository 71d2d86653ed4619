import { breakagesBetween } from '../contract/breakage.js'
import { documentsIn, operationsOf, ownOperations } from '../contract/operations.js'
import { readSchema, readSchemaFile, recordOf } from '../contract/schema-source.js'
import { noSuchCommand, readUsage } from './usage.js'
import { writeOutput } from './write-out.js'

const HELP = `Usage: stepwell contract pull [--schema URL] [--out FILE]
       stepwell contract check [--recorded FILE] [--schema URL_OR_FILE] [--documents FOLDER]

pull   records the schema of the service, for stepwell codegen and for check
check  compares the schema with the recorded one and lists breaking changes with the operations that they break: those
       of this package, and those in the .graphql files of the folder

  --schema     the URL of a service; for check also a file. Default: the service of STEPWELL_API_URL
  --out        the file to write; - is the standard output. Default: stepwell.graphql
  --recorded   the recorded schema. Default: stepwell.graphql
  --documents  a folder with .graphql files

check exits with 1 when an operation would break, otherwise with 0.
`

const RECORD = 'stepwell.graphql'

/** Records the schema of a service, or reports what would break with it. */
export const contract = async (args: readonly string[]): Promise<number> => {
  const usage = readUsage(args, HELP, ['schema', 'out', 'recorded', 'documents'])
  if (usage === undefined) return 0
  const { command, values } = usage
  if (command === 'pull') {
    const { schema, out = RECORD } = values
    writeOutput(out, recordOf(await readSchema(schema)), `recorded in ${out}\n`)
    return 0
  }
  if (command !== 'check') throw noSuchCommand(command, ['pull', 'check'])
  const { recorded = RECORD, schema, documents } = values
  const operations = [
    ...ownOperations(),
    ...(documents ? operationsOf(await documentsIn(documents)) : []),
  ]
  const before = await readSchemaFile(recorded)
  const breakages = breakagesBetween(before, await readSchema(schema), operations)
  for (const { message, operations } of breakages) {
    const broken = operations.map(({ name, where }) => `${name} (${where})`)
    process.stdout.write(
      broken.length === 0
        ? `changed: ${message}; no operation uses it\n`
        : `breaking: ${message}\n  breaks ${broken.join(', ')}\n`,
    )
  }
  const isBroken = breakages.some((breakage) => breakage.operations.length > 0)
  process.stdout.write(isBroken ? '' : `none of ${operations.length} operations breaks\n`)
  return isBroken ? 1 : 0
}
