import type { SignIn } from '../../domain/access/sign-in.js'
import type { Domain } from '../../domain/domain.js'
import { type Caller, parseEnvironment } from '../../kernel/caller.js'
import { DomainError, invalid, show } from '../../kernel/errors.js'
import { currentRequest } from '../../kernel/watching/current-request.js'
import { personTokenIn } from '../people/person-cookie.js'
import type { Identities } from '../people/routes.js'
import { heldSessions, sessionFor } from './cookies.js'
import { pythonClientOf } from './python-client.js'
import { demandSameOrigin } from './sign-in.js'

export type Authenticate = (headers: Headers, origin: string, project?: string) => Promise<Caller>

/** Returns the project that a page names, among those that its browser is signed in to. */
export const readProject = (headers: Headers): string | undefined => {
  const text = headers.get('x-project')
  if (text === null || text === '') return undefined
  try {
    return decodeURIComponent(text)
  } catch {
    throw invalid(`x-project: expected the id of a project, percent-encoded, got ${show(text)}`)
  }
}

/** Creates a function that authenticates by the key in some headers, or else by the cookie of somebody who is signed in. */
export const createAuthenticate = (
  { keys }: Pick<Domain, 'keys'>,
  signIn: SignIn,
  identities: Identities | undefined,
): Authenticate => {
  const byCookie = async (headers: Headers, origin: string, project: string | undefined) => {
    const held = heldSessions(signIn, headers, origin)
    const person = identities && personTokenIn(headers, origin)
    if (held.sessions.length + held.stale.length === 0 && person === undefined)
      throw new DomainError(
        'UNAUTHENTICATED',
        'x-api-key: expected the API key of a project, got none',
      )
    demandSameOrigin(headers, origin)
    const session = sessionFor(held, project)
    if (session !== undefined) return signIn.check(session.token)
    if (identities !== undefined && person !== undefined)
      return identities.people.check(person, project)
    throw new DomainError(
      'UNAUTHENTICATED',
      'session: it has ended, or is of another project; sign in again',
    )
  }
  return async (headers, origin, project = readProject(headers)) => {
    const environment = parseEnvironment('x-env', headers.get('x-env'))
    const key = headers.get('x-api-key')
    const opened = key ? await keys.authenticate(key) : await byCookie(headers, origin, project)
    const request = currentRequest()
    if (request !== undefined) request.keyId = opened.keyId
    if (key && project !== undefined && project !== opened.projectId)
      throw invalid('x-project: expected the project of the API key, got another one')
    return { ...opened, environment, pythonClient: pythonClientOf(headers) }
  }
}
