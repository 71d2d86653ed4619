import { Kysely, type Migration, Migrator, sql } from 'kysely'
import { MAX_ANSWER_BYTES } from '../kernel/limits.js'
import { type Connections, dialectOver, type PoolUse } from './driver.js'
import { embeddedConnections } from './embedded.js'
import { Engine } from './engine/engine.js'
import { contract } from './migrations/0001-contract.js'
import { sessions } from './migrations/0002-sessions.js'
import { promptSegments } from './migrations/0003-prompt-segments.js'
import { keys } from './migrations/0004-keys.js'
import { fileChecks } from './migrations/0005-file-checks.js'
import { boundedLists } from './migrations/0006-bounded-lists.js'
import { compression } from './migrations/0007-compression.js'
import { outlines } from './migrations/0008-outlines.js'
import { definitions } from './migrations/0009-definitions.js'
import { traces } from './migrations/0010-traces.js'
import { usage } from './migrations/0011-usage.js'
import { callsInCalls } from './migrations/0012-calls-in-calls.js'
import { logBytes } from './migrations/0013-log-bytes.js'
import { toldTokens } from './migrations/0014-told-tokens.js'
import { notedParticipants } from './migrations/0015-noted-participants.js'
import { experimentLeases } from './migrations/0016-experiment-leases.js'
import { threadScores } from './migrations/0017-thread-scores.js'
import { contents } from './migrations/contents/0030-contents.js'
import { conversations } from './migrations/evaluation/0018-conversations.js'
import { judges } from './migrations/evaluation/0019-judges.js'
import { measuredResults } from './migrations/evaluation/0020-measured-results.js'
import { resultGroups } from './migrations/evaluation/0031-result-groups.js'
import { expectedOutputs } from './migrations/evaluation/0036-expected-outputs.js'
import { judgeBudgets } from './migrations/evaluation/0038-judge-budgets.js'
import { rollups } from './migrations/measuring/0028-rollups.js'
import { longerRollups } from './migrations/measuring/0041-longer-rollups.js'
import { marksBesideRows } from './migrations/measuring/0048-marks-beside-rows.js'
import { measuredScores } from './migrations/measuring/0049-measured-scores.js'
import { retention } from './migrations/operating/0032-retention.js'
import { imports } from './migrations/operating/0034-imports.js'
import { audit } from './migrations/operating/0035-audit.js'
import { moves } from './migrations/operating/0037-moves.js'
import { personSessions } from './migrations/operating/0039-person-sessions.js'
import { usedLinks } from './migrations/operating/0040-used-links.js'
import { keptRollups } from './migrations/operating/0042-kept-rollups.js'
import { deletedProjects } from './migrations/operating/0047-deleted-projects.js'
import { starts } from './migrations/reading/0021-starts.js'
import { excerpts } from './migrations/reading/0022-excerpts.js'
import { costs } from './migrations/reading/0023-costs.js'
import { views } from './migrations/reading/0024-views.js'
import { promptLabels } from './migrations/reading/0025-prompt-labels.js'
import { alerts } from './migrations/reading/0026-alerts.js'
import { charts } from './migrations/reading/0027-charts.js'
import { distinctThreads } from './migrations/reading/0043-distinct-threads.js'
import { usersOfTraces } from './migrations/reading/0044-users-of-traces.js'
import { takenWords } from './migrations/reading/0045-taken-words.js'
import { changedFigures } from './migrations/reading/0046-changed-figures.js'
import { failedNames } from './migrations/reading/0050-failed-names.js'
import { failures } from './migrations/reading/0051-failures.js'
import { failedThreads } from './migrations/reading/0054-failed-threads.js'
import { userSums } from './migrations/users/0052-user-sums.js'
import { usersInOrder } from './migrations/users/0053-users-in-order.js'
import { postgresConnections, waitForServer } from './postgres.js'
import { SESSION } from './session.js'
import { withoutTimeLimit } from './task.js'

/**
 * A database without table types: statements are SQL, and a row's type comes from the columns it selects
 * (`rows/sql.ts`).
 */
export type Database = Kysely<Record<string, never>>

