/** The exit codes of shells. A terminal that is closed sends the last. */
const CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const
type Signal = keyof typeof CODES
const SIGNALS = Object.keys(CODES) as Signal[]

const tidyUps = new Set<() => Promise<unknown>>()

const end = (signal: Signal): void => {
  const all = [...tidyUps]
  // A second signal ends at once.
  tidyUps.clear()
  void Promise.allSettled(all.map((tidyUp) => tidyUp())).finally(() => process.exit(CODES[signal]))
}

/** Tidies up before a signal ends the command. Returns a function that takes this back. */
export const whenInterrupted = (tidyUp: () => Promise<unknown>): (() => void) => {
  if (tidyUps.size === 0) for (const signal of SIGNALS) process.on(signal, end)
  tidyUps.add(tidyUp)
  return () => {
    tidyUps.delete(tidyUp)
    if (tidyUps.size === 0) for (const signal of SIGNALS) process.off(signal, end)
  }
}
