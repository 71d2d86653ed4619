import type { PromptCacheOptions } from './prompts/prompt-cache.js'
import type { PromptSnapshot } from './prompts/snapshot.js'
import { type Connection, count, positive, readConnection } from './settings.js'
import type { TracerOptions } from './tracing/tracer-options.js'

export interface StepwellClientOptions extends TracerOptions {
  /**
   * The time limit of a call of `api`, in milliseconds. Default: 30,000. It limits the silence between two parts of
   * `exportList` too; default there: 120,000.
   */
  timeoutMs?: number | undefined
  /** The time limit for sending an uploaded file, in milliseconds. Default: 600,000. */
  uploadTimeoutMs?: number | undefined
  /** The allowed age of prompts, and the prompts to use when the service can't be reached. */
  prompts?: PromptOptions | undefined
}

export interface PromptOptions extends PromptCacheOptions {
  /** Prompts to fall back on from the start, as `stepwell prompts pull` writes them. */
  snapshot?: PromptSnapshot | undefined
}

/** The checked options of a client, without the recorder's. */
export interface ClientSettings {
  timeoutMs: number
  uploadTimeoutMs: number
  /** The longest silence between two parts of a streamed answer. */
  silenceMs: number
  copies: PromptCacheOptions
  snapshot: PromptSnapshot | undefined
}

const TIMEOUT_MS = 30_000
const UPLOAD_TIMEOUT_MS = 600_000
/** A search may pass over a million rows from one part of its export to the next. */
const SILENCE_MS = 120_000

/** Reads the options and the environment. Throws a StepwellError that names the invalid option. */
export const readClientOptions = (
  options: StepwellClientOptions,
): { connection: Connection; settings: ClientSettings } => {
  const connection = readConnection(options)
  const { timeoutMs } = options
  const { ttlMs, waitMs, snapshot } = options.prompts ?? {}
  return {
    connection,
    settings: {
      timeoutMs: positive('timeoutMs', timeoutMs ?? TIMEOUT_MS),
      silenceMs: timeoutMs ?? SILENCE_MS,
      uploadTimeoutMs: positive('uploadTimeoutMs', options.uploadTimeoutMs ?? UPLOAD_TIMEOUT_MS),
      copies: {
        ttlMs: ttlMs === undefined ? undefined : count('prompts.ttlMs', ttlMs, 0),
        waitMs: waitMs === undefined ? undefined : positive('prompts.waitMs', waitMs),
      },
      snapshot: snapshot ?? undefined,
    },
  }
}
