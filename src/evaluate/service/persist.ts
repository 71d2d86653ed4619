import { StepwellError } from '../../errors.js'
import { createList, type List, type PageParams } from '../../lists/pagination.js'
import { runtime } from '../../outbox/host.js'
import { pause } from './pause.js'

const FIRST_WAIT_MS = 200
const MAX_WAIT_MS = 10_000
/** Time for which the service may be away, as while it is restarted. */
const MAX_TIME_MS = 300_000

/** The APIs that have answered a request that was made here. */
const reached = new WeakSet<object>()

/**
 * Returns true for an error that may pass. Where the service has answered before, an answer that is not its own, such as a
 * proxy's page, is one too: it does not mean that the URL is wrong.
 */
export const mayPass = (api: object, error: unknown): boolean =>
  StepwellError.is(error) && (error.retryable || (error.code === 'NETWORK' && reached.has(api)))

/**
 * Repeats a request to the service while the error may pass, after the time that the service names. Rejects with the last
 * error after five minutes.
 */
export const persist = async <Result>(
  api: object,
  request: () => Promise<Result>,
  signal?: AbortSignal,
): Promise<Result> => {
  const end = runtime.elapsed() + MAX_TIME_MS
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(MAX_WAIT_MS, waitMs * 2))
    try {
      const result = await request()
      reached.add(api)
      return result
    } catch (error) {
      if (!mayPass(api, error) || signal?.aborted === true || runtime.elapsed() > end) throw error
      const { retryAfterMs = 0 } = error as StepwellError
      await pause(Math.max(retryAfterMs, waitMs * (0.5 + Math.random())), signal)
    }
}

/** Walks over a list as its `all` does, and persists in each of its requests. */
export const walk = <Params extends PageParams, Item>(
  api: object,
  list: List<Params, Item>,
  params: Params,
  signal?: AbortSignal,
): AsyncGenerator<Item, void, undefined> =>
  createList((page: Params) => persist(api, () => list(page), signal)).all(params)
