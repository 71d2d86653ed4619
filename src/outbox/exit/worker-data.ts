import type { MessagePort } from 'node:worker_threads'

/** What a worker is told to send, and by which it says what came of it. */
export interface ExitWorkerData {
  url: string
  headers: Record<string, string>
  bodies: Uint8Array[]
  deadlineMs: number
  /** How many bodies are answered. */
  answered: SharedArrayBuffer
  /** Takes each answer before it is counted. */
  port: MessagePort
}

export interface ExitAnswer {
  index: number
  status: number
  text: string
}
