import { at, ownPath } from '../format/base.js'
import { projectHeader } from './current-project.js'
import { forgetSessions, type OpenProject } from './known-sessions.js'
import type { Problem } from './problem.js'

/** The API key of a project, or the token of a link that the service printed. */
export type Credentials = { apiKey: string } | { token: string }

/** The OpenID Connect provider with which people may sign in. */
export interface SignInProvider {
  name: string
}

const post = (path: string, body: object, headers: Record<string, string> = {}) =>
  fetch(at(path), {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })

interface Failure {
  message?: string
  extensions?: { code?: string }
}

const failureOf = async (response: Response): Promise<Failure> => {
  const body: { errors?: Failure[] } = await response.json().catch(() => ({}))
  return body.errors?.[0] ?? { message: `The service answered with status ${response.status}.` }
}

/** Messages of the service name its headers; people who sign in know of none. */
const REASONS: readonly (readonly [sign: RegExp, words: string])[] = [
  [/no project of this service/, 'No project of this service has this key.'],
  [/was revoked/, 'This key was revoked. Use another one.'],
  [/has expired/, 'This key has expired. Use another one.'],
  [/too many requests/, 'Too many unknown keys were tried. Try again in a moment.'],
]

/** Signs in, and returns the id of the project. Throws an error with a message for people. */
export const signIn = async (credentials: Credentials): Promise<string> => {
  const response = await post('/api/sign-in', credentials).catch((error: Error) => {
    throw new Error(`The service can't be reached: ${error.message}`)
  })
  if (response.ok) return ((await response.json()) as { projectId: string }).projectId
  const { message = '' } = await failureOf(response)
  throw new Error(REASONS.find(([sign]) => sign.test(message))?.[1] ?? message)
}

const noAnswer = (): never => {
  throw new Error("The answer of the service can't be read.")
}

/**
 * Signs out of a project; without one, of all. A person leaves all their projects at once, and the provider if it offers
 * that. Throws an error with a message for people while the session lives on.
 */
export const signOut = async (projectId: string | undefined): Promise<void> => {
  const headers = projectId === undefined ? {} : projectHeader()
  let leaveUrl: string | undefined
  try {
    const response = await post('/api/sign-out', {}, headers)
    if (!response.ok) throw new Error((await failureOf(response)).message)
    leaveUrl = ((await response.json().catch(noAnswer)) as { leaveUrl?: string }).leaveUrl
  } catch (error) {
    throw new Error(`You are still signed in: ${(error as Error).message}`)
  }
  forgetSessions()
  window.location.assign(leaveUrl ?? at('/'))
}

/**
 * Returns the projects that this browser is signed in to, the newest session first, and the provider to sign in with; a
 * problem when they are unknown.
 */
export const readSessions = async (): Promise<
  { sessions: OpenProject[]; provider: SignInProvider | null } | Problem
> => {
  try {
    const response = await post('/api/sessions', {})
    if (response.ok) return await response.json()
    const { message = '', extensions } = await failureOf(response)
    const requestId = response.headers.get('x-request-id') ?? undefined
    return { message, code: extensions?.code ?? 'UNAVAILABLE', requestId }
  } catch (error) {
    return {
      message: `The service can't be reached: ${(error as Error).message}`,
      code: 'NETWORK',
    }
  }
}

/** Takes the token of a link out of the address, as the history would keep it; undefined when there is none. */
export const takeToken = (): string | undefined => {
  const address = new URL(window.location.href)
  const token = address.searchParams.get('token')
  if (ownPath(address.pathname) !== '/sign-in' || token === null) return undefined
  address.searchParams.delete('token')
  window.history.replaceState(window.history.state, '', address)
  return token
}
