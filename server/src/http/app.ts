import { randomUUID } from 'node:crypto'
import { Hono, type Context as HonoContext } from 'hono'
import { type Caller, parseEnvironment } from '../domain/caller.js'
import type { Domain } from '../domain/domain.js'
import { DomainError } from '../domain/errors.js'
import type { Limits } from '../domain/limits.js'
import { demand, SCOPES, type Scope } from '../domain/scopes.js'
import { isObject } from '../domain/values.js'
import type { Files } from '../files/files.js'
import { fromPath } from '../files/object-keys.js'
import type { GraphQLExecutor } from '../graphql/execute.js'
import type { Command, Outcome } from '../operator/commands.js'
import { isToken } from '../operator/door.js'
import { answer, refusal } from './answers.js'
import { readJsonObject } from './body.js'
import { receiveFile, sendFile } from './files.js'
import { handleGraphQL } from './graphql.js'
import { exportDataset, myProject, signUpload } from './rest.js'

export interface AppOptions {
  domain: Domain
  files: Files
  executor: GraphQLExecutor
  limits: Limits
  /** Where clients reach the service, when it is not what their requests say; without a slash at the end. */
  publicUrl: string | undefined
  report: (error: unknown) => void
  operate: (command: Command) => Promise<Outcome>
  operatorToken: string
}

type Handle = (
  caller: Caller,
  body: Record<string, unknown>,
  origin: string,
) => Response | Promise<Response>

/** Released clients put `/api/…` after a base URL that may end with a slash. */
const pathOf = (request: Request) => new URL(request.url).pathname.replace(/\/{2,}/g, '/')

export const createApp = ({
  domain,
  files,
  executor,
  limits,
  publicUrl,
  report,
  operate,
  operatorToken,
}: AppOptions) => {
  const app = new Hono({ getPath: pathOf })
  const originOf = (context: HonoContext) => publicUrl ?? new URL(context.req.url).origin

  app.use(async (context, next) => {
    await next()
    context.res.headers.set('x-request-id', randomUUID())
  })

  /**
   * A call that needs a key and has a JSON body. The key is looked at first, so that strangers cost nothing. `enough` are
   * the scopes of which it must have one; GraphQL looks at them for each field.
   */
  const call = (path: string, enough: readonly Scope[] | undefined, handle: Handle) => {
    app.post(path, async (context) => {
      const caller = await authenticate(domain, context.req.raw.headers)
      if (enough !== undefined) demand(caller.scopes, enough, path)
      const body = await readJsonObject(context.req.raw, limits.requestBytes)
      return handle(caller, body, originOf(context))
    })
    app.all(path, () =>
      refusal(new DomainError('BAD_REQUEST', 'method: expected POST'), 405, { allow: 'POST' }),
    )
  }

  call('/api/graphql', undefined, (caller, body, origin) =>
    handleGraphQL(executor, { domain, files }, caller, origin, body),
  )
  call('/api/my-project', SCOPES, (caller) => myProject(caller))
  call('/api/export/dataset', ['read'], (caller, body) => exportDataset(domain, caller, body))
  call('/api/upload/file', ['ingest', 'write'], (caller, body, origin) =>
    signUpload(files, caller, origin, body),
  )

  app.post('/api/operator', async (context) => {
    if (!isToken(context.req.raw.headers.get('x-operator-token'), operatorToken))
      throw new DomainError('UNAUTHENTICATED', 'x-operator-token: expected that of this service')
    return answer(
      200,
      await operate(readCommand(await readJsonObject(context.req.raw, limits.requestBytes))),
    )
  })

  const file = (context: HonoContext, handle: typeof receiveFile) => {
    const [, , projectId = '', ...key] = pathOf(context.req.raw).split('/')
    return handle(files, projectId, fromPath(key.join('/')), context.req.raw)
  }
  app.on(['POST', 'PUT'], '/files/*', (context) => file(context, receiveFile))
  app.on(['GET', 'HEAD'], '/files/*', (context) => file(context, sendFile))

  app.get('/healthz', () => answer(200, { status: 'ok' }))
  app.notFound(() => refusal(new DomainError('NOT_FOUND', 'path: nothing answers here')))
  app.onError((error) => {
    if (error instanceof DomainError) return refusal(error)
    report(error)
    return refusal(new DomainError('INTERNAL', 'the service failed; its log has the details'))
  })
  return app
}

const readCommand = ({ noun, verb, subject, options }: Record<string, unknown>): Command => {
  const text = (value: unknown) => (typeof value === 'string' ? value : undefined)
  const given = isObject(options) ? options : {}
  return {
    noun: text(noun) ?? '',
    verb: text(verb) ?? '',
    subject: text(subject),
    options: Object.fromEntries(
      Object.entries(given).filter(([, value]) => typeof value === 'string'),
    ),
  }
}

const authenticate = async (domain: Domain, headers: Headers): Promise<Caller> => {
  const key = headers.get('x-api-key')
  if (key === null || key === '')
    throw new DomainError(
      'UNAUTHENTICATED',
      'x-api-key: expected the API key of a project, got none',
    )
  const { projectId, scopes } = await domain.keys.authenticate(key)
  return { projectId, scopes, environment: parseEnvironment('x-env', headers.get('x-env')) }
}
