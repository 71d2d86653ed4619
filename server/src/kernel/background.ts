/**
 * Does something again and again, never twice at once. What fails is reported and tried again the next time. Gives what
 * stops it, and waits for what is being done.
 */
export const inBackground = (
  everyMs: number,
  work: () => Promise<unknown>,
  report: (error: unknown) => void,
): (() => Promise<void>) => {
  let running: Promise<void> | undefined
  const timer = setInterval(() => {
    running ??= work()
      .catch(report)
      .then(() => {
        running = undefined
      })
  }, everyMs)
  timer.unref()
  return async () => {
    clearInterval(timer)
    await running
  }
}
