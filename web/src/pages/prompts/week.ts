const WEEK_MS = 7 * 86_400_000

/** Returns the moment a week ago, to the hour, so that a page repeats its request for a while. */
export const weekAgo = (): string =>
  new Date(Math.floor(Date.now() / 3_600_000) * 3_600_000 - WEEK_MS).toISOString()
