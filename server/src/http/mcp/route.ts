import type { Hono, Context as HonoContext } from 'hono'
import type { Caller } from '../../kernel/caller.js'
import { DomainError, show } from '../../kernel/errors.js'
import type { Limits } from '../../kernel/limits.js'
import { demand } from '../../kernel/scopes.js'
import type { Turn } from '../../kernel/sharing/turns.js'
import { ConcurrencyLimiter } from '../admission/concurrency-limiter.js'
import { rejectOtherMethods } from '../methods.js'
import { ROUTE_SCOPES } from '../route-scopes.js'

export interface McpSurroundings {
  limits: Limits
  /** Returns the caller that a key belongs to. */
  authenticate: (headers: Headers) => Promise<Caller>
  /** Counts a request of a key. */
  count: (caller: Caller) => void
  /** Reads the JSON object in a request's body. */
  readBody: (caller: Caller, context: HonoContext) => Promise<Record<string, unknown>>
  /** Sends a request to the service itself. */
  fetch: (request: Request) => Response | Promise<Response>
  turnOf: (caller: Caller) => Turn
  originOf: (context: HonoContext) => string
  publicUrl: string | undefined
  corsOrigins: readonly string[]
  report: (error: unknown) => void
}

const PATH = '/mcp'

/**
 * Messages that are worked on at once, at most four of one key. An outline of a large trace takes memory for all of its
 * steps. The requests that it sends are admitted like those of any client, so that they never wait for each other here.
 */
const AT_ONCE = 16

/** Answers agents by the Model Context Protocol. It is a client of the service, in the same process, with the key of the agent. */
export const registerMcp = (app: Hono, surroundings: McpSurroundings): void => {
  const { limits, authenticate, count, readBody } = surroundings
  const limiter = new ConcurrencyLimiter({ ...limits, concurrentRequests: AT_ONCE })
  app.post(PATH, async (context) => {
    const { headers } = context.req.raw
    checkOrigin(headers.get('origin'), context, surroundings)
    const apiKey = keyIn(headers)
    const caller = await authenticate(new Headers({ 'x-api-key': apiKey }))
    demand(caller.scopes, ROUTE_SCOPES[PATH], PATH)
    count(caller)
    const message = await readBody(caller, context)
    const leave = await limiter.enter(caller.keyId)
    try {
      return await answer(surroundings, context, caller, apiKey, message)
    } finally {
      leave()
    }
  })
  // Clients of the revision of 2025 ask for a stream by GET, and go on without one.
  rejectOtherMethods(app, PATH, ['POST'])
}

/** Cookies play no part: a page of another site could make a browser send them. */
const keyIn = (headers: Headers): string => {
  const [, bearer] = /^Bearer +(\S+)$/i.exec(headers.get('authorization') ?? '') ?? []
  const key = headers.get('x-api-key') || bearer
  if (key) return key
  throw new DomainError(
    'UNAUTHENTICATED',
    'x-api-key: expected the API key of a project, or authorization: Bearer and the key, got none',
  )
}

/**
 * Rejects pages of strangers. A name that a stranger owns may lead to this machine, and its pages then have the origin that
 * their requests go to: only an origin that was set up, or that is this machine by its name, is trusted.
 */
const checkOrigin = (
  origin: string | null,
  context: HonoContext,
  { originOf, publicUrl, corsOrigins }: McpSurroundings,
): void => {
  if (origin === null || corsOrigins.includes(origin)) return
  const isOwn = origin === new URL(originOf(context)).origin
  if (isOwn && (publicUrl !== undefined || LOOPBACK.has(new URL(origin).hostname))) return
  throw new DomainError(
    'FORBIDDEN',
    `origin: expected that of this service or one of STEPWELL_CORS_ORIGINS, got ${show(origin)}`,
  )
}

const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])

const answer = async (
  { fetch, turnOf, originOf, report }: McpSurroundings,
  context: HonoContext,
  caller: Caller,
  apiKey: string,
  message: Record<string, unknown>,
): Promise<Response> => {
  // Read when an agent first asks: the protocol's schemas would make each start longer.
  const [{ answerMessage }, { StepwellClient }] = await Promise.all([
    import('./server.js'),
    import('stepwell'),
  ])
  const turn = turnOf(caller)
  const client = new StepwellClient({
    apiKey,
    apiUrl: originOf(context),
    disabled: true,
    fetch: async (input, init) => fetch(new Request(input, init)),
  })
  const mayWrite =
    context.req.query('write') === 'true' &&
    ['write', 'admin'].some((scope) => caller.scopes.some((one) => one === scope))
  const query = async (...given: Parameters<typeof client.query>): Promise<unknown> => {
    const data = await client.query(...given)
    // Counts the work of a verb on the data as that of its key.
    await turn()
    return data
  }
  return answerMessage(context.req.raw, message, {
    source: {
      apiUrl: client.apiUrl,
      query: query as typeof client.query,
      exportList: (...given) => client.exportList(...given),
    },
    mayWrite,
    report,
  })
}
