import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getHeapStatistics } from 'node:v8'
import type { Assembled, Foundation } from './assembled.js'
import { ensurePrivate, lockFolder } from './data-folder.js'
import { Engine } from './database/engine/engine.js'
import { SESSION } from './database/session.js'
import type { BucketLocation } from './files/bucket-location.js'
import type { OidcOptions } from './identity/options.js'
import { readDatabaseUrl } from './kernel/database-url.js'
import { limitsOfHeap } from './kernel/heap-limits.js'
import { DEFAULT_LIMITS, type Limits } from './kernel/limits.js'
import { Gate } from './kernel/sharing/gate.js'
import { harmless } from './kernel/watching/reports.js'
import { newToken } from './operator/admin-endpoint.js'
import type { Command, CommandResult } from './operator/commands.js'
import type { DataLocation } from './operator/moving/open-data.js'
import { createLog, type ServiceLog } from './service-log.js'

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
  /** The OpenID Connect provider with which people sign in at the web UI. Without one, they sign in by a key or a link. */
  oidc?: OidcOptions | undefined
  limits?: Partial<Limits> | undefined
  /** Origins whose pages may send requests from a browser; none when absent. */
  corsOrigins?: readonly string[] | undefined
  /**
   * Hosts of private networks, such as `localhost:11434`, on which models to try prompts with may be. Others have to be
   * public, and use TLS.
   */
  modelHosts?: readonly string[] | undefined
  /** Hosts of private networks, such as `localhost:8080`, that webhooks of alerts may be on. Others have to be public, and use TLS. */
  webhookHosts?: readonly string[] | undefined
  /** False to search what steps contain without an index, and to delete it. Default: true. */
  contentIndex?: boolean | undefined
  /** The log of faults, failed requests and, if wanted, all requests. Default: for people, on standard error. */
  log?: ServiceLog | undefined
  /** Receives the faults that callers see only masked. Without it they are logged. */
  onError?: ((error: unknown) => void) | undefined
  /** Receives a text about what a start is waiting for. Without it the text goes to standard error. */
  onWait?: ((text: string) => void) | undefined
  /** Aborts a start that is under way. */
  signal?: AbortSignal | undefined
  /** The processes that serve together with this one; they can't move the data. */
  group?: ProcessGroup | undefined
}

/** Several processes that serve together at one address. */
export interface ProcessGroup {
  /** The token of requests to `/api/operator`, which any of them may get. */
  operatorToken: string
  /** Adds the metrics of the others to those of one process, in the text form that Prometheus reads. */
  completeMetrics: (own: string) => Promise<string>
}

export interface Service {
  /** Answers a request without a socket, as the web's `fetch` does: the SDK accepts it as its `fetch` option. */
  fetch: (input: Request | URL | string, init?: RequestInit) => Promise<Response>
  /** Reports that a client connected: other new connections are accepted before work on requests continues. */
  connected: () => void
  /** Makes `/readyz` fail, so that load balancers send nothing more here. Other requests are still answered. */
  retire: () => void
  /** Finishes the work that was accepted, then closes the database. Requests from then on get `UNAVAILABLE`. */
  close: () => Promise<void>
  /** The first project. */
  projectId: string
  /** The first project's API key; null when an earlier start generated it and the data folder no longer has it. */
  apiKey: string | null
  /** True when this start generated the key. */
  isNewKey: boolean
  /** Deletes files that nothing refers to and returns their number; also runs once a minute. */
  collectFiles: (now?: Date) => Promise<number>
  /** Executes an operator's command, in any project. Copying ends early once nobody awaits it. */
  operate: (command: Command, isAwaited?: () => boolean) => Promise<CommandResult>
  /** The token of requests to `/api/operator`; in the data folder for those who may read it. */
  operatorToken: string
  /** Returns the metrics of this process, as `/metrics` answers. */
  metrics: () => Promise<string>
  /**
   * Creates a link that signs in to the web UI once, within an hour, with every right in a project: the first one when
   * none is named. Every process that shares the database takes it. `url` is where browsers reach the service, unless `publicUrl` is set.
   */
  signInLink: (url: string, projectId?: string) => string
  /** True when there is a web UI to sign in to. */
  hasUi: boolean
  /** Adds a project whose name no other one has, with a key that is shown here and never again. Throws when the name is taken. */
  createProject: (name: string) => Promise<{ projectId: string; apiKey: string }>
}

/** Time for which a service that was moved still answers what reads it, such as exports under way. */
const LEAVE_MS = 30_000

