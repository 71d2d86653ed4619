import type { SignIn } from '../../domain/access/sign-in.js'
import { DomainError } from '../../kernel/errors.js'

/**
 * Rejects requests that another site made a browser send: the cookie goes with those too. Browsers send the origin with
 * every POST; a request without one has to prove in another way that it comes from here.
 */
export const demandSameOrigin = (headers: Headers, origin: string): void => {
  const from = headers.get('origin')
  // Browsers write an origin without a path, a default port or capitals.
  const own = new URL(origin).origin
  if (from === null ? headers.get('sec-fetch-site') === 'same-origin' : from === own) return
  throw new DomainError('FORBIDDEN', `origin: expected ${own}, the page of this service itself`)
}

/** The credentials that somebody signs in with; one of them. */
export interface Shown {
  apiKey: string | undefined
  token: string | undefined
}

export const openSession = async (
  signIn: SignIn,
  headers: Headers,
  origin: string,
  { apiKey, token }: Shown,
): Promise<string> => {
  demandSameOrigin(headers, origin)
  if (apiKey !== undefined) return signIn.withKey(apiKey)
  if (token !== undefined) return signIn.withLink(token)
  throw new DomainError(
    'UNAUTHENTICATED',
    'apiKey, token: expected the API key of a project or the token of a link, got neither',
  )
}
