import { EventEmitter } from 'node:events'
import { attachmentsApi } from '../../src/api/attachments.js'
import type { DroppedStep } from '../../src/outbox/account.js'
import type { Platform } from '../../src/outbox/create-outbox.js'
import { createProcessEnd, type EndingProcess } from '../../src/outbox/exit/process-end.js'
import type { Host } from '../../src/outbox/host.js'
import type { OutboxLimits } from '../../src/outbox/limits.js'
import { type Outcome, outcomeOf } from '../../src/outbox/sending/answer.js'
import { Spool } from '../../src/outbox/spool/spool.js'
import { readConnection } from '../../src/settings.js'
import type { Stats } from '../../src/tracing/index.js'
import { Tracer } from '../../src/tracing/tracer.js'
import type { HttpOptions } from '../../src/transport/http.js'
import { createPost } from '../../src/transport/rest.js'
import type { Transport } from '../../src/transport/transport.js'
import { createUpload } from '../../src/transport/upload.js'
import { Answers } from './answers.js'
import { EPOCH, type World } from './world.js'

/** Unwinds the application's code after its process has ended. */
export class ProcessEnded extends Error {}

export const EXIT_TIMEOUT_MS = 5000
export const REQUEST_TIMEOUT_MS = 2000
/** Time-out of a call of the API. */
export const CALL_TIMEOUT_MS = 3000
export const UPLOAD_TIMEOUT_MS = 8000

const CONNECTION = readConnection({ apiKey: 'k', apiUrl: 'http://service', disabled: false })

/** A simulated process with one client: everything that happens in it stops when it ends. */
export class SimulatedProcess {
  readonly world: World
  readonly number: number
  readonly tracer: Tracer
  readonly answers: Answers
  readonly reports: string[] = []
  readonly #dropped = new Set<DroppedStep>()
  #droppedCount = 0
  /** Steps that are neither stored nor named as dropped. */
  readonly #unnamed = new Set<string>()
  isAlive = true
  /** Ended by a signal that lets nothing run. */
  isKilled = false
  exitCode: number | undefined
  /** When the end began: a signal, or nothing left to do. */
  endingSince: number | undefined
  /** Total time that deliveries had blocked before that. */
  blockedBefore = 0
  /** The end began because nothing was left to do. */
  isIdling = false
  /** The pending work of the application, which keeps the process alive. */
  work = 0
  #references = 0
  #attachments: ReturnType<typeof attachmentsApi> | undefined
  readonly #events = new EventEmitter()
  #lastStats: Stats | undefined
  #hasToldExit = false
  /** The application listens for signals itself. */
  isListening = false

  constructor(world: World, number: number, limits: Partial<OutboxLimits>, hasSpool: boolean) {
    this.world = world
    this.number = number
    const owner = { pid: number, host: 'machine', started: String(number) }
    const disk = world.disk.as(owner, ({ pid }) => world.processes[pid]?.isAlive === true)
    this.tracer = new Tracer(
      {
        exitTimeoutMs: EXIT_TIMEOUT_MS,
        delivery: { requestTimeoutMs: REQUEST_TIMEOUT_MS, gzipFromBytes: 1e12, ...limits },
        spool: hasSpool ? '/spool' : undefined,
        onReport: (message) => this.reports.push(message),
      },
      CONNECTION,
      (options) => new Spool(options, disk),
      this.#platform(),
    )
    this.answers = new Answers(this.tracer.stats().sessionId)
  }

  /** The operations of its client that upload, created as StepwellClient does. */
  get attachments(): ReturnType<typeof attachmentsApi> {
    this.#attachments ??= this.#createAttachments()
    return this.#attachments
  }

