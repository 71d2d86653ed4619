import cluster, { type Worker } from 'node:cluster'
import { type AddressInfo, createServer } from 'node:net'
import { newToken, openAdminEndpoint } from '../operator/admin-endpoint.js'
import { type Texts, type ToFirst, type ToWorker, WORKER_VARIABLE } from './messages.js'
import type { Stops } from './stops.js'

/** A process that ended sooner than this failed to start, and is replaced later and later. */
const SHORT_MS = 10_000
const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 30_000
/** Less than the time after which a worker answers a scrape without the others. */
const GATHER_MS = 1500

export interface Supervised {
  /** The number of processes. */
  workers: number
  host: string
  /** 0 for any that is free. */
  port: number
  dataFolder: string
  databaseUrl: string
  warn: (text: string) => void
  stops: Stops
  /** The URL at which operators of this machine reach a service. */
  localUrl: (url: string) => string
}

/**
 * Runs several processes that serve together at one port, and replaces those that end, until it is told to stop. Returns
 * the exit code: that of the first process when it can't start.
 */
export const supervise = async (options: Supervised): Promise<number> => {
  const { workers, stops } = options
  // Each process accepts connections by itself. When the first one hands them on, those on their way to a process that is
  // killed are never answered, and never closed.
  cluster.schedulingPolicy = cluster.SCHED_NONE
  cluster.setupPrimary({ args: withoutDatabase(process.argv.slice(2)) })
  const port = options.port === 0 ? await freePort(options.host) : options.port
  const fleet = new Fleet({ ...options, port })
  for (const level of [1, 2]) void stops.told(level).then((signal) => fleet.stop(level, signal))
  const first = await fleet.start(1, true)
  if (typeof first === 'number') return first
  let closeEndpoint = async () => {}
  try {
    closeEndpoint = await openAdminEndpoint(options.dataFolder, {
      url: options.localUrl(first),
      token: fleet.operatorToken,
    })
    for (let number = 2; number <= workers && !stops.signal.aborted; number++)
      void fleet.start(number, false)
    await fleet.ended
    return fleet.isBroken ? 1 : 0
  } catch (error) {
    // A service that failed to start must not stay half open.
    fleet.stop(2, 'SIGTERM')
    await fleet.ended
    throw error
  } finally {
    await closeEndpoint()
  }
}

/** Finds a port for all: processes that each listen at any port have one only as long as one of them lives. */
const freePort = (host: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, host, () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })

/** The processes that serve, each under a number that its replacement takes over. */
class Fleet {
  readonly operatorToken = newToken()
  readonly #options: Supervised
  readonly #workers = new Map<number, Worker>()
  /** Those that hear messages: what is said before a process has joined is lost. */
  readonly #joined = new Set<Worker>()
  readonly #pauses = new Map<number, NodeJS.Timeout>()
  #stop: Extract<ToWorker, { kind: 'stop' }> | undefined
  #end: () => void = () => undefined
  /** Resolves once no process serves, after all were told to stop. */
  readonly ended = new Promise<void>((resolve) => {
    this.#end = resolve
  })
  /** True when a process that was told to stop did not end well. */
  isBroken = false

  constructor(options: Supervised) {
    this.#options = options
  }

  /** Starts a process. Returns the URL at which it serves; its exit code when it ends before. */
  start(number: number, isFirst: boolean, pauseMs = FIRST_PAUSE_MS): Promise<string | number> {
    const worker = cluster.fork({
      [WORKER_VARIABLE]: '1',
      DATABASE_URL: this.#options.databaseUrl,
    })
    const began = performance.now()
    this.#workers.set(number, worker)
    return new Promise((resolve) => {
      let isServing = false
      worker.on('message', (message: ToFirst) => {
        if (message.kind === 'joins') {
          const { operatorToken } = this
          this.#joined.add(worker)
          send(worker, { kind: 'begin', number, operatorToken, isFirst, port: this.#options.port })
          if (this.#stop !== undefined) send(worker, this.#stop)
        } else if (message.kind === 'serves') {
          isServing = true
          resolve(message.url)
        } else if (message.kind === 'gather') void this.#gather(worker, message.id)
      })
      worker.once('exit', (code, signal) => {
        this.#workers.delete(number)
        this.#joined.delete(worker)
        resolve(code ?? 1)
        if (this.#stop !== undefined) {
          if (code !== 0) this.isBroken = true
          if (this.#workers.size === 0) this.#end()
          return
        }
        if (isFirst && !isServing) return
        const isShort = performance.now() - began < SHORT_MS
        const pause = isShort ? pauseMs : 0
        this.#options.warn(
          `process ${number} ended ${signal === null ? `with exit code ${code}` : `by ${signal}`}; another one starts${pause === 0 ? '' : ` in ${pause / 1000} s`}`,
        )
        const next = isShort ? Math.min(pauseMs * 2, LONGEST_PAUSE_MS) : FIRST_PAUSE_MS
        const timer = setTimeout(() => {
          this.#pauses.delete(number)
          void this.start(number, false, next)
        }, pause)
        this.#pauses.set(number, timer)
      })
    })
  }

  stop(level: number, signal: 'SIGTERM' | 'SIGINT'): void {
    this.#stop = { kind: 'stop', level, signal }
    for (const timer of this.#pauses.values()) clearTimeout(timer)
    for (const worker of this.#joined) send(worker, this.#stop)
    if (this.#workers.size === 0) this.#end()
  }

  /** Asks the others for their metrics, on behalf of one. */
  async #gather(asking: Worker, id: number): Promise<void> {
    const others = [...this.#workers].filter(
      ([, worker]) => worker !== asking && this.#joined.has(worker),
    )
    const texts = await Promise.all(
      others.map(async ([number, worker]): Promise<Texts> => {
        const text = await read(worker)
        return text === undefined ? [] : [[number, text]]
      }),
    )
    send(asking, { kind: 'texts', id, texts: texts.flat() })
  }
}

let reads = 0

/** Returns a process's metrics; undefined when it does not answer in time. */
const read = (worker: Worker): Promise<string | undefined> =>
  new Promise((resolve) => {
    const id = ++reads
    const end = (text: string | undefined) => {
      clearTimeout(timer)
      worker.off('message', heard)
      worker.off('exit', gone)
      resolve(text)
    }
    const heard = (message: ToFirst) => {
      if (message.kind === 'text' && message.id === id) end(message.text)
    }
    const gone = () => end(undefined)
    const timer = setTimeout(gone, GATHER_MS)
    worker.on('message', heard)
    worker.once('exit', gone)
    send(worker, { kind: 'read', id })
  })

/** A process that has just ended hears nothing more. */
const send = (worker: Worker, message: ToWorker): void => {
  if (worker.isConnected()) worker.send(message, () => undefined)
}

/** Workers get the database by their environment: every user can list the arguments of a process. */
const withoutDatabase = (args: readonly string[]): string[] =>
  args.filter(
    (arg, index) =>
      arg !== '--database' && args[index - 1] !== '--database' && !arg.startsWith('--database='),
  )