/** Opens a service. It goes on at another location when its data was moved there. */
export const createService = async (given: ServiceOptions = {}): Promise<Service> => {
  const options = { ...given, databaseUrl: databaseUrlIn(given) }
  const { operatorToken } = options.group ?? { operatorToken: newToken() }
  const leaving = new Set<() => Promise<void>>()
  const serve = async (to: DataLocation) => {
    const next = await openService({ ...options, ...to }, { operatorToken, serve, hold })
    const before = current
    current = next
    await before.rest()
    const timer = setTimeout(() => void leave().catch(() => undefined), LEAVE_MS).unref()
    const leave = async () => {
      clearTimeout(timer)
      await before.close()
      leaving.delete(leave)
    }
    leaving.add(leave)
  }
  const gate = new Gate()
  const hold: Foundation['hold'] = (work) => gate.hold(work)
  let current = await openService(options, { operatorToken, serve, hold })
  return {
    fetch: (input, init) => gate.pass(input, () => current.fetch(input, init)),
    connected: () => current.connected(),
    retire: () => current.retire(),
    close: async () => {
      // A move that switches meanwhile has opened another one.
      for (let closed: Assembled | undefined; closed !== current; ) {
        closed = current
        await closed.close()
      }
      for (const leave of leaving) await leave()
    },
    collectFiles: (now) => current.collectFiles(now),
    operate: (command, isAwaited) => current.operate(command, isAwaited),
    signInLink: (url, projectId) => current.signInLink(url, projectId),
    createProject: (name) => current.createProject(name),
    projectId: current.projectId,
    apiKey: current.apiKey,
    isNewKey: current.isNewKey,
    operatorToken,
    metrics: () => current.metrics(),
    hasUi: current.hasUi,
  }
}

/** Settings read it before, and name their flag; an application that opens the service itself writes it as it likes. */
const databaseUrlIn = ({ databaseUrl }: ServiceOptions): string | undefined => {
  try {
    return databaseUrl === undefined ? undefined : readDatabaseUrl(databaseUrl)
  } catch (error) {
    throw new Error(`databaseUrl: ${(error as Error).message}`)
  }
}

const openService = async (
  options: ServiceOptions,
  { operatorToken, serve, hold }: Pick<Foundation, 'operatorToken' | 'serve' | 'hold'>,
): Promise<Assembled> => {
  const { dataFolder, databaseUrl, signal } = options
  const { logger, faults, access } = createLog(options.log)
  const report = harmless(options.onError ?? ((error) => faults.report(error)))
  // An application that takes the faults itself has no log, unless it says so.
  const failed =
    options.onError !== undefined && options.log === undefined
      ? () => undefined
      : (error: unknown) => faults.report(error)
  const limits = {
    ...DEFAULT_LIMITS,
    ...limitsOfHeap(getHeapStatistics().heap_size_limit),
    ...options.limits,
  }
  const say = options.onWait ?? ((text: string) => logger.log('info', text))
  const lost = new AbortController()
  // Several processes may share a server and a folder of files, but only one may use an embedded database.
  const unlock =
    dataFolder === undefined || databaseUrl !== undefined
      ? undefined
      : await lockFolder(dataFolder, (reason) => {
          // First, so that whoever reads of it finds nothing being written any more.
          lost.abort(reason)
          report(reason)
        })
  const release = async () => unlock?.()
  let engine: Promise<Engine> | undefined
  try {
    if (dataFolder !== undefined) await ensurePrivate(dataFolder)
    if (databaseUrl === undefined) {
      const folder = dataFolder && join(dataFolder, 'database')
      engine = Engine.open({ folder, settings: SESSION, report, signal, lost: lost.signal })
      // The one who opens the database hears of it.
      engine.catch(() => undefined)
    }
    const filesFolder =
      dataFolder === undefined
        ? await mkdtemp(join(tmpdir(), 'stepwell-'))
        : join(dataFolder, 'files')
    const location = engine === undefined ? { url: databaseUrl as string } : { engine }
    // The modules take as long to read as the engine to start, so that both do so at once.
    const { assemble } = await import('./assembled.js')
    return await assemble({
      options,
      limits,
      report,
      faults,
      watching: { logger, access, failed },
      location: { ...location, say, signal },
      filesFolder,
      operatorToken,
      serve,
      hold,
      release,
    })
  } catch (error) {
    await engine?.then((opened) => opened.close()).catch(() => undefined)
    await release()
    throw error
  }
}
