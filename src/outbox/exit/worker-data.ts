import type { MessagePort } from 'node:worker_threads'

/** The data of the worker: what it sends, and where it puts the answers. */
export interface ExitWorkerData {
  url: string
  headers: Record<string, string>
  bodies: Uint8Array[]
  deadlineMs: number
  /** The number of bodies that are answered. */
  answered: SharedArrayBuffer
  /** Receives each answer before it is counted. */
  port: MessagePort
}

export interface ExitAnswer {
  index: number
  status: number
  text: string
}
