import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { ensurePrivate, lockFolder } from './data-folder.js'
import { type Database, openDatabase } from './database/database.js'
import { isOutage } from './database/failures.js'
import { Statistics } from './database/statistics.js'
import { withTimeLimit } from './database/time-limit.js'
import { Upkeep } from './database/upkeep.js'
import { SignIn } from './domain/access/sign-in.js'
import { SignInLinks } from './domain/access/sign-in-links.js'
import { createDomain } from './domain/domain.js'
import { Bucket } from './files/bucket.js'
import type { BucketLocation } from './files/bucket-location.js'
import { Files } from './files/files.js'
import { LocalStore } from './files/local-store.js'
import { Signatures } from './files/signatures.js'
import { Uploads } from './files/uploads.js'
import { createExecutableSchema, createRecordingSchema } from './graphql/engine/executable.js'
import { GraphQLExecutor } from './graphql/engine/execute.js'
import { createApp } from './http/app.js'
import { findUi, Ui } from './http/ui.js'
import { inBackground } from './kernel/background.js'
import { createClock } from './kernel/instant.js'
import { DEFAULT_LIMITS, type Limits } from './kernel/limits.js'
import { harmless } from './kernel/reports.js'
import { Turns } from './kernel/sharing/turns.js'
import { shown } from './kernel/shown.js'
import { newToken } from './operator/admin-endpoint.js'
import { type Command, type CommandResult, perform } from './operator/commands.js'
import { ensureSecret } from './storage/projects.js'

export interface ServiceOptions {
  /**
   * A PostgreSQL server, 15 or newer: `postgres://user:password@host/database`. Without one, the database is embedded.
   */
  databaseUrl?: string | undefined
  /**
   * The folder of the database, the files and the first API key. Without one, everything is in memory and lost at the
   * end.
   */
  dataFolder?: string | undefined
  /** A bucket for the files, by `readBucketLocation`. Without one, they are in the data folder. */
  bucket?: BucketLocation | undefined
  /** The API key of the first project. Without one, it is generated at the first start. */
  apiKey?: string | undefined
  /** Where clients reach the service behind a proxy; else the URL of each request is used. */
  publicUrl?: string | undefined
  limits?: Partial<Limits> | undefined
  /** Origins whose pages may send requests from a browser; none when absent. */
  corsOrigins?: readonly string[] | undefined
  /** Receives the faults that callers see only masked. Without it they go to standard error. */
  onError?: ((error: unknown) => void) | undefined
  /** Receives a text about what a start is waiting for. Without it the text goes to standard error. */
  onWait?: ((text: string) => void) | undefined
  /** Aborts a start that is under way. */
  signal?: AbortSignal | undefined
}

export interface Service {
  /** Answers a request without a socket, as the web's `fetch` does: the SDK accepts it as its `fetch` option. */
  fetch: (input: Request | URL | string, init?: RequestInit) => Promise<Response>
  /** Reports that a client connected: other new connections are accepted before work on requests continues. */
  connected: () => void
  /** Makes `/readyz` fail, so that load balancers send nothing more here. Other requests are still answered. */
  retire: () => void
  /** Finishes the work that was accepted, then closes the database. */
  close: () => Promise<void>
  /** The first project. */
  projectId: string
  /** The first project's API key; null when an earlier start generated it and the data folder no longer has it. */
  apiKey: string | null
  /** True when this start generated the key. */
  isNewKey: boolean
  /** Deletes files that nothing refers to and returns their number; also runs once a minute. */
  collectFiles: (now?: Date) => Promise<number>
  /** Executes an operator's command, in any project. */
  operate: (command: Command) => Promise<CommandResult>
  /** The token of requests to `/api/operator`; in the data folder for those who may read it. */
  operatorToken: string
  /**
   * Creates a link that signs in to the web UI once, within an hour, with every right in a project: the first one when
   * none is named. `url` is where browsers reach the service, unless `publicUrl` is set.
   */
  signInLink: (url: string, projectId?: string) => string
  /** True when there is a web UI to sign in to. */
  hasUi: boolean
  /** Adds a project whose name no other one has, with a key that is shown here and never again. Throws when the name is taken. */
  createProject: (name: string) => Promise<{ projectId: string; apiKey: string }>
}

/** Transactions at once that store steps in a server's database; the embedded one has a single connection. */
const MAX_WRITERS = 4
const COLLECT_EVERY_MS = 60_000
const SUM_EVERY_MS = 10_000
const UPKEEP_EVERY_MS = 1000
const KEY_FILE = 'api-key'

