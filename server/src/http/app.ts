import { Hono, type Context as HonoContext } from 'hono'
import { cors } from 'hono/cors'
import { onBehalfOf, withoutTimeLimit, withTimeLimit } from '../database/time-limit.js'
import type { SignIn } from '../domain/access/sign-in.js'
import type { Domain } from '../domain/domain.js'
import type { Files } from '../files/files.js'
import { fromPath } from '../files/object-keys.js'
import type { Uploads } from '../files/uploads.js'
import type { GraphQLExecutor } from '../graphql/engine/execute.js'
import { type Caller, parseEnvironment } from '../kernel/caller.js'
import { DomainError, invalid, show } from '../kernel/errors.js'
import type { Limits } from '../kernel/limits.js'
import { demand, type Scope } from '../kernel/scopes.js'
import type { Turn, Turns } from '../kernel/sharing/turns.js'
import { currentRequest, noteRefusal } from '../kernel/watching/current-request.js'
import { isToken } from '../operator/admin-endpoint.js'
import type { Command, CommandResult } from '../operator/commands.js'
import type { Message } from '../otlp/encoding/schema.js'
import { type BodySource, optionalText, readJsonObject } from './admission/body.js'
import { ConcurrencyLimiter } from './admission/concurrency-limiter.js'
import { TooSlow } from './admission/pace.js'
import { RateLimitError, RateLimiter } from './admission/rate-limiter.js'
import { Room } from './admission/room.js'
import { answer, refusal } from './answers.js'
import { basePathOf, pathsBelow } from './base-path.js'
import { registerExports } from './exporting/route.js'
import { allowRead, receiveFile, sendFile } from './files.js'
import { handleGraphQL } from './graphql.js'
import { guide, wantsGuide } from './guide.js'
import { registerMcp } from './mcp/route.js'
import { callModel } from './models/call-model.js'
import { readCommand } from './operator.js'
import { LOGS_CALL, type OtlpCall, TRACES_CALL } from './otlp.js'
import { personTokenIn, removePerson } from './people/person-cookie.js'
import { type Identities, leave, openToPerson, registerPeople } from './people/routes.js'
import { exportDataset, myProject, signUpload } from './rest.js'
import { ROUTE_SCOPES } from './route-scopes.js'
import { createMetrics } from './service-metrics.js'
import {
  heldSessions,
  keepSession,
  openProjects,
  removeAnyway,
  removeCookies,
  sessionFor,
} from './sessions.js'
import { demandSameOrigin, openSession } from './sign-in.js'
import type { Ui } from './ui.js'
import type { Gauges } from './watching/gauges.js'
import type { Health } from './watching/health.js'
import { MetricsAccess, metricsKeyOf } from './watching/metrics-access.js'
import { type Watching, watchRequests } from './watching/watch-requests.js'

export interface AppOptions {
  domain: Domain
  files: Files
  /** Undefined if clients send files to a bucket. */
  uploads: Uploads | undefined
  executor: GraphQLExecutor
  signIn: SignIn
  /** Undefined if people don't sign in with a provider. */
  identities: Identities | undefined
  /** Undefined if the web UI is not installed. */
  ui: Ui | undefined
  limits: Limits
  turns: Turns
  /**
   * Where clients reach the service, if that differs from the address in their requests; without a slash at the end.
   */
  publicUrl: string | undefined
  report: (error: unknown) => void
  watching: Watching
  health: Health
  gauges: Gauges
  operate: (command: Command) => Promise<CommandResult>
  operatorToken: string
  /** Adds the metrics of other processes to those of this one; undefined if it serves alone. */
  completeMetrics: ((own: string) => Promise<string>) | undefined
  /** Origins whose pages may send requests. */
  corsOrigins: readonly string[]
  /** Returns true when load balancers should send requests here. */
  isReady: () => boolean
}

/** Limit of a body that only brings a key to sign in. */
const MAX_OF_A_KEY = 10_000

/** Limit of the conditions and columns of an export. */
const MAX_OF_AN_EXPORT = 1_000_000

/** Limit of a message of an agent. */
const MAX_OF_A_MESSAGE = 1_000_000

/** Takes the place of a key in requests without one: those of operators, and of people who sign in. */
const OPERATOR = 'operator'
const STRANGERS = 'strangers'
/** That of sign-ins that wait for the provider: a slow one must not keep out those by a key, nor any page. */
const WITH_PROVIDER = 'sign-ins with the provider'

