import { Hono, type Context as HonoContext } from 'hono'
import { cors } from 'hono/cors'
import { onBehalfOf } from '../database/task.js'
import type { SignIn } from '../domain/access/sign-in.js'
import type { Domain } from '../domain/domain.js'
import type { Files } from '../files/files.js'
import { fromPath } from '../files/object-keys.js'
import type { Uploads } from '../files/uploads.js'
import type { GraphQLExecutor } from '../graphql/engine/execute.js'
import { SignInRefused } from '../identity/refusal.js'
import type { Caller } from '../kernel/caller.js'
import { DomainError, show } from '../kernel/errors.js'
import type { Limits } from '../kernel/limits.js'
import { demand, type Scope } from '../kernel/scopes.js'
import type { Turn, Turns } from '../kernel/sharing/turns.js'
import { noteRefusal } from '../kernel/watching/current-request.js'
import { isToken } from '../operator/admin-endpoint.js'
import type { Command, CommandResult } from '../operator/commands.js'
import type { Message } from '../otlp/encoding/schema.js'
import { Admission, type Read } from './admission/admission.js'
import { readJsonObject } from './admission/body.js'
import { TooSlow } from './admission/pace.js'
import { RateLimitError } from './admission/rate-limiter.js'
import { answer, refusal } from './answers.js'
import { basePathOf, pathsBelow } from './base-path.js'
import { registerExports } from './exporting/route.js'
import { allowRead, receiveFile, sendFile } from './files.js'
import { handleGraphQL } from './graphql.js'
import { guide, wantsGuide } from './guide.js'
import { registerMcp } from './mcp/route.js'
import { rejectOtherMethods } from './methods.js'
import { callModel } from './models/call-model.js'
import { isAwaited, onceSent } from './node-messages.js'
import { answerCommand, readCommand } from './operator.js'
import { LOGS_CALL, type OtlpCall, TRACES_CALL } from './otlp.js'
import { type Identities, registerPeople } from './people/routes.js'
import { exportDataset, myProject, signUpload } from './rest.js'
import { ROUTE_SCOPES } from './route-scopes.js'
import { createMetrics } from './service-metrics.js'
import { createAuthenticate, readProject } from './sessions/authenticate.js'
import { registerSignIn } from './sessions/routes.js'
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
  operate: (command: Command, isAwaited?: () => boolean) => Promise<CommandResult>
  operatorToken: string
  /** Adds the metrics of other processes to those of this one; undefined if it serves alone. */
  completeMetrics: ((own: string) => Promise<string>) | undefined
  /** Origins whose pages may send requests. */
  corsOrigins: readonly string[]
  /** Returns true when load balancers should send requests here. */
  isReady: () => boolean
}

/** Limit of the conditions and columns of an export. */
const MAX_OF_AN_EXPORT = 1_000_000

/** Limit of a message of an agent. */
const MAX_OF_A_MESSAGE = 1_000_000

/** Takes the place of a key in requests of operators. */
const OPERATOR = 'operator'
/** That of sign-ins that wait for the provider: a slow one must not keep out those by a key, nor any page. */
const WITH_PROVIDER = 'sign-ins with the provider'

type Handle<Body> = (
  caller: Caller,
  body: Body,
  origin: string,
  turn: Turn,
  isAwaited: () => boolean,
) => Response | Promise<Response>

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

  const admission = new Admission(limits, turns)
  const { rate, limiter } = admission
  const metrics = createMetrics(admission, domain)
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

  const authenticate = createAuthenticate(domain, signIn, identities)

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
      const { raw } = context.req
      const admit = async () => {
        const caller = await authenticate(raw.headers, originOf(context))
        if (enough !== undefined) demand(caller.scopes, enough, path)
        return caller
      }
      const { keyId } = await admit()
      rate.take(keyId)
      return admission.within(
        keyId,
        raw,
        limits.requestBytes,
        read,
        // Checked again, as a body may arrive for minutes, and the key be revoked meanwhile.
        async (body, turn) =>
          handle(await admit(), body, originOf(context), turn, () => isAwaited(raw)),
        (done) => onceSent(raw, done),
      )
    })
    rejectOtherMethods(app, path, ['POST'])
  }

  /** The same with a JSON object. */
  const call = (
    path: string,
    enough: readonly Scope[] | undefined,
    handle: Handle<Record<string, unknown>>,
  ) =>
    callWith(path, enough, readJsonObject, (caller, { body }, origin, turn, isAwaited) =>
      handle(caller, body, origin, turn, isAwaited),
    )

  callWith('/api/graphql', undefined, readJsonObject, (caller, body, origin, turn, isAwaited) =>
    handleGraphQL(executor, { domain, files }, caller, origin, body, turn, isAwaited),
  )
  call('/api/my-project', ROUTE_SCOPES['/api/my-project'], (caller) => myProject(caller))
  call('/api/export/dataset', ROUTE_SCOPES['/api/export/dataset'], (caller, body, _, turn) =>
    exportDataset(domain, caller, body, turn),
  )
  call('/api/upload/file', ROUTE_SCOPES['/api/upload/file'], (caller, body, origin) =>
    signUpload({ domain, files }, caller, origin, body),
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
      admission.within(keyId, req.raw, MAX_OF_AN_EXPORT, readJsonObject, ({ body }) => body),
    within: (key, work) => admission.apart(key, work),
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
      admission.within(keyId, req.raw, MAX_OF_A_MESSAGE, readJsonObject, ({ body }) => body),
    fetch: (request) => app.fetch(request),
    turnOf: ({ keyId }) => admission.turnOf(keyId),
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

  const refuse = (error: unknown): Response => {
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
  }

  app.post('/api/operator', async (context) => {
    if (!isToken(context.req.raw.headers.get('x-operator-token'), operatorToken))
      throw new DomainError('UNAUTHENTICATED', 'x-operator-token: expected that of this service')
    return admission.within(
      OPERATOR,
      context.req.raw,
      limits.requestBytes,
      readJsonObject,
      ({ body }) =>
        answerCommand(
          operate(readCommand(body), () => isAwaited(context.req.raw)),
          refuse,
        ),
    )
  })
  rejectOtherMethods(app, '/api/operator', ['POST'])

  registerSignIn(app, { admission, signIn, identities, projects: domain.projects, originOf })
  if (identities !== undefined)
    registerPeople(app, {
      ...identities,
      signIn,
      originOf,
      within: async (work) => {
        const leave = await limiter.enter(WITH_PROVIDER).catch(() => {
          throw new SignInRefused('away', 'too many people wait for the answer of the provider')
        })
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
  rejectOtherMethods(app, '/files/*', ['GET', 'POST', 'PUT'])

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
  for (const path of ['/metrics', '/healthz', '/readyz']) rejectOtherMethods(app, path, ['GET'])
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
  app.onError(refuse)
  return { app, readMetrics }
}
