const WEEK_MS = 7 * 86_400_000

/** A week ago, to the hour, so that a page asks the same thing for a while. */
export const weekAgo = (): string =>
  new Date(Math.floor(Date.now() / 3_600_000) * 3_600_000 - WEEK_MS).toISOString()
