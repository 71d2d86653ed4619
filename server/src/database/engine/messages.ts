/** What a thread of the engine is started for. */
export type EngineTask =
  | {
      kind: 'serve'
      /** Undefined for a database in memory, which then begins as a copy of `template`. */
      folder: string | undefined
      template: ArrayBuffer | undefined
      /** `name=value`, of each session. */
      settings: readonly string[]
      /** One number: the bytes of answers that were sent and not yet received. */
      ahead: Int32Array
    }
  /** Creates a database: in a folder that is not there yet, or as an archive for databases in memory. */
  | { kind: 'create'; folder: string | undefined }

/** Messages of the wire protocol, up to one that is answered by ReadyForQuery. */
export interface EngineRequest {
  bytes: Uint8Array
}

export type EngineReply =
  | {
      kind: 'ready'
      /** Undefined where the engine could not be given a memory that threads share. */
      interrupts: Interrupts | undefined
    }
  | { kind: 'created'; template: ArrayBuffer | undefined }
  | { kind: 'chunk'; bytes: Uint8Array }
  | { kind: 'done' }
  /** The engine gave up; nothing can be asked of this thread any more. */
  | { kind: 'failed'; reason: string }

/** Where PostgreSQL looks, every few rows, whether it should end the statement that runs. */
export interface Interrupts {
  memory: WebAssembly.Memory
  queryCancelPending: number
  interruptPending: number
}

/** Bytes of an answer that a thread sends ahead of being received; beyond them it waits. */
export const MAX_AHEAD_BYTES = 1_000_000
