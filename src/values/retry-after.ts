/** The longest delay that a service can ask for. */
const MAX_WAIT_MS = 300_000

/** Reads a `Retry-After`: seconds, or the moment to wait for. */
export const retryAfter = (header: string | null | undefined): number | undefined => {
  if (header === null || header === undefined) return undefined
  const seconds = Number(header)
  const wait = Number.isNaN(seconds) ? Date.parse(header) - Date.now() : seconds * 1000
  return wait > 0 ? Math.min(wait, MAX_WAIT_MS) : undefined
}