  #createAttachments(): ReturnType<typeof attachmentsApi> {
    const options: HttpOptions = {
      apiKey: CONNECTION.apiKey,
      apiUrl: CONNECTION.apiUrl,
      environment: CONNECTION.environment,
      fetch: this.world.network.fetchOf(this),
      timeoutMs: CALL_TIMEOUT_MS,
      uploadTimeoutMs: UPLOAD_TIMEOUT_MS,
      abortAfter: (milliseconds) => {
        const controller = new AbortController()
        this.#schedule(milliseconds, () => controller.abort(new Error('too late')), false)
        return controller.signal
      },
    }
    const transport: Pick<Transport, 'upload' | 'ambient' | 'isBlocking'> = {
      upload: createUpload(options, createPost(options)),
      ambient: () => this.tracer.ambient,
      isBlocking: false,
    }
    return attachmentsApi(transport as Transport)
  }

  get stats(): Stats {
    return this.#lastStats ?? this.tracer.stats()
  }

  /** All dropped steps, as its statistics name the last ones only. */
  get dropped(): DroppedStep[] {
    const { dropped, setAside } = this.stats
    this.noteDropped(dropped, setAside)
    return [...this.#dropped]
  }

  noteDropped(count: number, named: readonly DroppedStep[]): void {
    // Most events drop nothing.
    if (count !== this.#droppedCount) for (const step of named) this.#dropped.add(step)
    this.#droppedCount = count
  }

  /**
   * Returns the reasons that a step may have been dropped for without being named, as a single event drops more steps
   * than statistics name. At most so many steps as were not named have any.
   */
  reasonsOfUnnamed(id: string): string[] {
    this.#unnamed.add(id)
    const { dropped, droppedByReason } = this.stats
    const isUnnamed = this.#unnamed.size <= dropped - this.dropped.length
    return isUnnamed ? Object.keys(droppedByReason) : []
  }

  /** Runs code of the application; it may end the process. */
  run(work: () => void): void {
    if (!this.isAlive) return
    try {
      work()
    } catch (error) {
      if (!(error instanceof ProcessEnded)) throw error
    }
  }

  /** As `process.exit` and uncaught errors do: code runs once more, and then no more. */
  exit(code: number): never {
    if (this.isAlive) {
      this.#exit(code)
    }
    throw new ProcessEnded()
  }

  #exit(code: number): void {
    if (this.#hasToldExit) return
    this.#hasToldExit = true
    this.#beginEnd()
    this.#events.emit('exit', code)
    this.exitCode = code
    this.#end()
  }

  /** The application listens for signals, and exits some time after one. */
  listen(afterMs: number): void {
    this.isListening = true
    for (const signal of ['SIGTERM', 'SIGINT'])
      this.#events.once(signal, () =>
        this.#schedule(afterMs, () => this.run(() => this.exit(143)), true),
      )
  }

  signal(signal: 'SIGTERM' | 'SIGINT'): void {
    if (!this.isAlive) return
    if (!this.isListening) this.#beginEnd()
    if (this.#events.listenerCount(signal) === 0) this.#end()
    else this.#events.emit(signal, signal)
  }

  kill(): void {
    this.isKilled = true
    this.#end()
  }

  /** As Node does when an event loop has nothing left. */
  endIfIdle(): void {
    if (!this.isIdle) return
    this.#beginEnd()
    this.isIdling = true
    this.#events.emit('beforeExit', 0)
    // Work that begins now keeps it alive; promises that settle at once do not.
    this.world.afterTurn(() => {
      if (this.isIdle) this.#exit(0)
    })
  }

  /** Keeps the process alive until `release`. */
  hold(): void {
    this.#references++
  }

  release(): void {
    this.#references--
  }

  get isIdle(): boolean {
    return this.isAlive && this.#references + this.work <= 0
  }

  #beginEnd(): void {
    if (this.endingSince !== undefined) return
    this.endingSince = this.world.clock.time
    this.blockedBefore = this.world.blockedMs
  }

  #end(): void {
    if (!this.isAlive) return
    this.#lastStats = this.tracer.stats()
    this.isAlive = false
  }

  #schedule(delayMs: number, work: () => void, isReferenced: boolean): () => void {
    let isOver = false
    const settle = () => {
      if (isOver) return false
      isOver = true
      if (isReferenced) this.#references--
      return true
    }
    if (isReferenced) this.#references++
    const cancel = this.world.clock.schedule(delayMs, () => {
      if (settle() && this.isAlive) work()
    })
    return () => {
      settle()
      cancel()
    }
  }

  #platform(): Platform {
    const { world } = this
    const host: Host = {
      now: () => EPOCH + world.clock.time,
      elapsed: () => world.clock.time,
      random: () => world.random.next(),
      newId: () => `id-${this.number}-${world.nextId++}`,
      nextTurn: (work) => {
        this.#schedule(0, work, true)
      },
      timer: (work, milliseconds, keepsAlive = false) =>
        this.#schedule(milliseconds, work, keepsAlive),
    }
    const process = Object.assign(this.#events, {
      pid: this.number,
      kill: () => this.#end(),
    }) as unknown as EndingProcess
    const registry = { endings: new Set<never>(), stop: undefined, ranOutAt: undefined }
    return {
      host,
      createPost: () => (body, _headers, timeoutMs, signal) =>
        world.network.post(this, body, timeoutMs, signal),
      deliverAtExit: (_url, _headers, bodies, deadlineMs) =>
        this.#deliverAtExit(bodies, deadlineMs),
      atProcessEnd: createProcessEnd(process, registry as never, host.elapsed),
      // Other tests use real threads.
      awaitWorkersAtExit: () => {},
      deliverAtMainExit: () => () => {},
    }
  }

  /** As the worker thread does it, which other tests run with real processes. Time passes during it. */
  #deliverAtExit(bodies: Uint8Array[], deadlineMs: number): (Outcome | undefined)[] {
    const { world } = this
    const deadline = world.clock.time + deadlineMs
    let latest = world.clock.time
    const outcomes = bodies.map((body): Outcome | undefined => {
      let at = world.clock.time
      for (let wait = 50; at <= deadline; wait = Math.min(1000, wait * 2)) {
        world.weatherAt(at)
        const handled = world.service.handle(body)
        const { answer } = handled
        at += world.random.between(1, 20)
        if (answer === 'silent') at = deadline + 1
        if (at > deadline) break
        const isAgain =
          typeof answer !== 'object' ||
          [429, 502, 503, 504].includes(answer.status) ||
          (answer.status >= 500 && wait < 200)
        if (!isAgain) {
          latest = Math.max(latest, at)
          world.answered(this, handled)
          return outcomeOf(answer as never)
        }
        at += wait
      }
      latest = deadline
      return undefined
    })
    const end = Math.max(world.clock.time, Math.min(latest, deadline))
    world.blockedMs += end - world.clock.time
    world.clock.time = end
    return outcomes
  }
}