export const createService = async (options: ServiceOptions = {}): Promise<Service> => {
  const { dataFolder, databaseUrl } = options
  const report = harmless(
    options.onError ?? ((error: unknown) => console.error('stepwell:', shown(error))),
  )
  const limits = { ...DEFAULT_LIMITS, ...options.limits }
  const say = options.onWait ?? ((text: string) => console.error(`stepwell: ${text}`))
  const { signal } = options
  let close: (() => Promise<void>) | undefined
  // Several processes may share a server and a folder of files, but only one may use an embedded database.
  const unlock =
    dataFolder === undefined || databaseUrl !== undefined
      ? undefined
      : await lockFolder(dataFolder, (reason) => {
          report(reason)
          void close?.().catch(report)
        })
  if (dataFolder !== undefined) await ensurePrivate(dataFolder)
  const filesFolder =
    dataFolder === undefined
      ? await mkdtemp(join(tmpdir(), 'stepwell-'))
      : join(dataFolder, 'files')
  try {
    const { statementTimeoutMs, answerBytes, databaseMs } = limits
    const place =
      databaseUrl === undefined
        ? { folder: dataFolder && join(dataFolder, 'database') }
        : { url: databaseUrl }
    let waits = 0
    const db = await openDatabase({
      ...place,
      statementTimeoutMs,
      answerBytes,
      report,
      waited: () => {
        waits++
      },
      say,
      signal,
    })
    close = () => db.destroy()
    const clock = createClock()
    const statistics = databaseUrl === undefined ? new Statistics(db, report) : undefined
    const domain = createDomain(db, clock, limits, {
      places: placesOf(options),
      report,
      writers: databaseUrl === undefined ? 1 : MAX_WRITERS,
      commitMs: databaseMs,
      mayBeHeld: databaseUrl !== undefined,
      // The embedded engine has a single connection.
      ...(databaseUrl === undefined ? { waits: () => waits } : {}),
      wrote: (steps) => statistics?.wrote(steps),
    })
    const { projectId, newKey } = await domain.projects.ensureFirst(options.apiKey)
    if (newKey !== undefined && dataFolder !== undefined) {
      await writeFile(join(dataFolder, KEY_FILE), `${newKey}\n`, { mode: 0o600 })
    }
    const signatures = new Signatures(
      await ensureSecret(db, 'signatures', randomBytes(32).toString('base64url')),
    )
    const local = options.bucket === undefined ? new LocalStore(filesFolder, signatures) : undefined
    await local?.clear()
    const uploads = local && new Uploads(db, local, signatures, limits)
    const store = local ?? new Bucket(options.bucket as BucketLocation, limits.fileBytes)
    const files = new Files(db, store, clock)
    const links = new SignInLinks()
    const signIn = new SignIn(
      domain.keys,
      links,
      await ensureSecret(db, 'sign-in', randomBytes(32).toString('base64url')),
    )
    const uiFolder = findUi()
    const executor = new GraphQLExecutor(createExecutableSchema(), createRecordingSchema(), report)
    const publicUrl = options.publicUrl?.replace(/\/+$/, '')
    const background = [
      inBackground(COLLECT_EVERY_MS, () => files.collect(), report),
      inBackground(SUM_EVERY_MS, () => domain.threads.sumUpAll(), report),
      ...(databaseUrl === undefined ? [keepUp(db, report)] : []),
    ]
    const operatorToken = newToken()
    const signInLink = (url: string, project = projectId) =>
      `${publicUrl ?? url}/sign-in?token=${links.create(project)}`
    const operate = (command: Command) => perform(domain, files, signInLink, command)
    let isReady = true
    const turns = new Turns()
    const app = createApp({
      domain,
      files,
      uploads,
      executor,
      signIn,
      ui:
        uiFolder === undefined
          ? undefined
          : new Ui(uiFolder, options.bucket && new URL(options.bucket.baseUrl).origin),
      limits,
      turns,
      publicUrl,
      report,
      operate,
      operatorToken,
      corsOrigins: options.corsOrigins ?? [],
      isReady: () => isReady,
    })
    return {
      fetch: async (input, init) =>
        withTimeLimit(databaseMs, () =>
          app.fetch(
            input instanceof Request && init === undefined ? input : new Request(input, init),
          ),
        ),
      connected: () => turns.arrived(),
      retire: () => {
        isReady = false
      },
      collectFiles: (now) => files.collect(now),
      close: async () => {
        for (const stop of background) await stop()
        await domain.ingestion.idle()
        await statistics?.idle()
        await close?.()
        if (dataFolder === undefined) await rm(filesFolder, { recursive: true, force: true })
        await unlock?.()
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
    await close?.().catch(report)
    await unlock?.()
    throw error
  }
}

/** Maintains the embedded database, a portion at a time. An outage is reported by the requests that fail. */
const keepUp = (db: Database, report: (error: unknown) => void) => {
  const upkeep = new Upkeep(db)
  return inBackground(
    UPKEEP_EVERY_MS,
    () => upkeep.work(),
    (error) => {
      if (!isOutage(error)) report(error)
    },
  )
}

/** Returns where the data is, in a form to show people: without the secrets of a database's URL. */
const placesOf = ({ databaseUrl, dataFolder, bucket }: ServiceOptions) => {
  const server = databaseUrl === undefined ? undefined : new URL(databaseUrl)
  const folder = dataFolder === undefined ? null : resolve(dataFolder)
  return {
    database: server === undefined ? ('embedded' as const) : ('postgres' as const),
    databasePlace: server === undefined ? folder : `${server.host}${server.pathname}`,
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