/** The migrations, in the order of their names. A released migration never changes. */
export const migrations: Record<string, Migration> = {
  '0001-contract': statements(contract),
  '0002-sessions': statements(sessions),
  '0003-prompt-segments': statements(promptSegments),
  '0004-keys': statements(keys),
  '0005-file-checks': statements(fileChecks),
  '0006-bounded-lists': statements(boundedLists),
  '0007-compression': compression,
  '0008-outlines': statements(outlines),
  '0009-definitions': statements(definitions),
  '0010-traces': statements(traces),
  '0011-usage': statements(usage),
  '0012-calls-in-calls': statements(callsInCalls),
  '0013-log-bytes': statements(logBytes),
  '0014-told-tokens': statements(toldTokens),
  '0015-noted-participants': statements(notedParticipants),
  '0016-experiment-leases': statements(experimentLeases),
  '0017-thread-scores': statements(threadScores),
  '0018-conversations': statements(conversations),
  '0019-judges': statements(judges),
  '0020-measured-results': statements(measuredResults),
  '0021-starts': statements(starts),
  '0022-excerpts': statements(excerpts),
  '0025-prompt-labels': statements(promptLabels),
  '0023-costs': statements(costs),
  '0024-views': statements(views),
  '0026-alerts': statements(alerts),
  '0027-charts': statements(charts),
  '0028-rollups': rollups,
  '0030-contents': statements(contents),
  '0031-result-groups': statements(resultGroups),
  '0032-retention': statements(retention),
  '0034-imports': statements(imports),
  '0035-audit': audit,
  '0036-expected-outputs': statements(expectedOutputs),
  '0037-moves': moves,
  '0038-judge-budgets': judgeBudgets,
  '0039-person-sessions': statements(personSessions),
  '0040-used-links': statements(usedLinks),
  '0041-longer-rollups': longerRollups,
  '0042-kept-rollups': statements(keptRollups),
  '0043-distinct-threads': distinctThreads,
  '0044-users-of-traces': statements(usersOfTraces),
  '0045-taken-words': statements(takenWords),
  '0046-changed-figures': statements(changedFigures),
  '0047-deleted-projects': statements(deletedProjects),
  '0048-marks-beside-rows': marksBesideRows,
  '0049-measured-scores': measuredScores,
  '0050-failed-names': statements(failedNames),
  '0051-failures': statements(failures),
  '0052-user-sums': userSums,
  '0053-users-in-order': usersInOrder,
  '0054-failed-threads': statements(failedThreads),
}

/** Creates a migration of plain statements. They are sent one by one, as a prepared statement holds only one. */
function statements(script: string): Migration {
  const parts = script
    .replace(/--.*$/gm, '')
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part !== '')
  return {
    async up(db) {
      // Indexing a large table takes longer than a statement of a request may.
      await sql`SET LOCAL statement_timeout = 0`.execute(db)
      for (const part of parts) await sql.raw(part).execute(db)
    },
  }
}

/**
 * The location of a database: embedded in a folder, embedded in memory when there is none, an engine that is starting, or
 * a server by its URL.
 */
export type DatabaseLocation = (
  | { folder: string | undefined }
  | { engine: Promise<Engine> }
  | { url: string }
) & {
  /** Time limit of a statement, in milliseconds; 0 or absent for no limit. */
  statementTimeoutMs?: number
  /** Size limit of an answer. */
  answerBytes?: number
  /** Milliseconds for which a server that is starting is waited for; ten seconds when absent. */
  startingMs?: number
  /** True for an embedded engine that takes less memory and is slower, for commands. */
  isFrugal?: boolean
  /** Receives errors that no caller waits for. */
  report?: (error: unknown) => void
  /** Called when a request has to wait for a connection. */
  waited?: () => void
  /** Receives a function that reads the use of the connections. */
  observe?: (read: () => PoolUse) => void
  /** Receives a text about what the start is waiting for. */
  say?: (text: string) => void
  /** Aborts the start. */
  signal?: AbortSignal | undefined
  /** Aborts once another process has the folder. Nothing is written after that, and every call fails. */
  lost?: AbortSignal | undefined
}

/** Opens a database and migrates it. Several processes may do so at once: one migrates, the others wait. */
export const openDatabase = async (location: DatabaseLocation): Promise<Database> => {
  const engine = await openEngine(location)
  try {
    // The time limit of requests applies neither to indexing a large table nor to waiting for the process that does it.
    await withoutTimeLimit(() => migrate(engine.connect(0)))
    const db = engine.connect(location.statementTimeoutMs ?? 0)
    const destroy = db.destroy.bind(db)
    db.destroy = async () => {
      await destroy()
      await engine.close()
    }
    return db
  } catch (error) {
    await engine.close()
    location.signal?.throwIfAborted()
    throw error
  }
}

