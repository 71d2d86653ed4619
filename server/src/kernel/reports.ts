export type Report = (error: unknown) => void

/**
 * A report that neither throws nor rejects. Those who are told of faults are callbacks of applications: a fault of theirs
 * must not reach what they are told about, be it a commit, a timer or the handler of an event.
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
