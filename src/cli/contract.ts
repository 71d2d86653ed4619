import { breakagesBetween } from '../contract/breakage.js'
import { documentsIn, operationsOf, ownOperations } from '../contract/operations.js'
import { readSchema, readSchemaFile, recordOf } from '../contract/schema-source.js'
import { noSuchCommand, readUsage } from './usage.js'
import { writeOut } from './write-out.js'

const HELP = `Usage: stepwell contract pull [--schema URL] [--out FILE]
       stepwell contract check [--recorded FILE] [--schema URL_OR_FILE] [--documents FOLDER]

pull   records the schema of the service, to generate from and to check against
check  says what would break if the schema took the place of the recorded one, and which operations: those of this
       package, and those in the .graphql files of the folder

  --schema     a service, or for check a file too; the service of STEPWELL_API_URL when absent
  --out        where to record, stepwell.graphql when absent
  --recorded   what was recorded, stepwell.graphql when absent
  --documents  a folder with .graphql files

check ends with 1 when an operation would break, and with 0 when none would.
`

const RECORD = 'stepwell.graphql'

/** Records the schema of a service, or says what would break with it. */
export const contract = async (args: readonly string[]): Promise<number> => {
  const usage = readUsage(args, HELP, ['schema', 'out', 'recorded', 'documents'])
  if (usage === undefined) return 0
  const { command, values } = usage
  if (command === 'pull') {
    const { schema, out = RECORD } = values
    writeOut(out, recordOf(await readSchema(schema)))
    process.stdout.write(`recorded in ${out}\n`)
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
