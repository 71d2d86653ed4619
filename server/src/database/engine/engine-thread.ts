import { Worker } from 'node:worker_threads'
import { builtPath } from '../../kernel/package-folder.js'
import type { CompiledProgram, EngineReply, EngineTask, Interrupts } from './messages.js'

/** The thread's program. It is the built one even when the sources run, as Node 20 cannot run those. */
const PROGRAM = 'dist/src/database/engine/thread.js'
/** Interval at which a statement is interrupted again, until it ends. */
const INTERRUPT_EVERY_MS = 20
/** Time that the engine has to write its data and to end. */
const CLOSE_MS = 30_000

const FRUGAL_YOUNG_MB = 2

/** Creates an error in the form of PostgreSQL's. */
export const engineError = (code: string, message: string): Error =>
  Object.assign(new Error(message), { code })

/** CRASH SHUTDOWN, which tells clients that they may try again. */
const CRASHED = '57P02'

/** For engines that start later in this process: they begin with all that is compiled by then. */
let compiled: CompiledProgram | undefined

interface Running {
  receive: (bytes: Uint8Array) => void
  resolve: () => void
  reject: (reason: Error) => void
}

/** Starts a thread and waits for its first answer. */
const startWorker = async (
  task: EngineTask,
  signal: AbortSignal | undefined,
  isFrugal = false,
): Promise<{ worker: Worker; reply: EngineReply }> => {
  signal?.throwIfAborted()
  const program = builtPath(PROGRAM)
  if (program === undefined) throw new Error(`@stepwell/server has no ${PROGRAM}: it is not built`)
  // Leaves out the options of Node and the secrets that the environment may hold.
  const worker = new Worker(program, {
    workerData: task,
    env: {},
    execArgv: [],
    stderr: false,
    // Pieces of answers are garbage once they are sent; a small space is emptied sooner.
    ...(isFrugal ? { resourceLimits: { maxYoungGenerationSizeMb: FRUGAL_YOUNG_MB } } : {}),
  })
  try {
    const reply = await new Promise<EngineReply>((resolve, reject) => {
      worker.once('message', resolve)
      worker.once('error', reject)
      worker.once('exit', (code) => reject(new Error(`its thread ended with code ${code}`)))
      signal?.addEventListener('abort', () => reject(signal.reason), { once: true })
    })
    if (reply.kind === 'failed') throw new Error(reply.reason)
    return { worker, reply }
  } catch (error) {
    await worker.terminate()
    throw error
  }
}

/** Creates a database, as a folder or as an archive. */
export const createDatabase = async (
  folder: string | undefined,
  signal: AbortSignal | undefined,
): Promise<Uint8Array | undefined> => {
  const { worker, reply } = await startWorker({ kind: 'create', folder }, signal)
  await worker.terminate()
  return reply.kind === 'created' ? reply.template : undefined
}

/** One life of the embedded engine: a thread from its start to its end. It answers requests one after another. */
export class EngineThread {
  static async start(
    task: Omit<EngineTask & { kind: 'serve' }, 'kind' | 'ahead' | 'program'>,
    signal: AbortSignal | undefined,
    isFrugal: boolean,
  ): Promise<EngineThread> {
    const ahead = new Int32Array(new SharedArrayBuffer(4))
    const whole: EngineTask = { ...task, kind: 'serve', ahead, program: compiled }
    const { worker, reply } = await startWorker(whole, signal, isFrugal)
    const interrupts = reply.kind === 'ready' ? reply.interrupts : undefined
    if (reply.kind === 'ready') compiled ??= reply.program
    return new EngineThread(worker, ahead, interrupts)
  }

  /** Resolves to the reason when the thread has ended. */
  readonly ended: Promise<Error>
  readonly #worker: Worker
  readonly #ahead: Int32Array
  readonly #interrupts: Interrupts | undefined
  #running: Running | undefined
  #turn: Promise<void> = Promise.resolve()
  #reason: Error | undefined
  #interrupting: NodeJS.Timeout | undefined

