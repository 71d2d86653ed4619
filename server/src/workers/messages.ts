/** The environment variable by which a process knows that it is one of several, of no other program's cluster. */
export const WORKER_VARIABLE = 'STEPWELL_WORKER'

/** Text that a worker's metrics have, by the number of the worker. */
export type Texts = [worker: number, text: string][]

/** Messages of the first process to a worker. */
export type ToWorker =
  | {
      kind: 'begin'
      number: number
      operatorToken: string
      isFirst: boolean
      /** The port at which all listen. */
      port: number
    }
  /** Stop; a higher level does not wait for clients to leave. */
  | { kind: 'stop'; level: number; signal: 'SIGTERM' | 'SIGINT' }
  | { kind: 'read'; id: number }
  | { kind: 'texts'; id: number; texts: Texts }

/** Messages of a worker to the first process. */
export type ToFirst =
  /** Listens to messages; those before are lost. */
  | { kind: 'joins' }
  | { kind: 'serves'; url: string }
  | { kind: 'gather'; id: number }
  | { kind: 'text'; id: number; text: string }
