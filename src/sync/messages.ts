import type { ClientSettings } from '../client-options.js'
import type { Connection } from '../settings.js'
import type { ErrorCopy } from './error-copy.js'
import type { Serialized } from './parameters.js'

/** The settings from which the thread creates its client. */
export interface Setup extends ClientSettings {
  connection: Omit<Connection, 'fetch'>
}

/** The steps around the call that are being recorded. */
export interface CallContext {
  stepId: string | undefined
  threadId: string | undefined
  experimentItemRunId: string | undefined
  environment: string | undefined
}

/** A task for the thread. */
export type Task =
  | { kind: 'call'; method: string; parameters: Serialized[] }
  /** A document, its variables, and the options of the call. */
  | { kind: 'query'; parameters: Serialized[] }
  /** Begins a walk over the pages of a list. */
  | { kind: 'walk'; walk: string; method: string; parameters: Serialized[] }
  /** Returns the next page of a walk; undefined when there is none. */
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
  /** Attachments of the step around the call, to be recorded with it. */
  attachments: unknown[]
  /** Messages for people. */
  reports: string[]
} /** A prompt comes without its methods, which cannot be sent. */ & (
  | { kind: 'value' | 'prompt' | 'snakePrompt'; value: unknown }
  | { kind: 'error'; error: ErrorCopy }
)
