import { sql } from 'kysely'
import { type Database, migrated, openEngine, refuseUnfit } from '../../database/database.js'
import { UnreachableDatabase, waitForServer } from '../../database/postgres.js'
import { broken, brokenBy, type Finding, messageOf, ok, warning } from './check.js'
import { migrationState } from './migrations.js'

const STATEMENT_MS = 5000
const LEAST_VERSION = 150_000
const MOST_SKEW_MS = 5000
const FEW_CONNECTIONS = 12

/** Checks a PostgreSQL server: that it answers, fits, is up to date, and takes what a start and the service write. */
export const postgresDatabase = async (url: string, isReadOnly: boolean): Promise<Finding[]> => {
  try {
    await waitForServer(url, { say: () => undefined, startingMs: 0 })
  } catch (error) {
    if (!(error instanceof UnreachableDatabase)) throw error
    return [broken(error.found, error.remedy)]
  }
  const engine = await openEngine({ url })
  const db = engine.connect(STATEMENT_MS)
  try {
    const names = await migrated(db)
    return [
      migrationState(names, 'the database answers'),
      ...(await fitness(db)),
      ...(isReadOnly ? [] : [await writes(db)]),
    ]
  } catch (error) {
    return [
      broken(
        `the database failed at a simple statement: ${messageOf(error)}`,
        'see the log of the database server',
      ),
    ]
  } finally {
    await db.destroy()
    await engine.close()
  }
}

interface Facts {
  version: number
  shownVersion: string
  nowSeconds: number
  role: string
  isStandby: boolean
  mayCreate: boolean
  ofOthers: number
  connections: number
  most: number
}

const fitness = async (db: Database): Promise<Finding[]> => {
  const findings: Finding[] = []
  try {
    await refuseUnfit(db)
  } catch (error) {
    findings.push(brokenBy(error))
  }
  const before = Date.now()
  const { rows } = await sql<Facts>`
    SELECT current_setting('server_version_num')::integer AS version,
      current_setting('server_version') AS "shownVersion",
      extract(epoch FROM clock_timestamp())::float8 AS "nowSeconds", current_user::text AS role, pg_is_in_recovery() AS "isStandby",
      coalesce(has_schema_privilege(current_schema(), 'CREATE'), false) AS "mayCreate",
      (SELECT count(*)::integer FROM pg_class WHERE relnamespace = current_schema()::regnamespace
        AND relkind IN ('r', 'p') AND NOT pg_has_role(relowner, 'USAGE')) AS "ofOthers",
      (SELECT count(*)::integer FROM pg_stat_activity WHERE backend_type = 'client backend') AS connections,
      current_setting('max_connections')::integer AS most`.execute(db)
  const [facts] = rows
  if (facts === undefined) return findings
  return [...findings, ...faultsOf(facts), skewOf(facts, (before + Date.now()) / 2)]
}

const faultsOf = (facts: Facts): Finding[] => {
  const findings: Finding[] = []
  if (facts.version < LEAST_VERSION)
    findings.push(
      broken(
        `the server is PostgreSQL ${facts.shownVersion}, older than 15`,
        'move the database to PostgreSQL 15 or newer, by pg_dump and pg_restore',
      ),
    )
  if (facts.isStandby)
    findings.push(
      broken(
        'the server is a standby, which takes no writes',
        'name the primary server in the URL',
      ),
    )
  if (!facts.mayCreate)
    findings.push(
      broken(
        `the role ${facts.role} may make no tables`,
        `as the owner of the database: GRANT CREATE ON SCHEMA public TO "${facts.role}"`,
      ),
    )
  if (facts.ofOthers > 0)
    findings.push(
      broken(
        `${facts.ofOthers} tables belong to another role than ${facts.role}, so that a start cannot bring them up to date`,
        `as their owner, or a superuser: REASSIGN OWNED BY owner TO "${facts.role}"`,
      ),
    )
  if (facts.most - facts.connections < FEW_CONNECTIONS)
    findings.push(
      warning(
        `${facts.connections} of ${facts.most} connections of the server are taken, and a service takes up to 11`,
        'raise max_connections of the server, or end other clients',
      ),
    )
  return findings.length > 0
    ? findings
    : [ok(`PostgreSQL ${facts.shownVersion}, in which the role ${facts.role} may make tables`)]
}

const skewOf = ({ nowSeconds }: Facts, askedAtMs: number): Finding => {
  const skewMs = Number(nowSeconds) * 1000 - askedAtMs
  return Math.abs(skewMs) < MOST_SKEW_MS
    ? ok('the clocks of this machine and the server agree')
    : warning(
        `the clock of this machine is ${Math.round(Math.abs(skewMs) / 1000)} seconds ${skewMs > 0 ? 'behind' : 'ahead of'} that of the server`,
        'set both clocks by the network: sudo timedatectl set-ntp true',
      )
}

const UNDONE = new Error('the canary is taken back')

/** Makes a table with a row, reads it, and takes it back: nothing of it is ever visible to others. */
const writes = async (db: Database): Promise<Finding> => {
  try {
    await db.transaction().execute(async (transaction) => {
      await sql`CREATE TABLE stepwell_doctor (note text)`.execute(transaction)
      await sql`INSERT INTO stepwell_doctor VALUES ('a canary')`.execute(transaction)
      const { rows } = await sql`SELECT note FROM stepwell_doctor`.execute(transaction)
      throw rows.length === 1 ? UNDONE : new Error('a row was not read back')
    })
  } catch (error) {
    if (error !== UNDONE)
      return broken(
        `a table could not be written: ${messageOf(error)}`,
        'see that the role may make tables, that default_transaction_read_only is off, and that the disk of the server has room',
      )
  }
  return ok('a table was made, written, read, and taken back')
}