export interface OpenEngine {
  /** Creates separate connections with a time limit of their own for statements; 0 for no limit. */
  connect: (statementTimeoutMs: number) => Database
  close: () => Promise<void>
}

/** Opens a database without migrating it. */
export const openEngine = async (location: DatabaseLocation): Promise<OpenEngine> => {
  const {
    answerBytes = MAX_ANSWER_BYTES,
    report = () => undefined,
    waited = () => undefined,
    observe = () => undefined,
    say = () => undefined,
    signal,
    lost,
    isFrugal = false,
    startingMs,
  } = location
  const over = (connections: (timeoutMs: number) => Connections) => (statementTimeoutMs: number) =>
    new Kysely<Record<string, never>>({
      dialect: dialectOver(connections(statementTimeoutMs), {
        statementTimeoutMs,
        answerBytes,
        report,
        waited,
        observe,
      }),
    })
  if ('url' in location) {
    const { url } = location
    await waitForServer(url, { say, signal, startingMs })
    return { connect: over((ms) => postgresConnections(url, ms)), close: async () => undefined }
  }
  const engine = await ('engine' in location
    ? location.engine
    : Engine.open({
        folder: location.folder,
        settings: SESSION,
        isFrugal,
        report,
        signal,
        lost,
      }))
  return { connect: over(() => embeddedConnections(engine)), close: () => engine.close() }
}

/** Migrates a database, and closes the connections that this took. */
const migrate = async (db: Database): Promise<void> => {
  try {
    await refuseUnfit(db)
    const done = await migrated(db)
    refuseNewer(done)
    // Kysely would read the whole catalog to find out the same.
    if (done.length === Object.keys(migrations).length) return
    const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } })
    const { error } = await migrator.migrateToLatest()
    if (error !== undefined) throw error
  } finally {
    await db.destroy()
  }
}

/**
 * Rejects a database that this version has not brought up to date, for those who only read.
 *
 * @throws Error with the remedy.
 */
export const demandUpToDate = async (db: Database): Promise<void> => {
  const done = await migrated(db)
  refuseNewer(done)
  if (done.length === 0) throw new Error('there is no data of Stepwell in the database')
  if (done.length < Object.keys(migrations).length)
    throw new Error(
      'the database is of an older version of Stepwell; start this version of the service on it first',
    )
}

/**
 * Rejects a database without UTF-8 or Unicode collations: texts are compared regardless of script and case, and both
 * sides have to follow the same rules.
 */
export const refuseUnfit = async (db: Database): Promise<void> => {
  const { rows } = await sql<{ encoding: string; collation: boolean }>`
    SELECT current_setting('server_encoding') AS encoding,
      EXISTS (SELECT 1 FROM pg_collation WHERE collname = 'und-x-icu') AS collation`.execute(db)
  const [found] = rows
  if (found?.encoding !== 'UTF8')
    throw new Error(
      `the database has the encoding ${found?.encoding}; make one with ENCODING 'UTF8'`,
    )
  if (!found.collation)
    throw new Error(
      'the database has no collation und-x-icu; use a PostgreSQL built with ICU, as almost all are',
    )
}

/** Returns the names of the migrations that a database has. */
export const migrated = async (db: Database): Promise<string[]> => {
  const { rows: tables } = await sql<{ name: string | null }>`
    SELECT to_regclass('kysely_migration')::text AS name`.execute(db)
  if (tables[0]?.name == null) return []
  const { rows } = await sql<{ name: string }>`
    SELECT name FROM kysely_migration ORDER BY name`.execute(db)
  return rows.map(({ name }) => name)
}

/**
 * Rejects a database that a newer program has migrated: it may have given columns a meaning that this program would not
 * keep.
 */
const refuseNewer = (names: readonly string[]): void => {
  const unknown = names.filter((name) => !(name in migrations))
  if (unknown.length > 0)
    throw new Error(
      `the database was brought up to date by a newer version of Stepwell (${unknown.join(', ')}); start that version, or a later one`,
    )
}
