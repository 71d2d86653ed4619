import type { Hono, Context as HonoContext } from 'hono'
import type { People } from '../../domain/access/people.js'
import type { SignIn } from '../../domain/access/sign-in.js'
import type { OidcOptions } from '../../identity/options.js'
import type { Provider } from '../../identity/provider.js'
import { refusalOf } from '../../identity/provider-errors.js'
import { SignInRefused } from '../../identity/refusal.js'
import { grantsOf } from '../../identity/rules.js'
import { scopesOf } from '../../kernel/scopes.js'
import { currentRequest, noteRefusal } from '../../kernel/watching/current-request.js'
import type { Logger } from '../../kernel/watching/logger.js'
import { basePathOf } from '../base-path.js'
import { rejectOtherMethods } from '../methods.js'
import { heldSessions, type OpenProject, removeCookies } from '../sessions/cookies.js'
import { ownPath, projectOf } from './address.js'
import type { Flows } from './flow.js'
import { keepPerson, personTokenIn, removePerson } from './person-cookie.js'

const BEGIN = '/api/sign-in/oidc'
const CALLBACK = '/api/sign-in/callback'
/** Limit of the address that the provider sends browsers back to. */
const MAX_ADDRESS = 10_000

/** The sign-in of people with the provider. */
export interface Identities {
  options: OidcOptions
  provider: Provider
  people: People
  flows: Flows
}

export interface PeopleSurroundings extends Identities {
  signIn: SignIn
  originOf: (context: HonoContext) => string
  /** Works within a share of its own. Throws `SignInRefused` when too many others wait for the provider. */
  within: <Result>(work: () => Promise<Result>) => Promise<Result>
  logger: Logger
}

/** Sends browsers to the provider and takes them back. Both are visits of pages: their answers lead to other pages. */
export const registerPeople = (app: Hono, surroundings: PeopleSurroundings): void => {
  const { originOf, within, logger } = surroundings
  /** Leads a person whose sign-in failed back to the page that says why. */
  const failed = (
    error: unknown,
    origin: string,
    next: string,
    cookies: [string, string][],
  ): Response => {
    const refused = refusalOf(error)
    if (!(refused instanceof SignInRefused)) throw refused
    noteRefusal('request', 'UNAUTHENTICATED')
    logger.log('warn', 'a sign-in with the provider failed', {
      reason: refused.reason,
      detail: refused.message,
      requestId: currentRequest()?.id,
    })
    const query = new URLSearchParams({ problem: refused.reason, next })
    return leadTo(`${basePathOf(origin)}/sign-in?${query}`, cookies)
  }

  app.get(BEGIN, async (context) => {
    const origin = originOf(context)
    const next = ownPath(context.req.query('next'), origin)
    try {
      return await within(async () => {
        const { checks, cookies } = surroundings.flows.begin(context.req.raw.headers, origin, next)
        const address = await surroundings.provider.begin(`${origin}${CALLBACK}`, checks)
        return leadTo(address.href, cookies)
      })
    } catch (error) {
      return failed(error, origin, next, [])
    }
  })
  app.get(CALLBACK, async (context) => {
    const origin = originOf(context)
    const { raw } = context.req
    const flow = surroundings.flows.find(raw.headers, origin, context.req.query('state'))
    if (flow === undefined)
      return failed(
        new SignInRefused('lost', 'state: expected that of a sign-in which this browser began'),
        origin,
        '/',
        [],
      )
    try {
      return await within(async () => {
        const cookies = await finish(surroundings, raw, origin, flow)
        return leadTo(`${basePathOf(origin)}${flow.next}`, [...flow.cookies, ...cookies])
      })
    } catch (error) {
      return failed(error, origin, flow.next, flow.cookies)
    }
  })
  for (const path of [BEGIN, CALLBACK]) rejectOtherMethods(app, path, ['GET'])
}

/** Signs a person in by the answer of the provider. Returns the headers that keep the session. */
const finish = async (
  { options, provider, people, signIn }: PeopleSurroundings,
  { url, headers }: Request,
  origin: string,
  { checks, next }: NonNullable<ReturnType<Flows['find']>>,
): Promise<[string, string][]> => {
  const { search } = new URL(url)
  if (search.length > MAX_ADDRESS)
    throw new SignInRefused('invalid', `query: expected at most ${MAX_ADDRESS} characters`)
  const identity = await provider.finish(new URL(`${origin}${CALLBACK}${search}`), checks)
  const { id, name } = identity
  const grants = grantsOf(options.rules, identity)
  if (grants.length === 0) {
    const reason = identity.hasGroupsElsewhere ? 'groups-left-out' : 'no-role'
    await people.refuse({ id, name }, projectOf(next), reason)
    throw new SignInRefused(reason, 'no rule of --oidc-roles gives the person a role')
  }
  const { token, seconds } = await people.signIn({ id, name }, grants)
  // A session by a key came before, and would hide the person in the projects of both.
  const opened = await people.projects(token)
  const hidden = heldSessions(signIn, headers, origin).sessions.filter(({ projectId }) =>
    opened.some((project) => project.projectId === projectId),
  )
  return [
    keepPerson(origin, token, seconds),
    ...removeCookies(
      origin,
      hidden.map(({ cookie }) => cookie),
    ),
  ]
}

/** Returns the projects that the person of a request's cookie has a role in, and the headers for a session that has ended. */
export const openToPerson = async (
  identities: Identities | undefined,
  headers: Headers,
  origin: string,
): Promise<{ open: OpenProject[]; cookies: [string, string][] }> => {
  const token = personTokenIn(headers, origin)
  if (token === undefined) return { open: [], cookies: [] }
  const found = (await identities?.people.projects(token)) ?? []
  return {
    open: found.map(({ projectId, name, role, person }) => ({
      projectId,
      name,
      scopes: scopesOf(role),
      person: person.name,
    })),
    cookies: found.length === 0 ? [removePerson(origin)] : [],
  }
}

/** Ends the session of a person. Returns the address at which they leave the provider; undefined when it has none. */
export const leave = async (
  identities: Identities | undefined,
  token: string,
  origin: string,
): Promise<string | undefined> => {
  if (identities?.people.isCurrent(token) !== true) return undefined
  await identities.people.end(token)
  return identities.provider.leaveUrl(`${origin}/sign-in`)
}

const leadTo = (location: string, headers: [string, string][]): Response =>
  new Response(null, {
    status: 303,
    headers: [['location', location], ['cache-control', 'no-store'], ...headers],
  })
