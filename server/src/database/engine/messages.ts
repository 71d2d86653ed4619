/** PostgreSQL's program, compiled. Threads of one process share what has been compiled of it so far. */
export interface CompiledProgram {
  module: WebAssembly.Module
  /** True when the memory that it imports can be shared with other threads. */
  isShared: boolean
}

/** The task that a thread of the engine is started for. */
export type EngineTask =
  | {
      kind: 'serve'
      /** Undefined for a database in memory. */
      folder: string | undefined
      /** The archive that a database in memory starts as; undefined for the prepared one. */
      template: Uint8Array | undefined
      /** `name=value`, for each session. */
      settings: readonly string[]
      /** Undefined for the first thread of a process, which compiles it. */
      program: CompiledProgram | undefined
      /** One number: the bytes of answers that were sent and not yet received. */
      ahead: Int32Array
    }
  /** Creates a database: in a new folder, or as an archive for databases in memory. */
  | { kind: 'create'; folder: string | undefined }

/** Messages of the wire protocol, up to one that is answered by ReadyForQuery. */
export interface EngineRequest {
  bytes: Uint8Array
}

export type EngineReply =
  | {
      kind: 'ready'
      /** Undefined when the engine's memory is not shared. */
      interrupts: Interrupts | undefined
      program: CompiledProgram
    }
  | { kind: 'created'; template: Uint8Array | undefined }
  | { kind: 'chunk'; bytes: Uint8Array }
  | { kind: 'done' }
  /** The engine gave up; this thread answers no more requests. */
  | { kind: 'failed'; reason: string }

/** Addresses that PostgreSQL reads every few rows, to see if it should cancel the statement. */
export interface Interrupts {
  memory: WebAssembly.Memory
  queryCancelPending: number
  interruptPending: number
}

/** Bytes of an answer that a thread sends before they are received; beyond them it waits. */
export const MAX_AHEAD_BYTES = 1_000_000
