export type Report = (error: unknown) => void

/**
 * Wraps a report so that it neither throws nor rejects. Reports call back into the application: an error there must not
 * reach the commit, timer or event handler that is being reported on.
 */
export const harmless =
  (report: Report): Report =>
  (error) => {
    const sayFailed = (reason: unknown) => console.error('stepwell: onError failed:', reason)
    try {
      const told: unknown = report(error)
      if (told instanceof Promise) told.catch(sayFailed)
    } catch (reason) {
      sayFailed(reason)
    }
  }
