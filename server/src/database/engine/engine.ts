import { existsSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { makeFolder } from '../../kernel/folders.js'
import { unpackDatabase } from './archive.js'
import { EngineConnection } from './connection.js'
import { explained } from './damage.js'
import { createDatabase, EngineThread, engineError } from './engine-thread.js'
import { isPrepared, preparedDatabase } from './prepared.js'

export interface EngineOptions {
  /** The folder of the database; undefined for one in memory. */
  folder: string | undefined
  /** `name = value`, for each session. */
  settings: readonly string[]
  report: (error: unknown) => void
  /** True to take less memory, and to be slower. */
  isFrugal?: boolean
  signal?: AbortSignal | undefined
  /** Aborts once another process has the folder: nothing more is written into it then. */
  lost?: AbortSignal | undefined
}

/** A command reads each page once. */
const FRUGAL = ['shared_buffers = 16MB']
const FIRST_DELAY_MS = 250
const MAX_DELAY_MS = 5000
/** After living this long, an engine did not end for the same reason as the one before it. */
const STABLE_MS = 60_000

/** The archive that databases in memory start as where no database was prepared. */
let template: Promise<Uint8Array | undefined> | undefined

/**
 * The embedded PostgreSQL, in a thread of its own. When the thread ends by a fault, it is restarted: a database in a
 * folder recovers as after a crash, with all acknowledged data. A database in memory is lost.
 */
export class Engine {
  static async open(options: EngineOptions): Promise<Engine> {
    const { folder, signal, lost } = options
    try {
      lost?.throwIfAborted()
      if (folder !== undefined) await ensureDatabase(folder, signal)
      const engine = new Engine(options)
      await engine.#start()
      return engine
    } catch (error) {
      signal?.throwIfAborted()
      lost?.throwIfAborted()
      throw await explained(error, folder)
    }
  }

  readonly #options: EngineOptions
  #current: Promise<EngineThread>
  #isClosed = false
  #retry: NodeJS.Timeout | undefined
  #failures = 0
  #reported = ''

  private constructor(options: EngineOptions) {
    this.#options = options
    this.#current = Promise.reject(closed())
    this.#current.catch(() => undefined)
    const { lost } = options
    lost?.addEventListener('abort', () => this.#abandon(lost.reason), { once: true })
  }

  /** Creates a connection that `pg` takes for a socket. */
  connect(): EngineConnection {
    return new EngineConnection(() => this.#current)
  }

  /** Ends the engine in the middle of a statement that cannot be cancelled, and restarts it. */
  async restart(reason: Error): Promise<void> {
    const thread = await this.#current
    thread.kill(reason)
    await thread.ended
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#retry)
    const thread = await this.#current.catch(() => undefined)
    this.#current = Promise.reject(closed())
    this.#current.catch(() => undefined)
    await thread?.close()
  }

  /** Ends the engine without another write, as the end of PostgreSQL would be one. */
  #abandon({ message }: Error): void {
    this.#isClosed = true
    clearTimeout(this.#retry)
    const reason = engineError('57P01', message)
    this.#current.then(
      (thread) => thread.kill(reason),
      () => undefined,
    )
    this.#current = Promise.reject(reason)
    this.#current.catch(() => undefined)
  }

  #start(): Promise<EngineThread> {
    this.#current = this.#open()
    // Callers who ask for the engine get the reason.
    this.#current.catch(() => undefined)
    return this.#current
  }

  async #open(): Promise<EngineThread> {
    const { folder, settings, isFrugal = false, signal } = this.#options
    const thread = await EngineThread.start(
      {
        folder,
        settings: [...settings, ...(isFrugal ? FRUGAL : [])].map((one) => one.replaceAll(' ', '')),
        template: folder === undefined ? await createdTemplate() : undefined,
      },
      signal,
      isFrugal,
    )
    const started = performance.now()
    void thread.ended.then((reason) => {
      if (this.#isClosed) return
      if (performance.now() - started > STABLE_MS) this.#failures = 0
      this.#recover(reason)
    })
    return thread
  }

  /** Opens the database again, with growing pauses: the cause may last, as a full disk does. */
  #recover(reason: Error): void {
    this.#say(reason)
    if (this.#options.folder === undefined) {
      this.#current = Promise.reject(
        engineError('57P02', `${reason.message}; it was in memory and is lost`),
      )
      this.#current.catch(() => undefined)
      return
    }
    if (this.#failures++ === 0) this.#again()
    else {
      this.#current = Promise.reject(reason)
      this.#current.catch(() => undefined)
      const delay = Math.min(FIRST_DELAY_MS * 2 ** (this.#failures - 2), MAX_DELAY_MS)
      this.#retry = setTimeout(() => this.#again(), delay)
      this.#retry.unref()
    }
  }

  #again(): void {
    this.#start().then(
      () => {
        this.#reported = ''
      },
      async (error) => {
        const reason = await explained(error, this.#options.folder)
        if (!this.#isClosed) this.#recover(engineError('57P03', reason.message))
      },
    )
  }

  /** Reports each reason once, as the engine is restarted every few seconds. */
  #say(reason: Error): void {
    if (this.#reported === reason.message) return
    this.#reported = reason.message
    this.#options.report(reason)
  }
}

/** Creates the archive that databases in memory start as, once; undefined if the package has one. */
const createdTemplate = (): Promise<Uint8Array | undefined> | undefined => {
  if (isPrepared()) return undefined
  template ??= createDatabase(undefined, undefined)
  template.catch(() => {
    template = undefined
  })
  return template
}

const closed = () => engineError('57P01', 'the embedded database is closed')

/** Creates the database if there is none. An interrupted start leaves nothing that looks like a database. */
const ensureDatabase = async (folder: string, signal: AbortSignal | undefined): Promise<void> => {
  if (existsSync(`${folder}/PG_VERSION`)) return
  const unfinished = `${folder}.new`
  await rm(unfinished, { recursive: true, force: true })
  await makeFolder(dirname(folder))
  const prepared = await preparedDatabase()
  signal?.throwIfAborted()
  if (prepared === undefined) await createDatabase(unfinished, signal)
  else await unpackDatabase(prepared, unfinished)
  await rename(unfinished, folder)
}
