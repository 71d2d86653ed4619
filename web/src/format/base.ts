/** The path that all addresses of the service begin with behind a proxy, such as `/stepwell`. The service writes it into the page. */
export const BASE: string = globalThis.document?.documentElement.dataset.base ?? ''

/** Returns the address of a path of the service, for requests and for links that the router doesn't make. */
export const at = (path: string): string => `${BASE}${path}`

/** Returns a path of the address bar as the service knows it. */
export const ownPath = (pathname: string, base = BASE): string =>
  isBelow(pathname, base) ? pathname.slice(base.length) || '/' : pathname

export const isBelow = (pathname: string, base = BASE): boolean =>
  pathname === base || pathname.startsWith(`${base}/`)

/** Returns the URL that clients use, as the browser reaches the service by it. */
export const serviceUrl = (): string => `${window.location.origin}${BASE}`
