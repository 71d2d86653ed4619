import type { PromptCacheOptions } from './prompts/prompt-cache.js'
import type { PromptSnapshot } from './prompts/snapshot.js'
import { type Connection, count, positive, readConnection } from './settings.js'
import type { TracerOptions } from './tracing/tracer-options.js'

export interface StepwellClientOptions extends TracerOptions {
  /** How long a call of `api` may take, in milliseconds: 30,000 when absent. */
  timeoutMs?: number | undefined
  /** How long sending an uploaded file may take, in milliseconds: 600,000 when absent. */
  uploadTimeoutMs?: number | undefined
  /** How old the prompts may be that are given out, and what there is when the service can't be reached. */
  prompts?: PromptOptions | undefined
}

export interface PromptOptions extends PromptCacheOptions {
  /** Prompts to fall back on from the start: what `stepwell prompts pull` wrote. */
  snapshot?: PromptSnapshot | undefined
}

/** The options of a client that are not the recorder's, read and checked. */
export interface ClientSettings {
  timeoutMs: number
  uploadTimeoutMs: number
  copies: PromptCacheOptions
  snapshot: PromptSnapshot | undefined
}

const TIMEOUT_MS = 30_000
const UPLOAD_TIMEOUT_MS = 600_000

/** Reads the options and the environment. Throws a StepwellError that names the option which can't be. */
export const readClientOptions = (
  options: StepwellClientOptions,
): { connection: Connection; settings: ClientSettings } => {
  const connection = readConnection(options)
  const { ttlMs, waitMs, snapshot } = options.prompts ?? {}
  return {
    connection,
    settings: {
      timeoutMs: positive('timeoutMs', options.timeoutMs ?? TIMEOUT_MS),
      uploadTimeoutMs: positive('uploadTimeoutMs', options.uploadTimeoutMs ?? UPLOAD_TIMEOUT_MS),
      copies: {
        ttlMs: ttlMs === undefined ? undefined : count('prompts.ttlMs', ttlMs, 0),
        waitMs: waitMs === undefined ? undefined : positive('prompts.waitMs', waitMs),
      },
      snapshot: snapshot ?? undefined,
    },
  }
}
