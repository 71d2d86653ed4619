import { StepwellError } from '../../errors.js'
import { createList, type List, type PageParams } from '../../lists/pagination.js'
import { pause } from './pause.js'

const FIRST_WAIT_MS = 200
const MAX_WAIT_MS = 10_000
/** Time for which the service may be away, as while it is restarted. */
const MAX_TIME_MS = 300_000

/** Returns true for an error that may pass. */
export const mayPass = (error: unknown): boolean => StepwellError.is(error) && error.retryable

/**
 * Returns true for an error that may pass where the service has answered before: there, an answer that is not its own, such
 * as a proxy's page, does not mean that the URL is wrong.
 */
export const mayPassByNow = (error: unknown): boolean =>
  mayPass(error) || (StepwellError.is(error) && error.code === 'NETWORK')

/** Repeats a request to the service while the error may pass. Rejects with the last error after five minutes. */
export const persist = async <Result>(
  request: () => Promise<Result>,
  signal?: AbortSignal,
  isPassing = mayPass,
): Promise<Result> => {
  const end = performance.now() + MAX_TIME_MS
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(MAX_WAIT_MS, waitMs * 2))
    try {
      return await request()
    } catch (error) {
      if (!isPassing(error) || signal?.aborted === true || performance.now() > end) throw error
      await pause(waitMs * (0.5 + Math.random()), signal)
    }
}

/** Walks over a list as its `all` does, and persists in each of its requests. */
export const walk = <Params extends PageParams, Item>(
  list: List<Params, Item>,
  params: Params,
  signal?: AbortSignal,
  isPassing = mayPass,
): AsyncGenerator<Item, void, undefined> =>
  createList((page: Params) => persist(() => list(page), signal, isPassing)).all(params)
