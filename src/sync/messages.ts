import type { ClientSettings } from '../client-options.js'
import type { Connection } from '../settings.js'
import type { ErrorCopy } from './error-copy.js'
import type { Serialized } from './parameters.js'

/** What the thread needs to make the client that it works with. */
export interface Setup extends ClientSettings {
  connection: Omit<Connection, 'fetch'>
}

/** Where the caller is, in the steps that are being recorded. */
export interface CallContext {
  stepId: string | undefined
  threadId: string | undefined
  experimentItemRunId: string | undefined
  environment: string | undefined
}

/** What the thread is asked to do. */
export type Task =
  | { kind: 'call'; method: string; parameters: Serialized[] }
  /** A document, its variables, and the options of the call. */
  | { kind: 'query'; parameters: Serialized[] }
  /** Begins a walk over the pages of a list. */
  | { kind: 'walk'; walk: string; method: string; parameters: Serialized[] }
  /** The next page of a walk; undefined when there is none. */
  | { kind: 'next'; walk: string }
  /** Ends a walk early. */
  | { kind: 'leave'; walk: string }
  /** The client is closed. */
  | { kind: 'forget' }

export interface Request {
  /** The client that asks. */
  client: string
  /** With the first request of a client. */
  setup: Setup | undefined
  place: CallContext
  task: Task
}

export type Reply = {
  /** What was attached to the step around the call, to be recorded with it. */
  attachments: unknown[]
  /** What people are to be told. */
  reports: string[]
} /** A prompt comes without its methods, which can't travel. */ & (
  | { kind: 'value' | 'prompt' | 'snakePrompt'; value: unknown }
  | { kind: 'error'; error: ErrorCopy }
)
