import { parse, serialize } from 'hono/utils/cookie'
import { cookieAttributes, cookieNameFor } from '../sessions/cookies.js'

/** Not a name of a cookie of a project, which begin with a dot after the service's name. */
const nameOf = (origin: string): string => `${cookieNameFor(origin)}-person`

/** Returns the token of a person's session in a request's cookies. */
export const personTokenIn = (headers: Headers, origin: string): string | undefined =>
  parse(headers.get('cookie') ?? '', nameOf(origin))[nameOf(origin)] || undefined

export const keepPerson = (origin: string, token: string, seconds: number): [string, string] => [
  'set-cookie',
  serialize(nameOf(origin), token, { ...cookieAttributes(origin), maxAge: seconds }),
]

export const removePerson = (origin: string): [string, string] => keepPerson(origin, '', 0)
