import { createHash } from 'node:crypto'
import { parse, serialize } from 'hono/utils/cookie'
import { SIGN_IN_SECONDS, type SignIn } from '../../domain/access/sign-in.js'
import type { Projects } from '../../domain/projects.js'
import { type Caller, parseEnvironment } from '../../kernel/caller.js'
import { DomainError } from '../../kernel/errors.js'
import { onlyRecords, type Scope } from '../../kernel/scopes.js'
import { basePathOf } from '../base-path.js'

/** Projects that one browser is signed in to at once: their cookies go with every request. */
const MAX_SESSIONS = 12

/**
 * Returns the name of a service's cookies. Ports of one host share cookies, and paths get those of the paths above, so the
 * names of two services on one machine differ.
 */
export const cookieNameFor = (origin: string): string => {
  const { port } = new URL(origin)
  const base = basePathOf(origin)
  const path = base === '' ? '' : `_${createHash('sha256').update(base).digest('hex').slice(0, 8)}`
  return `stepwell${port === '' ? '' : `_${port}`}${path}`
}

/** Each project has a cookie of its own, so that two tabs that sign in at once don't overwrite each other's. */
const cookieOf = (origin: string, projectId: string): string =>
  `${cookieNameFor(origin)}.${createHash('sha256').update(projectId).digest('base64url').slice(0, 16)}`

/** A session that a request's cookies hold. */
export interface HeldSession {
  cookie: string
  token: string
  projectId: string
  /** Seconds since 1970. */
  expires: number
}

export interface HeldSessions {
  /** Valid ones, the newest first; at most one for each project. */
  sessions: HeldSession[]
  /** Names of cookies of this service that open nothing. */
  stale: string[]
}

/** Reads the sessions in a request's cookies. Cookies without a project in their name are of earlier releases. */
export const heldSessions = (signIn: SignIn, headers: Headers, origin: string): HeldSessions => {
  const name = cookieNameFor(origin)
  const held: HeldSession[] = []
  const stale: string[] = []
  for (const [cookie, token] of Object.entries(parse(headers.get('cookie') ?? ''))) {
    if (cookie !== name && !cookie.startsWith(`${name}.`)) continue
    const session = signIn.read(token)
    if (session === undefined) stale.push(cookie)
    else held.push({ cookie, token, ...session })
  }
  held.sort((a, b) => b.expires - a.expires)
  const sessions = held.filter(
    ({ projectId }, index) => held.findIndex((one) => one.projectId === projectId) === index,
  )
  return {
    sessions,
    stale: [...stale, ...held.filter((one) => !sessions.includes(one)).map(({ cookie }) => cookie)],
  }
}

/**
 * Returns the session of a project; without a project, the newest one. A request that names a project never gets the
 * session of another.
 */
export const sessionFor = (
  { sessions }: HeldSessions,
  projectId: string | undefined,
): HeldSession | undefined =>
  projectId === undefined
    ? sessions[0]
    : sessions.find((session) => session.projectId === projectId)

export const cookieAttributes = (origin: string) => ({
  path: basePathOf(origin) || '/',
  httpOnly: true,
  // With Strict, a visitor who follows a link from another site would arrive signed out.
  sameSite: 'Lax' as const,
  secure: new URL(origin).protocol === 'https:',
})

/** Returns the headers that keep a new session, and drop the oldest ones beyond the limit. */
export const keepSession = (
  origin: string,
  { sessions, stale }: HeldSessions,
  projectId: string,
  token: string,
): [string, string][] => {
  const cookie = cookieOf(origin, projectId)
  const same = sessions.filter((session) => session.projectId === projectId)
  const others = sessions.filter((session) => session.projectId !== projectId)
  const dropped = [...same, ...others.slice(MAX_SESSIONS - 1)].map((session) => session.cookie)
  return [
    [
      'set-cookie',
      serialize(cookie, token, { ...cookieAttributes(origin), maxAge: SIGN_IN_SECONDS }),
    ],
    ...removeCookies(
      origin,
      [...dropped, ...stale].filter((one) => one !== cookie),
    ),
  ]
}

export const removeCookies = (origin: string, cookies: readonly string[]): [string, string][] =>
  cookies.map((cookie) => [
    'set-cookie',
    serialize(cookie, '', { ...cookieAttributes(origin), maxAge: 0 }),
  ])

/** The headers that sign out a browser whose cookies hold nothing. */
export const removeAnyway = (origin: string): [string, string][] =>
  removeCookies(origin, [cookieNameFor(origin)])

/** A project that a browser is signed in to. */
export interface OpenProject {
  projectId: string
  /** Null if the key may only record: it learns nothing that is stored. */
  name: string | null
  scopes: readonly Scope[]
  /** The name of the person, for one who signed in with the provider. */
  person?: string
}

/** Returns the projects of sessions whose keys are still valid, and the cookies of the others. */
export const openProjects = async (
  signIn: SignIn,
  projects: Projects,
  { sessions, stale }: HeldSessions,
): Promise<{ open: OpenProject[]; ended: string[] }> => {
  const open: OpenProject[] = []
  const ended = [...stale]
  for (const { token, cookie } of sessions)
    try {
      const { projectId, keyId, keyName, scopes } = await signIn.check(token)
      const caller: Caller = {
        projectId,
        keyId,
        keyName,
        scopes,
        environment: parseEnvironment('x-env', null),
      }
      const name = onlyRecords(scopes) ? null : (await projects.of(caller)).name
      open.push({ projectId, name, scopes })
    } catch (error) {
      const isOver =
        error instanceof DomainError && ['UNAUTHENTICATED', 'NOT_FOUND'].includes(error.code)
      if (!isOver) throw error
      ended.push(cookie)
    }
  return { open, ended }
}
