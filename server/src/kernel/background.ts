/**
 * Runs a function again and again, never twice at once. A failure is reported, and the next run follows as usual.
 * Returns a function that stops this and waits for a run that is under way.
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
