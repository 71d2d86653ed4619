/**
 * Lets others work. Answers about a hundred thousand steps take half a second of processor time, and the service that
 * gives them has other clients.
 */
export const pause = (): Promise<void> =>
  new Promise((resolve) => {
    // Edge runtimes and browsers have no setImmediate.
    if (typeof setImmediate === 'function') setImmediate(resolve)
    else setTimeout(resolve, 0)
  })
