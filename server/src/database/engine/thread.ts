// The thread of the embedded engine: PostgreSQL compiled to WebAssembly runs here, and speaks its wire protocol.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { PGlite, type PGliteOptions } from '@electric-sql/pglite'
import { engineFiles } from './files.js'
import {
  type EngineReply,
  type EngineRequest,
  type EngineTask,
  type Interrupts,
  MAX_AHEAD_BYTES,
} from './messages.js'
import type { EmscriptenModule } from './module.js'
import { preparedDatabase } from './prepared.js'

const port = parentPort as MessagePort
const reply = (message: EngineReply, transferred: ArrayBuffer[] = []) =>
  port.postMessage(message, transferred)

const CHUNK_BYTES = 128_000
/**
 * Size of a segment of the write-ahead log. Segments are added and removed whole, so small ones keep a small database
 * small.
 */
const WAL_SEGMENT_MB = 4
const START_PARAMETERS = [
  ...PGlite.defaultStartParams,
  // Bounds on the write-ahead log that stays after a checkpoint.
  ...['-c', 'min_wal_size=32MB', '-c', 'max_wal_size=64MB'],
]
/** Files in memory need no large cache before them: it would take 128 MB, and a sixth of a second to clear. */
const IN_MEMORY = ['-c', 'shared_buffers=32MB']

/** The last lines that PostgreSQL printed before it ended. */
const lastWords: string[] = []
const MAX_LAST_WORDS = 3
const listen = (line: string): boolean => {
  if (/\b(PANIC|FATAL|HINT):/.test(line) && lastWords.push(line.trim()) > MAX_LAST_WORDS)
    lastWords.shift()
  return false
}

const reasonOf = (error: unknown): string =>
  [error instanceof Error ? error.message : String(error), ...lastWords].join('; ')

/** The engine without PGlite's own reading of answers, for which each start would ask for the types of arrays. */
class Engine extends PGlite {
  override async _initArrayTypes(): Promise<void> {}
}

const open = async (options: PGliteOptions): Promise<PGlite> => {
  const pglite = new Engine({ ...options, onStdout: listen, onStderr: listen })
  await pglite.waitReady
  return pglite
}

/** Creates a database. This takes more memory than anything later; the system gets it back when this thread ends. */
const create = async (folder: string | undefined): Promise<void> => {
  const pglite = await open({ initDbStartParams: [`--wal-segsize=${WAL_SEGMENT_MB}`] })
  await pglite.exec('CHECKPOINT')
  if (folder === undefined) {
    const archive = await (await pglite.dumpDataDir('none')).arrayBuffer()
    reply({ kind: 'created', template: new Uint8Array(archive) }, [archive])
  } else {
    save(pglite.Module as unknown as EmscriptenModule, PGlite.paths.PGDATA, folder)
    reply({ kind: 'created', template: undefined })
  }
}

/** Copies a folder of the engine's own file system to the disk, readable by its owner only. */
const save = ({ FS }: EmscriptenModule, from: string, to: string): void => {
  mkdirSync(to, { mode: 0o700 })
  for (const name of FS.readdir(from)) {
    // Names a process that uses the database, which would not be this one.
    if (name === '.' || name === '..' || name === 'postmaster.pid') continue
    const path = `${from}/${name}`
    if (FS.isDir(FS.stat(path).mode)) save({ FS } as EmscriptenModule, path, join(to, name))
    else writeFileSync(join(to, name), FS.readFile(path), { mode: 0o600 })
  }
}

const serve = async ({
  folder,
  template,
  settings,
  ahead,
  program,
}: EngineTask & { kind: 'serve' }): Promise<void> => {
  // It is unpacked while the program is compiled.
  const archive = async () => template ?? preparedDatabase()
  const files = await engineFiles(
    folder === undefined ? { archive: archive() } : { folder },
    program,
  )
  const pglite = await open({
    fs: files.fs,
    startParams: [
      ...START_PARAMETERS,
      ...(folder === undefined ? IN_MEMORY : []),
      ...settings.flatMap((setting) => ['-c', setting]),
    ],
  })
  const interrupts = interruptsOf(files.shared())
  const forget = forgetter(interrupts)
  const send = (bytes: Uint8Array) => {
    const { length } = bytes
    reply({ kind: 'chunk', bytes }, [bytes.buffer as ArrayBuffer])
    let sent = Atomics.add(ahead, 0, length) + length
    while (sent > MAX_AHEAD_BYTES) {
      Atomics.wait(ahead, 0, sent)
      sent = Atomics.load(ahead, 0)
    }
  }
  port.on('message', async (request: EngineRequest | 'close') => {
    if (request === 'close') {
      await pglite.close()
      process.exit(0)
    }
    forget()
    const chunks = new Chunks(send)
    try {
      await pglite.execProtocolRawStream(request.bytes, {
        syncToFs: false,
        onRawData: (bytes) => chunks.add(bytes),
      })
    } catch (error) {
      reply({ kind: 'failed', reason: reasonOf(error) })
      return
    }
    chunks.flush()
    reply({ kind: 'done' })
  })
  reply({ kind: 'ready', interrupts, program: files.program })
}

const interruptsOf = (
  shared: { memory: WebAssembly.Memory; exports: WebAssembly.Exports } | undefined,
): Interrupts | undefined => {
  if (shared === undefined) return undefined
  const { memory, exports } = shared
  const address = (name: string): number | undefined => {
    const variable = exports[name]
    return variable instanceof WebAssembly.Global ? Number(variable.value) : undefined
  }
  const queryCancelPending = address('QueryCancelPending')
  const interruptPending = address('InterruptPending')
  return queryCancelPending === undefined || interruptPending === undefined
    ? undefined
    : { memory, queryCancelPending, interruptPending }
}

/** Clears an interrupt that arrived after its statement had ended, so that it does not hit the next one. */
const forgetter = (interrupts: Interrupts | undefined) => () => {
  if (interrupts === undefined) return
  const { memory, queryCancelPending, interruptPending } = interrupts
  const numbers = new Int32Array(memory.buffer)
  numbers[queryCancelPending >> 2] = 0
  numbers[interruptPending >> 2] = 0
}

/** Gathers the pieces of an answer into few messages. */
class Chunks {
  readonly #send: (bytes: Uint8Array) => void
  #pieces: Uint8Array[] = []
  #length = 0

  constructor(send: (bytes: Uint8Array) => void) {
    this.#send = send
  }

  /** @param bytes - Valid only during the call: a part of the engine's memory. */
  add(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
      const piece = Uint8Array.from(bytes.subarray(at, at + CHUNK_BYTES))
      if (this.#length + piece.length > CHUNK_BYTES) this.flush()
      this.#pieces.push(piece)
      this.#length += piece.length
    }
  }

  flush(): void {
    if (this.#length === 0) return
    const [only, ...others] = this.#pieces
    if (only !== undefined && others.length === 0) this.#send(only)
    else {
      const all = new Uint8Array(this.#length)
      let at = 0
      for (const piece of this.#pieces) {
        all.set(piece, at)
        at += piece.length
      }
      this.#send(all)
    }
    this.#pieces = []
    this.#length = 0
  }
}

const task = workerData as EngineTask
try {
  await (task.kind === 'create' ? create(task.folder) : serve(task))
} catch (error) {
  reply({ kind: 'failed', reason: reasonOf(error) })
}
