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
  /** How long a call may take, in milliseconds: 30,000 when absent. */
  timeoutMs?: number | undefined
  /** How long sending an uploaded file may take, in milliseconds: 600,000 when absent. */
  uploadTimeoutMs?: number | undefined
  /** How old the prompts may be that are given out, and what there is when the service can't be reached. */
  prompts?: PromptOptions | undefined
  /** Takes messages for people; `console.warn` when absent. */
  onReport?: ((message: string) => void) | undefined
}

/**
 * The operations without anything that records: for pages and tools that only read and change what is stored. It is what
 * `api` of a StepwellClient is, in a bundle that is smaller by half.
 *
 * @example
 * const api = createApi({ apiKey: 'lsk_…', apiUrl: 'https://stepwell.example.org' })
 * const { data } = await api.getThreads({ first: 20 })
 * @throws StepwellError when an option can't be. Without an API key each call fails.
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
