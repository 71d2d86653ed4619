import { randomBytes } from 'node:crypto'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { type DatabaseLocation, openDatabase } from './database/database.js'
import type { PoolUse } from './database/driver.js'
import { isOutage } from './database/failures.js'
import { embeddedProbe, serverProbe } from './database/probe.js'
import { Statistics } from './database/statistics.js'
import { withoutTimeLimit, withTimeLimit } from './database/task.js'
import { Upkeep } from './database/upkeep.js'
import { People } from './domain/access/people.js'
import { SignIn } from './domain/access/sign-in.js'
import { SignInLinks } from './domain/access/sign-in-links.js'
import { createDomain } from './domain/domain.js'
import { Sealing } from './domain/models/sealing.js'
import { continueImport } from './domain/moving/import-project.js'
import { demandUnmoved } from './domain/moving/unmoved.js'
import { Bucket } from './files/bucket.js'
import type { BucketLocation } from './files/bucket-location.js'
import { Files } from './files/files.js'
import { LocalStore } from './files/local-store.js'
import { Signatures } from './files/signatures.js'
import { Uploads } from './files/uploads.js'
import { createExecutableSchema, createRecordingSchema } from './graphql/engine/executable.js'
import { GraphQLExecutor } from './graphql/engine/execute.js'
import { refusal } from './http/answers.js'
import { createApp } from './http/app.js'
import { basePathOf } from './http/base-path.js'
import { Flows } from './http/people/flow.js'
import { findUi, Ui } from './http/ui.js'
import { Gauges } from './http/watching/gauges.js'
import { Health } from './http/watching/health.js'
import type { Watching } from './http/watching/watch-requests.js'
import { digestOfRules } from './identity/options.js'
import { Provider } from './identity/provider.js'
import { unknownProjects } from './identity/rules.js'
import { inBackground } from './kernel/background.js'
import { shownDatabase } from './kernel/database-url.js'
import { DomainError, invalid, show } from './kernel/errors.js'
import { createClock } from './kernel/instant.js'
import type { Limits } from './kernel/limits.js'
import { Turns } from './kernel/sharing/turns.js'
import type { FaultLog } from './kernel/watching/fault-log.js'
import { type Command, type Host, perform } from './operator/commands.js'
import { Mover } from './operator/moving/mover.js'
import type { DataLocation } from './operator/moving/open-data.js'
import { Snapshots } from './operator/moving/snapshots.js'
import type { Service, ServiceOptions } from './service.js'
import { outageLog } from './service-log.js'
import { ensureSecret } from './storage/projects.js'
import { takeNotes } from './unnoted.js'

/** Transactions at once that store steps in a server's database; the embedded one has a single connection. */
const MAX_WRITERS = 4
const COLLECT_EVERY_MS = 60_000
const SUM_EVERY_MS = 10_000
const UPKEEP_EVERY_MS = 1000
const REMOVE_EVERY_MS = 30_000
const PRICE_EVERY_MS = 1000
const ROLL_UP_EVERY_MS = 2000
const ALERT_EVERY_MS = 1000
const INDEX_EVERY_MS = 1000
const RETAIN_EVERY_MS = 1000
const NOTE_EVERY_MS = 60_000
const PROBE_MS = 2000
const PROBE_EVERY_MS = 10_000
/** A bucket is asked over a network, and may charge for it. */
const HEALTH_FRESH_MS = { database: 1000, files: 10_000 }
const KEY_FILE = 'api-key'
/** Time that a call of an import takes; the command that sent it sends the next one. */
const IMPORT_TURN_MS = 1000
const WITHOUT_SNAPSHOTS =
  'this service keeps its data on a PostgreSQL server, or in memory; name the server by --database, as for stepwell serve'

/** The surroundings of a service, which are there before its modules are. */
export interface Foundation {
  options: ServiceOptions
  limits: Limits
  report: (error: unknown) => void
  faults: FaultLog
  watching: Watching
  /** The server of the database, or the embedded engine as it starts. */
  location: DatabaseLocation
  filesFolder: string
  /** The token of requests to `/api/operator`. */
  operatorToken: string
  /** Makes the process serve data at another location. */
  serve: (to: DataLocation) => Promise<void>
  /** Works while requests wait that may write. */
  hold: <Result>(work: () => Promise<Result>) => Promise<Result>
  /** Leaves the data folder to other processes. */
  release: () => Promise<void>
}

/** A service around one database. */
export interface Assembled extends Service {
  /** Ends its work in the background; requests are still answered. */
  rest: () => Promise<void>
}

