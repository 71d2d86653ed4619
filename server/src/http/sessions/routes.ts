import type { Hono, Context as HonoContext } from 'hono'
import { onBehalfOf } from '../../database/task.js'
import type { SignIn } from '../../domain/access/sign-in.js'
import type { Projects } from '../../domain/projects.js'
import type { Admission } from '../admission/admission.js'
import { optionalText, readJsonObject } from '../admission/body.js'
import { answer } from '../answers.js'
import { rejectOtherMethods } from '../methods.js'
import { personTokenIn, removePerson } from '../people/person-cookie.js'
import { type Identities, leave, openToPerson } from '../people/routes.js'
import { readProject } from './authenticate.js'
import { heldSessions, keepSession, openProjects, removeAnyway, removeCookies } from './cookies.js'
import { demandSameOrigin, openSession } from './sign-in.js'

/** Limit of a body that only brings a key to sign in. */
const MAX_OF_A_KEY = 10_000
/** Takes the place of a key in requests of people who sign in. */
const STRANGERS = 'strangers'

/** Answers browsers that sign in by a key or a link, ask what they are signed in to, and sign out. */
export const registerSignIn = (
  app: Hono,
  {
    admission,
    signIn,
    identities,
    projects,
    originOf,
  }: {
    admission: Admission
    signIn: SignIn
    identities: Identities | undefined
    projects: Projects
    originOf: (context: HonoContext) => string
  },
): void => {
  app.post('/api/sign-in', async (context) => {
    const origin = originOf(context)
    const { raw } = context.req
    return admission.within(STRANGERS, raw, MAX_OF_A_KEY, readJsonObject, async ({ body }) => {
      const sessionToken = await openSession(signIn, raw.headers, origin, {
        apiKey: optionalText(body, 'apiKey'),
        token: optionalText(body, 'token'),
      })
      const { projectId, scopes } = await signIn.check(sessionToken)
      const held = heldSessions(signIn, raw.headers, origin)
      return answer(200, { projectId, scopes }, keepSession(origin, held, projectId, sessionToken))
    })
  })
  // By POST, as only with one do browsers always send the origin.
  app.post('/api/sessions', async (context) => {
    const origin = originOf(context)
    const { raw } = context.req
    demandSameOrigin(raw.headers, origin)
    return admission.within(STRANGERS, raw, MAX_OF_A_KEY, readJsonObject, async () => {
      const held = heldSessions(signIn, raw.headers, origin)
      const { open, ended } = await openProjects(signIn, projects, held)
      const person = await openToPerson(identities, raw.headers, origin)
      return answer(
        200,
        {
          sessions: [
            ...open,
            ...person.open.filter(
              ({ projectId }) => !open.some((other) => other.projectId === projectId),
            ),
          ],
          provider: identities === undefined ? null : { name: identities.options.name },
        },
        [...removeCookies(origin, ended), ...person.cookies],
      )
    })
  })
  app.post('/api/sign-out', async (context) => {
    const origin = originOf(context)
    const { headers } = context.req.raw
    demandSameOrigin(headers, origin)
    const { sessions, stale } = heldSessions(signIn, headers, origin)
    const project = readProject(headers)
    const left = sessions.filter(({ projectId }) => project === undefined || projectId === project)
    for (const { token } of left) await onBehalfOf(STRANGERS, () => signIn.end(token))
    const cookies = [...left.map(({ cookie }) => cookie), ...stale]
    // A person signs out of all projects at once, but not when a key opened the one that is named.
    const person =
      project !== undefined && left.length > 0 ? undefined : personTokenIn(headers, origin)
    const leaveUrl =
      person && (await onBehalfOf(STRANGERS, () => leave(identities, person, origin)))
    const isOut = sessions.length + stale.length === 0 && person === undefined
    return answer(200, leaveUrl === undefined ? {} : { leaveUrl }, [
      ...(isOut ? removeAnyway(origin) : removeCookies(origin, cookies)),
      ...(person === undefined ? [] : [removePerson(origin)]),
    ])
  })
  for (const path of ['/api/sign-in', '/api/sessions', '/api/sign-out'])
    rejectOtherMethods(app, path, ['POST'])
}
