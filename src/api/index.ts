import { type PromptOptions, readClientOptions } from '../client-options.js'
import { PromptCache } from '../prompts/prompt-cache.js'
import type { ConnectionOptions } from '../settings.js'
import { reportUnknown } from '../tracing/tracer-options.js'
import { createTransport } from '../transport/transport.js'
import { reporter } from '../values/reporter.js'
import { type Api, createApi as createFrom } from './api.js'

export { StepwellError, type StepwellErrorCode } from '../errors.js'
export type * from '../tracing/index.js'
export type * from '../types.js'
export type { ApiOptions }

interface ApiOptions extends ConnectionOptions {
  /** The time limit of a call, in milliseconds. Default: 30,000. */
  timeoutMs?: number | undefined
  /** The time limit for sending an uploaded file, in milliseconds. Default: 600,000. */
  uploadTimeoutMs?: number | undefined
  /** The allowed age of prompts, and the prompts to use when the service can't be reached. */
  prompts?: PromptOptions | undefined
  /** Takes messages for people. Default: `console.warn`. */
  onReport?: ((message: string) => void) | undefined
}

/**
 * Makes the operations without the recorder, for pages and tools that only read and change stored data: the `api` of a
 * StepwellClient, in a bundle that is smaller by half. Without an API key, each call fails.
 *
 * @returns the operations.
 * @throws `INVALID_ARGUMENT` when an option is invalid.
 * @example
 * import { createApi } from 'stepwell/api'
 * // The key and the address are those of STEPWELL_API_KEY and STEPWELL_API_URL, unless options name others.
 * const api = createApi({ timeoutMs: 10_000 })
 * const { data } = await api.listThreads({ first: 20 })
 */
export const createApi = (options: ApiOptions = {}): Api => {
  const { connection, settings } = readClientOptions(options)
  const report = reporter(options.onReport)
  reportUnknown(options, report)
  return createFrom(
    createTransport({
      ...connection,
      ...settings,
      fetch: connection.fetch ?? ((input, init) => globalThis.fetch(input, init)),
      ambient: () => ({
        step: undefined,
        threadId: undefined,
        experimentItemRunId: undefined,
        environment: undefined,
      }),
      copies: new PromptCache(settings.copies, report),
    }),
  )
}