  private constructor(worker: Worker, ahead: Int32Array, interrupts: Interrupts | undefined) {
    this.#worker = worker
    this.#ahead = ahead
    this.#interrupts = interrupts
    worker.on('message', (reply: EngineReply) => this.#receive(reply))
    // Later types of Node do not say what a thread may throw.
    worker.on('error', (error: unknown) =>
      this.#give(error instanceof Error ? error.message : String(error)),
    )
    this.ended = new Promise((resolve) => {
      worker.once('exit', (code) => {
        this.#give(`its thread ended with code ${code}`)
        const reason = this.#reason as Error
        this.#settle((running) => running.reject(reason))
        resolve(reason)
      })
    })
    worker.unref()
  }

  /** True when statements can be cancelled without ending the thread. */
  get canInterrupt(): boolean {
    return this.#interrupts !== undefined
  }

  /** Sends messages of the protocol and receives the answer. Rejects when the thread ends before that. */
  run(bytes: Uint8Array, receive: (bytes: Uint8Array) => void): Promise<void> {
    const before = this.#turn
    const answered = before.then(
      () =>
        new Promise<void>((resolve, reject) => {
          if (this.#reason !== undefined) {
            reject(this.#reason)
            return
          }
          this.#running = { receive, resolve, reject }
          // The thread keeps the process alive only while an answer is awaited.
          this.#worker.ref()
          this.#worker.postMessage({ bytes }, [bytes.buffer as ArrayBuffer])
        }),
    )
    this.#turn = answered.catch(() => undefined)
    return answered
  }

  /** Cancels the statement that runs; it fails the next time that PostgreSQL checks for interrupts. */
  interrupt(): void {
    if (this.#running === undefined || this.#interrupting !== undefined) return
    const interrupts = this.#interrupts
    if (interrupts === undefined) return
    const { memory, queryCancelPending, interruptPending } = interrupts
    const set = () => {
      const numbers = new Int32Array(memory.buffer)
      Atomics.store(numbers, queryCancelPending >> 2, 1)
      Atomics.store(numbers, interruptPending >> 2, 1)
    }
    set()
    // PostgreSQL may have checked just before, and dropped an interrupt that came while it could not be interrupted.
    this.#interrupting = setInterval(set, INTERRUPT_EVERY_MS)
  }

  /** Ends the thread at once, even in the middle of a statement. Acknowledged data is safe. */
  kill(reason: Error): void {
    this.#reason ??= reason
    void this.#worker.terminate()
  }

  /** Ends the engine once it has written its data. */
  async close(): Promise<void> {
    await this.#turn
    this.#reason ??= engineError(CRASHED, 'the embedded database is closed')
    this.#worker.ref()
    this.#worker.postMessage('close')
    const timer = setTimeout(() => this.#worker.terminate(), CLOSE_MS)
    await this.ended
    clearTimeout(timer)
  }

  #give(reason: string): void {
    this.#reason ??= engineError(CRASHED, `the embedded database failed: ${reason}`)
  }

  #receive(reply: EngineReply): void {
    switch (reply.kind) {
      case 'chunk': {
        const { bytes } = reply
        this.#running?.receive(bytes)
        // A separate task, so that a long answer does not hold the event loop until its end.
        setImmediate(() => {
          Atomics.sub(this.#ahead, 0, bytes.length)
          Atomics.notify(this.#ahead, 0)
        })
        return
      }
      case 'done':
        this.#settle((running) => running.resolve())
        return
      case 'failed':
        this.#give(reply.reason)
        void this.#worker.terminate()
        return
      default:
    }
  }

  #settle(how: (running: Running) => void): void {
    clearInterval(this.#interrupting)
    this.#interrupting = undefined
    const running = this.#running
    this.#running = undefined
    this.#worker.unref()
    if (running !== undefined) how(running)
  }
}
