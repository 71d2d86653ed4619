import { runtime } from '../../outbox/host.js'

/** Resolves after a time, or at once when a signal is aborted. Timers that a test mocks do not hold it up. */
export const pause = (milliseconds: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal?.aborted === true || milliseconds <= 0) {
      resolve()
      return
    }
    const end = () => {
      cancel()
      signal?.removeEventListener('abort', end)
      resolve()
    }
    const cancel = runtime.timer(end, milliseconds, true)
    signal?.addEventListener('abort', end)
  })