/** Assembles a service around its database. */
export const assemble = async ({
  options,
  limits,
  report,
  faults,
  watching,
  location,
  filesFolder,
  operatorToken,
  serve,
  hold,
  release,
}: Foundation): Promise<Assembled> => {
  const { dataFolder, databaseUrl, group } = options
  // While an engine starts in its thread, this one has the time.
  const executor = new GraphQLExecutor(
    createExecutableSchema(),
    createRecordingSchema,
    report,
    watching.failed,
  )
  const { statementTimeoutMs, answerBytes, databaseMs } = limits
  let waits = 0
  let pool: (() => PoolUse) | undefined
  const db = await openDatabase({
    ...location,
    statementTimeoutMs,
    answerBytes,
    report,
    waited: () => {
      waits++
    },
    observe: (read) => {
      pool = read
    },
  })
  try {
    await demandUnmoved(db)
    const clock = createClock()
    const statistics = new Statistics(db, report, { isServer: databaseUrl !== undefined })
    const publicUrl = options.publicUrl?.replace(/\/+$/, '')
    const domain = createDomain(db, clock, limits, {
      places: placesOf(options),
      models: {
        sealing: new Sealing(
          await ensureSecret(db, 'model-keys', randomBytes(32).toString('base64url')),
        ),
        allowed: options.modelHosts ?? [],
      },
      webhookHosts: options.webhookHosts ?? [],
      publicUrl,
      contentIndex: options.contentIndex,
      report,
      writers: databaseUrl === undefined ? 1 : MAX_WRITERS,
      commitMs: databaseMs,
      mayBeHeld: databaseUrl !== undefined,
      // The embedded engine has a single connection.
      ...(databaseUrl === undefined ? { waits: () => waits } : {}),
      wrote: (steps) => statistics.wrote(steps),
    })
    const { projectId, newKey } = await domain.projects.ensureFirst(options.apiKey)
    if (newKey !== undefined && dataFolder !== undefined) {
      await writeFile(join(dataFolder, KEY_FILE), `${newKey}\n`, { mode: 0o600 })
    }
    if (databaseUrl === undefined && dataFolder !== undefined)
      await takeNotes(dataFolder, async (notes) =>
        domain.audit.noteLate(notes, await domain.projects.list()),
      )
    const signatures = new Signatures(
      await ensureSecret(db, 'signatures', randomBytes(32).toString('base64url')),
    )
    const local = options.bucket === undefined ? new LocalStore(filesFolder, signatures) : undefined
    await local?.clear()
    const uploads = local && new Uploads(db, local, signatures, limits)
    const store = local ?? new Bucket(options.bucket as BucketLocation, limits.fileBytes)
    const files = new Files(db, store, clock)
    const removeFiles: Files['remove'] = (id, keys) => files.remove(id, keys)
    const secret = await ensureSecret(db, 'sign-in', randomBytes(32).toString('base64url'))
    const links = new SignInLinks(db, secret)
    const signIn = new SignIn(domain.keys, links, secret)
    const { oidc } = options
    const identities = oidc && {
      options: oidc,
      provider: new Provider(oidc),
      people: new People(db, clock, {
        secret,
        rules: digestOfRules(oidc),
        sessionHours: oidc.sessionHours,
        report,
      }),
      flows: new Flows(secret),
    }
    if (oidc !== undefined)
      for (const name of unknownProjects(oidc.rules, await domain.projects.list()))
        watching.logger.log(
          'warn',
          `--oidc-roles: there is no project ${show(name)}; its rules count once there is one`,
        )
    const uiFolder = findUi()
    // Maintains the embedded database, a portion at a time. An outage is reported by the requests that fail.
    const upkeep = databaseUrl === undefined ? new Upkeep(db) : undefined
    const background = [
      inBackground(COLLECT_EVERY_MS, () => files.collect(), report),
      inBackground(SUM_EVERY_MS, () => domain.threads.catchUp(), report),
      inBackground(PRICE_EVERY_MS, () => domain.pricer.work(), report),
      inBackground(ROLL_UP_EVERY_MS, () => domain.rollups.work(), unlessOutage(report)),
      inBackground(ROLL_UP_EVERY_MS, () => domain.scoreRollups.work(), unlessOutage(report)),
      inBackground(ROLL_UP_EVERY_MS, () => domain.userSums.work(), unlessOutage(report)),
      inBackground(
        REMOVE_EVERY_MS,
        () => domain.projects.removeLate(removeFiles),
        unlessOutage(report),
      ),
      inBackground(ALERT_EVERY_MS, () => domain.alertEvaluator.work(), unlessOutage(report)),
      inBackground(ALERT_EVERY_MS, () => domain.alertCalls.work(), unlessOutage(report)),
      inBackground(RETAIN_EVERY_MS, () => domain.retentionCleaner.work(), unlessOutage(report)),
      inBackground(NOTE_EVERY_MS, () => domain.audit.work(), unlessOutage(report)),
      inBackground(INDEX_EVERY_MS, () => domain.contentIndexer.work(), unlessOutage(report)),
      ...(upkeep === undefined
        ? []
        : [inBackground(UPKEEP_EVERY_MS, () => upkeep.work(), unlessOutage(report))]),
    ]
    const signInLink = (url: string, project = projectId) =>
      `${publicUrl ?? url}/sign-in?token=${links.create(project)}`
    const snapshots =
      upkeep && dataFolder !== undefined
        ? new Snapshots(db, resolve(dataFolder), () => upkeep.holdCheckpoints())
        : undefined
    const mover =
      dataFolder === undefined || group !== undefined
        ? undefined
        : new Mover(db, store, { databaseUrl, dataFolder, bucket: options.bucket }, { serve, hold })
    const host: Host = {
      signInLink,
      mover,
      snapshot: async (noteIt, isAwaited) => {
        if (snapshots === undefined) throw invalid(WITHOUT_SNAPSHOTS)
        await noteIt()
        return withoutTimeLimit(() => snapshots.create(isAwaited))
      },
      continueImport: (request) =>
        withoutTimeLimit(() => continueImport(db, store, request, IMPORT_TURN_MS)),
    }
    const operate = (command: Command, isAwaited = () => true) =>
      perform(domain, files, host, command, isAwaited)
    let isReady = true
    let isClosed = false
    const probe =
      databaseUrl === undefined ? embeddedProbe(db, PROBE_MS) : serverProbe(databaseUrl, PROBE_MS)
    const health = new Health({
      database: probe.look,
      files: () => store.check(),
      timeoutMs: PROBE_MS + 500,
      freshMs: HEALTH_FRESH_MS,
      turned: outageLog(faults, watching.logger),
    })
    const gauges = new Gauges({
      health,
      ingestion: domain.ingestion,
      pool: () => pool?.(),
      dataFolder,
    })
    // Without requests and probes nothing else would meet an outage.
    if (databaseUrl !== undefined)
      background.push(inBackground(PROBE_EVERY_MS, () => health.checkDatabase(), report))
    const turns = new Turns()
    const { app, readMetrics } = createApp({
      domain,
      files,
      uploads,
      executor,
      signIn,
      identities,
      ui:
        uiFolder === undefined
          ? undefined
          : new Ui(
              uiFolder,
              options.bucket && new URL(options.bucket.baseUrl).origin,
              basePathOf(publicUrl),
            ),
      limits,
      turns,
      publicUrl,
      report,
      watching,
      health,
      gauges,
      operate,
      operatorToken,
      completeMetrics: group && ((own) => group.completeMetrics(own)),
      corsOrigins: options.corsOrigins ?? [],
      isReady: () => isReady,
    })
    const rest = async () => {
      domain.pricer.stop()
      domain.contentIndexer.stop()
      for (const stop of background) await stop()
    }
    const close = async () => {
      isClosed = true
      await rest()
      await mover?.close()
      await domain.alertEvaluator.idle()
      await domain.alertCalls.close()
      await domain.ingestion.idle()
      await domain.projects.removeLate(removeFiles).catch(unlessOutage(report))
      await statistics.idle()
      gauges.stop()
      await probe.close()
      await db.destroy()
      if (dataFolder === undefined) await rm(filesFolder, { recursive: true, force: true })
      await release()
      faults.close()
    }
    let closing: Promise<void> | undefined
    return {
      fetch: async (input, init) =>
        isClosed
          ? refusal(closed(), undefined, { 'retry-after': '1' })
          : withTimeLimit(databaseMs, () =>
              app.fetch(
                input instanceof Request && init === undefined ? input : new Request(input, init),
              ),
            ),
      metrics: readMetrics,
      connected: () => turns.arrived(),
      retire: () => {
        isReady = false
      },
      collectFiles: (now) => files.collect(now),
      rest,
      close: () => {
        closing ??= close()
        return closing
      },
      projectId,
      apiKey: options.apiKey ?? newKey ?? (await readKey(dataFolder)),
      isNewKey: newKey !== undefined,
      operate,
      operatorToken,
      signInLink,
      hasUi: uiFolder !== undefined,
      createProject: (name) => domain.projects.create(name),
    }
  } catch (error) {
    await db.destroy().catch(report)
    throw error
  }
}

/** The answer to a client that asks on, of an application that ends the service within its own process. */
const closed = () => new DomainError('UNAVAILABLE', 'the service has been closed')

const unlessOutage = (report: (error: unknown) => void) => (error: unknown) => {
  if (!isOutage(error)) report(error)
}

/** Returns where the data is, in a form to show people: without the secrets of a database's URL. */
const placesOf = ({ databaseUrl, dataFolder, bucket }: ServiceOptions) => {
  const server = databaseUrl === undefined ? undefined : shownDatabase(databaseUrl)
  const folder = dataFolder === undefined ? null : resolve(dataFolder)
  return {
    database: server === undefined ? ('embedded' as const) : ('postgres' as const),
    databasePlace: server === undefined ? folder : `${server.host}/${server.name}`,
    files: bucket === undefined ? ('folder' as const) : ('bucket' as const),
    filesPlace: bucket === undefined ? folder : bucket.bucket,
  }
}

const readKey = async (dataFolder: string | undefined): Promise<string | null> => {
  if (dataFolder === undefined) return null
  try {
    return (await readFile(join(dataFolder, KEY_FILE), 'utf8')).trim()
  } catch {
    return null
  }
}
