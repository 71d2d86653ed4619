import { openDatabase } from '../database/database.js'
import { distribute } from '../database/distribution/distribute.js'
import { readOptions } from '../kernel/options.js'
import { shown } from '../kernel/shown.js'
import { readLocation, SettingsError } from '../settings.js'
import { fail } from './failure.js'

const HELP = `Usage: stepwell migrate --database URL [--distributed [--shards N]]

Brings the database of a PostgreSQL server up to date, as each start of the service does.

  --database URL   the server. Default: DATABASE_URL
  --config FILE    lines of VARIABLE=value, as of stepwell serve
  --distributed    then distributes the large tables over the workers of a Citus cluster, and copies the small ones to each
  --shards N       with --distributed: the parts of each large table. Default: two for each worker
`

/** Runs `stepwell migrate`. Returns the exit code. */
export const migrate = async (args: readonly string[]): Promise<number> => {
  try {
    const { values } = readOptions({
      args: [...args],
      options: {
        config: { type: 'string' },
        database: { type: 'string' },
        distributed: { type: 'boolean' },
        shards: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    })
    if (values.help) {
      process.stdout.write(HELP)
      return 0
    }
    const { databaseUrl } = readLocation(values, process.env)
    if (databaseUrl === undefined)
      throw new SettingsError('--database: expected a URL that begins with postgres://')
    const shards = readShards(values)
    const report = (error: unknown) => console.error('stepwell:', shown(error))
    const db = await openDatabase({ url: databaseUrl, statementTimeoutMs: 0, report })
    try {
      process.stdout.write('The database is up to date\n')
      if (values.distributed) {
        const say = (line: string) => process.stdout.write(`${line}\n`)
        const tables = await distribute(db, { shards, say })
        if (tables.length === 0) say('All tables were distributed before')
      }
    } finally {
      await db.destroy()
    }
    return 0
  } catch (error) {
    return fail(error, 'migrate')
  }
}

const MAX_SHARDS = 1024

const readShards = ({
  distributed,
  shards,
}: {
  distributed?: boolean
  shards?: string
}): number | undefined => {
  if (shards === undefined) return undefined
  if (!distributed) throw new SettingsError('--shards: expected only with --distributed')
  if (!/^\d{1,4}$/.test(shards) || Number(shards) < 1 || Number(shards) > MAX_SHARDS)
    throw new SettingsError(`--shards: expected a number from 1 to ${MAX_SHARDS}, got ${shards}`)
  return Number(shards)
}
