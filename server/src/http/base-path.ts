/** Returns the path that all addresses of the service begin with behind a proxy; empty when they begin with its origin. */
export const basePathOf = (origin: string | undefined): string =>
  origin === undefined ? '' : new URL(origin).pathname.replace(/\/+$/, '')

/**
 * Returns a function that reads the path of a request as the service knows it. A proxy may remove the base path or send it
 * on.
 */
export const pathsBelow = (base: string) => (request: Request) => {
  // Released clients append `/api/…` to a base URL that may end with a slash.
  const path = new URL(request.url).pathname.replace(/\/{2,}/g, '/')
  if (base === '') return path
  return path === base || path.startsWith(`${base}/`) ? path.slice(base.length) || '/' : path
}
