import { Duplex } from 'node:stream'
import { type EngineThread, engineError } from './engine-thread.js'

const QUERY = 'Q'.charCodeAt(0)
const SYNC = 'S'.charCodeAt(0)
const TERMINATE = 'X'.charCodeAt(0)
const PROTOCOL_3 = 196_608
/** A type byte and a length. */
const HEADER_BYTES = 5

const message = (type: string, ...parts: (string | number)[]): Buffer => {
  const body = Buffer.concat(
    parts.map((part) => {
      if (typeof part === 'string') return Buffer.from(part)
      const number = Buffer.alloc(4)
      number.writeInt32BE(part)
      return number
    }),
  )
  const header = Buffer.alloc(HEADER_BYTES)
  header.write(type)
  header.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([header, body])
}

/** AuthenticationOk, BackendKeyData, ReadyForQuery: the session exists already. */
const WELCOME = Buffer.concat([message('R', 0), message('K', 0, 0), message('Z', 'I')])
/** Clears the state that an earlier connection left in the session. */
const AFRESH = message('Q', 'ROLLBACK; DEALLOCATE ALL; RESET ALL\0')

/**
 * A connection to the embedded engine, which `pg` takes for a socket to a server. All connections share one session.
 */
export class EngineConnection extends Duplex {
  readonly #engine: () => Promise<EngineThread>
  #thread: EngineThread | undefined
  #hasStarted = false
  #received: Buffer = Buffer.alloc(0)

  constructor(engine: () => Promise<EngineThread>) {
    super()
    this.#engine = engine
  }

  /** The engine's thread; undefined until this is connected. */
  get thread(): EngineThread | undefined {
    return this.#thread
  }

  connect(): this {
    this.#engine().then(
      (thread) => {
        this.#thread = thread
        void thread.ended.then((reason) => this.destroy(reason))
        this.emit('connect')
      },
      (reason: Error) => this.destroy(reason),
    )
    return this
  }

  setNoDelay(): this {
    return this
  }

  setKeepAlive(): this {
    return this
  }

  ref(): this {
    return this
  }

  unref(): this {
    return this
  }

  override _read(): void {}

  override _write(bytes: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    this.#take(bytes).then(() => done(), done)
  }

  override _writev(writes: { chunk: Buffer }[], done: (error?: Error | null) => void): void {
    this.#take(Buffer.concat(writes.map(({ chunk }) => chunk))).then(() => done(), done)
  }

  override _final(done: (error?: Error | null) => void): void {
    this.push(null)
    done()
  }

  async #take(bytes: Buffer): Promise<void> {
    const all = this.#received.length === 0 ? bytes : Buffer.concat([this.#received, bytes])
    const end = this.#hasStarted ? endOfRequest(all) : endOfStartup(all)
    this.#received = all.subarray(end)
    if (end === 0) return
    if (!this.#hasStarted) {
      this.#hasStarted = true
      await this.#run(AFRESH, () => undefined)
      this.push(WELCOME)
      return
    }
    if (all[0] === TERMINATE) return
    await this.#run(all.subarray(0, end), (chunk) => this.push(chunk))
  }

  async #run(bytes: Uint8Array, receive: (chunk: Uint8Array) => void): Promise<void> {
    if (this.#thread === undefined) throw engineError('08003', 'not connected')
    await this.#thread.run(Uint8Array.from(bytes), receive)
  }
}

/** Returns the end of the last complete message that asks for an answer; 0 when there is none. */
const endOfRequest = (bytes: Buffer): number => {
  let end = 0
  for (let at = 0; at + HEADER_BYTES <= bytes.length; ) {
    const next = at + 1 + bytes.readInt32BE(at + 1)
    if (next > bytes.length) break
    const type = bytes[at]
    if (type === QUERY || type === SYNC || type === TERMINATE) end = next
    at = next
  }
  return end
}

const endOfStartup = (bytes: Buffer): number => {
  if (bytes.length < 8) return 0
  if (bytes.readInt32BE(4) !== PROTOCOL_3)
    throw engineError('08P01', 'expected a startup message of protocol 3')
  const length = bytes.readInt32BE(0)
  return length <= bytes.length ? length : 0
}