type Read<Body> = (source: BodySource) => Promise<Body>
type Handle<Body> = (
  caller: Caller,
  body: Body,
  origin: string,
  turn: Turn,
) => Response | Promise<Response>

/** Returns the project that a page names, among those that its browser is signed in to. */
const readProject = (headers: Headers): string | undefined => {
  const text = headers.get('x-project')
  if (text === null || text === '') return undefined
  try {
    return decodeURIComponent(text)
  } catch {
    throw invalid(`x-project: expected the id of a project, percent-encoded, got ${show(text)}`)
  }
}

const noteKey = (keyId: string): void => {
  const request = currentRequest()
  if (request !== undefined) request.keyId = keyId
}

export const createApp = ({
  domain,
  files,
  uploads,
  executor,
  signIn,
  identities,
  ui,
  limits,
  turns,
  publicUrl,
  report,
  watching,
  health,
  gauges,
  operate,
  operatorToken,
  corsOrigins,
  completeMetrics,
  isReady,
}: AppOptions) => {
  const pathOf = pathsBelow(basePathOf(publicUrl))
  const app = new Hono({ getPath: pathOf })
  const originOf = (context: HonoContext) => publicUrl ?? new URL(context.req.url).origin

  const rate = new RateLimiter(limits.requestsPerSecond)
  const limiter = new ConcurrencyLimiter(limits)
  const room = new Room(limits)
  const metrics = createMetrics(limiter, room, rate, domain)
  gauges.register(metrics)
  const readMetrics = async () => {
    await gauges.refresh()
    return metrics.text()
  }

  if (corsOrigins.length > 0)
    app.use(
      cors({
        origin: [...corsOrigins],
        allowHeaders: [
          'content-type',
          'content-encoding',
          'x-api-key',
          'x-env',
          'x-client-name',
          'x-client-version',
          'x-request-id',
          'traceparent',
          'authorization',
          'mcp-protocol-version',
          'mcp-method',
          'mcp-name',
        ],
        exposeHeaders: ['x-request-id', 'retry-after'],
        maxAge: 600,
      }),
    )
  app.use(watchRequests(metrics, watching, pathOf))

  /** Authenticates by the request's key, or else by the cookie of somebody who is signed in. */
  const authenticate = async (
    headers: Headers,
    origin: string,
    project = readProject(headers),
  ): Promise<Caller> => {
    const environment = parseEnvironment('x-env', headers.get('x-env'))
    const key = headers.get('x-api-key')
    if (key) {
      const opened = await domain.keys.authenticate(key)
      noteKey(opened.keyId)
      if (project !== undefined && project !== opened.projectId)
        throw invalid('x-project: expected the project of the API key, got another one')
      return { ...opened, environment }
    }
    const held = heldSessions(signIn, headers, origin)
    const person = identities && personTokenIn(headers, origin)
    if (held.sessions.length + held.stale.length > 0 || person !== undefined) {
      demandSameOrigin(headers, origin)
      const session = sessionFor(held, project)
      if (session === undefined && identities !== undefined && person !== undefined) {
        const opened = await identities.people.check(person, project)
        noteKey(opened.keyId)
        return { ...opened, environment }
      }
      if (session === undefined)
        throw new DomainError(
          'UNAUTHENTICATED',
          'session: it has ended, or is of another project; sign in again',
        )
      const opened = await signIn.check(session.token)
      noteKey(opened.keyId)
      return { ...opened, environment }
    }
    throw new DomainError(
      'UNAUTHENTICATED',
      'x-api-key: expected the API key of a project, got none',
    )
  }

  /** Reads a body and works on it, within one key's share of the service. */
  const within = async <Body, Result = Response>(
    key: string,
    request: Request,
    requestBytes: number,
    read: Read<Body>,
    handle: (body: Body, turn: Turn) => Result | Promise<Result>,
  ): Promise<Result> => {
    const hold = room.open(key)
    const turn = () => turns.take(key)
    let leave: (() => void) | undefined
    // A body that is still arriving takes memory but no place: places are for requests that are worked on.
    const begin = async (bytes: number) => {
      leave = await limiter.enter(key, bytes)
      await turn()
    }
    try {
      const body = await read({ request, limits: { ...limits, requestBytes }, hold, begin, turn })
      return await onBehalfOf(key, () => handle(body, turn))
    } finally {
      leave?.()
      hold.close()
    }
  }

  /**
   * A call that needs a key, and has a body, which `read` reads. The key is checked first, so that strangers cost
   * nothing. The key must have one of the scopes in `enough`; GraphQL checks each field.
   */
  const callWith = <Body>(
    path: string,
    enough: readonly Scope[] | undefined,
    read: Read<Body>,
    handle: Handle<Body>,
  ) => {
    app.post(path, async (context) => {
      const caller = await authenticate(context.req.raw.headers, originOf(context))
      if (enough !== undefined) demand(caller.scopes, enough, path)
      rate.take(caller.keyId)
      return within(caller.keyId, context.req.raw, limits.requestBytes, read, (body, turn) =>
        handle(caller, body, originOf(context), turn),
      )
    })
    app.all(path, ({ req }) =>
      refusal(
        new DomainError('BAD_REQUEST', `method: expected POST for ${path}, got ${req.method}`),
        405,
        { allow: 'POST' },
      ),
    )
  }

  /** The same with a JSON object. */
  const call = (
    path: string,
    enough: readonly Scope[] | undefined,
    handle: Handle<Record<string, unknown>>,
  ) =>
    callWith(path, enough, readJsonObject, (caller, { body }, origin, turn) =>
      handle(caller, body, origin, turn),
    )

  callWith('/api/graphql', undefined, readJsonObject, (caller, body, origin, turn) =>
    handleGraphQL(executor, { domain, files }, caller, origin, body, turn),
  )
  call('/api/my-project', ROUTE_SCOPES['/api/my-project'], (caller) => myProject(caller))
  call('/api/export/dataset', ROUTE_SCOPES['/api/export/dataset'], (caller, body, _, turn) =>
    exportDataset(domain, caller, body, turn),
  )
  call('/api/upload/file', ROUTE_SCOPES['/api/upload/file'], (caller, body, origin) =>
    signUpload(files, caller, origin, body),
  )

  registerExports(app, {
    services: { domain, files },
    executor,
    // A link that downloads has no headers of its own.
    authenticate: (context) => {
      const { headers } = context.req.raw
      const project = context.req.query('project') ?? readProject(headers)
      return authenticate(headers, originOf(context), project)
    },
    count: ({ keyId }) => rate.take(keyId),
    readBody: ({ keyId }, { req }) =>
      within(keyId, req.raw, MAX_OF_AN_EXPORT, readJsonObject, ({ body }) => body),
    // Without the limit of the request that began the export, which may take hours.
    within: (key, work) =>
      withoutTimeLimit(() =>
        withTimeLimit(limits.databaseMs, async () => {
          const leave = await limiter.enter(key)
          try {
            const turn = () => turns.take(key)
            await turn()
            return await onBehalfOf(key, () => work(turn))
          } finally {
            leave()
          }
        }),
      ),
    originOf,
    report,
  })
  call('/api/models/call', ROUTE_SCOPES['/api/models/call'], (caller, body) =>
    callModel(domain, caller, body),
  )

  registerMcp(app, {
    limits,
    authenticate: (headers) => authenticate(headers, ''),
    count: ({ keyId }) => rate.take(keyId),
    readBody: ({ keyId }, { req }) =>
      within(keyId, req.raw, MAX_OF_A_MESSAGE, readJsonObject, ({ body }) => body),
    fetch: (request) => app.fetch(request),
    turnOf:
      ({ keyId }) =>
      () =>
        turns.take(keyId),
    originOf,
    publicUrl,
    corsOrigins,
    report,
  })

  const otlp = <Of extends Message>(path: '/v1/traces' | '/v1/logs', otlpCall: OtlpCall<Of>) =>
    callWith(path, ROUTE_SCOPES[path], otlpCall.read, (caller, received, _, turn) =>
      otlpCall.receive(domain, caller, received, turn),
    )
  otlp('/v1/traces', TRACES_CALL)
  otlp('/v1/logs', LOGS_CALL)
  app.all('/v1/metrics', () => {
    throw new DomainError(
      'NOT_FOUND',
      'path: metrics of OpenTelemetry are not stored; OTEL_METRICS_EXPORTER=none turns them off. Traces go to /v1/traces, logs to /v1/logs',
    )
  })

  app.post('/api/operator', async (context) => {
    if (!isToken(context.req.raw.headers.get('x-operator-token'), operatorToken))
      throw new DomainError('UNAUTHENTICATED', 'x-operator-token: expected that of this service')
    return within(
      OPERATOR,
      context.req.raw,
      limits.requestBytes,
      readJsonObject,
      async ({ body }) => answer(200, await operate(readCommand(body))),
    )
  })

  app.post('/api/sign-in', async (context) => {
    const origin = originOf(context)
    const { raw } = context.req
    return within(STRANGERS, raw, MAX_OF_A_KEY, readJsonObject, async ({ body }) => {
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
    return within(STRANGERS, raw, MAX_OF_A_KEY, readJsonObject, async () => {
      const held = heldSessions(signIn, raw.headers, origin)
      const { open, ended } = await openProjects(signIn, domain.projects, held)
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

  if (identities !== undefined)
    registerPeople(app, {
      ...identities,
      signIn,
      originOf,
      within: async (work) => {
        const leave = await limiter.enter(WITH_PROVIDER)
        try {
          return await onBehalfOf(WITH_PROVIDER, work)
        } finally {
          leave()
        }
      },
      logger: watching.logger,
    })

  const file = (context: HonoContext, handle: typeof receiveFile) => {
    if (uploads === undefined)
      throw new DomainError('NOT_FOUND', 'path: the files of this service are in a bucket')
    const [, , projectId = '', ...key] = pathOf(context.req.raw).split('/')
    return onBehalfOf(`files ${projectId}`, () =>
      handle(uploads, projectId, fromPath(key.join('/')), context.req.raw),
    )
  }
  app.on(['POST', 'PUT'], '/files/*', (context) => file(context, receiveFile))
  app.on(['GET', 'HEAD'], '/files/*', (context) => file(context, sendFile))
  app.options('/files/*', allowRead)

  const metricsAccess = new MetricsAccess((key) => domain.keys.authenticate(key))
  app.get('/metrics', async (context) => {
    const { headers } = context.req.raw
    const key = metricsKeyOf(headers)
    if (key === undefined)
      demand((await authenticate(headers, originOf(context))).scopes, ['metrics'], '/metrics')
    else await metricsAccess.admit(key)
    const own = await readMetrics()
    return context.text((await completeMetrics?.(own)) ?? own)
  })
  app.get('/healthz', () => answer(200, { status: 'ok' }))
  app.get('/readyz', async () => {
    if (!isReady()) return answer(503, { status: 'stopping' })
    const report = await health.check()
    return answer(report.status === 'unready' ? 503 : 200, report)
  })
  app.get('/', async (context, next) => {
    const { headers } = context.req.raw
    if (ui !== undefined && !wantsGuide(headers)) return next()
    return context.text(guide(originOf(context), ui !== undefined), 200, {
      vary: 'accept, user-agent',
    })
  })
  if (ui !== undefined) {
    app.get('/assets/*', async (context, next) => {
      const { raw } = context.req
      return (await ui.asset(pathOf(raw), raw.headers)) ?? next()
    })
    // The service answers every page of the UI with the same document; the page reads the path.
    app.get('*', async (context, next) => {
      const { raw } = context.req
      const accept = raw.headers.get('accept') ?? '*/*'
      // Other paths answer browsers only; the root answers everybody who accepts HTML, such as uptime checks.
      const isPage =
        accept.includes('text/html') || (pathOf(raw) === '/' && /(text|\*)\/\*/.test(accept))
      const isOfUi = !/^\/(api|assets)\//.test(pathOf(raw))
      return (isPage && isOfUi && (await ui.page(raw.headers))) || next()
    })
  }
  app.notFound((context) =>
    refusal(
      new DomainError(
        'NOT_FOUND',
        `path: nothing answers at ${show(pathOf(context.req.raw))}; GraphQL is at /api/graphql, OpenTelemetry at /v1/traces and /v1/logs, agents at /mcp, the web UI at /`,
      ),
    ),
  )
  app.onError((error) => {
    if (error instanceof DomainError) {
      noteRefusal('request', error.code)
      if (error.code === 'UNAVAILABLE') watching.failed(error)
    }
    if (error instanceof RateLimitError)
      return refusal(error, undefined, { 'retry-after': String(error.retryAfterSeconds) })
    if (error instanceof TooSlow) return refusal(error, 408, { connection: 'close' })
    if (error instanceof DomainError)
      return refusal(error, undefined, error.code === 'UNAVAILABLE' ? { 'retry-after': '1' } : {})
    noteRefusal('request', 'INTERNAL')
    report(error)
    return refusal(new DomainError('INTERNAL', 'the service failed; its log has the details'))
  })
  return { app, readMetrics }
}
