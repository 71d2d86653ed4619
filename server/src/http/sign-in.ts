import { parse, serialize } from 'hono/utils/cookie'
import { SIGN_IN_SECONDS, type SignIn } from '../domain/access/sign-in.js'
import { DomainError } from '../kernel/errors.js'

/**
 * The cookie of a service. Cookies of one host are shared between its ports, so that two services on one machine have
 * cookies of different names.
 */
const nameFor = (origin: string): string => {
  const { port } = new URL(origin)
  return port === '' ? 'stepwell' : `stepwell_${port}`
}

export const readSessionToken = (headers: Headers, origin: string): string | undefined => {
  const name = nameFor(origin)
  return parse(headers.get('cookie') ?? '', name)[name]
}

/** Returns the cookie that keeps a session token; without one, the cookie that removes it. */
export const sessionCookie = (origin: string, sessionToken: string | undefined): string =>
  serialize(nameFor(origin), sessionToken ?? '', {
    path: '/',
    httpOnly: true,
    // With Strict, whoever follows a link from elsewhere would arrive signed out.
    sameSite: 'Lax',
    maxAge: sessionToken === undefined ? 0 : SIGN_IN_SECONDS,
    secure: new URL(origin).protocol === 'https:',
  })

/**
 * Refuses what another page made a browser ask for: the cookie goes with that too. Browsers name the origin with every
 * POST; a request that names none has to say in another way that it comes from here.
 */
export const demandSameOrigin = (headers: Headers, origin: string): void => {
  const from = headers.get('origin')
  // Browsers name an origin without a path, a default port or capitals.
  const own = new URL(origin).origin
  if (from === null ? headers.get('sec-fetch-site') === 'same-origin' : from === own) return
  throw new DomainError('FORBIDDEN', `origin: expected ${own}, the page of this service itself`)
}

/** What somebody shows to be let in; one of them. */
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
