import type { Hono, Context as HonoContext } from 'hono'
import type { Domain } from '../../domain/domain.js'
import type { Files } from '../../files/files.js'
import type { GraphQLExecutor } from '../../graphql/engine/execute.js'
import { exportDocument } from '../../graphql/exporting/document.js'
import { ExportPages, type RunPage } from '../../graphql/exporting/pages.js'
import type { Caller } from '../../kernel/caller.js'
import { demand } from '../../kernel/scopes.js'
import type { Turn } from '../../kernel/sharing/turns.js'
import { contextOf } from '../graphql.js'
import { rejectOtherMethods } from '../methods.js'
import { breakOff } from '../node-messages.js'
import { ROUTE_SCOPES } from '../route-scopes.js'
import { ExportsAtOnce } from './at-once.js'
import { fromAddress, readExport } from './request.js'
import { exportStream } from './stream.js'

export interface ExportSurroundings {
  services: { domain: Domain; files: Files }
  executor: GraphQLExecutor
  /** Returns the caller of a request, who may have lost the key since the last page. */
  authenticate: (context: HonoContext) => Promise<Caller>
  /** Counts a request of a key. */
  count: (caller: Caller) => void
  /** Reads the JSON object in a request's body. */
  readBody: (caller: Caller, context: HonoContext) => Promise<Record<string, unknown>>
  /** Works on one page, within one key's share of the service. */
  within: <Result>(key: string, work: (turn: Turn) => Promise<Result>) => Promise<Result>
  originOf: (context: HonoContext) => string
  report: (error: unknown) => void
}

const PATH = '/api/export/:name'

/** Answers downloads of lists: by address for browsers and curl, by a body for parameters that are long or private. */
export const registerExports = (app: Hono, surroundings: ExportSurroundings): void => {
  const atOnce = new ExportsAtOnce()
  const { authenticate, count, readBody } = surroundings
  const admit = async (context: HonoContext) => {
    const caller = await authenticate(context)
    demand(caller.scopes, ROUTE_SCOPES[PATH], '/api/export')
    count(caller)
    return caller
  }
  app.get(PATH, async (context) => {
    const caller = await admit(context)
    const { searchParams } = new URL(context.req.url)
    return send(surroundings, atOnce, context, caller, fromAddress(searchParams))
  })
  app.post(PATH, async (context) => {
    const caller = await admit(context)
    return send(surroundings, atOnce, context, caller, await readBody(caller, context))
  })
  rejectOtherMethods(app, PATH, ['GET', 'POST'])
}

const send = async (
  { services, executor, authenticate, within, originOf, report }: ExportSurroundings,
  atOnce: ExportsAtOnce,
  context: HonoContext,
  caller: Caller,
  given: Record<string, unknown>,
): Promise<Response> => {
  const request = readExport(context.req.param('name') ?? '', given)
  const document = exportDocument(executor.schema, request, new Date())
  const origin = originOf(context)
  const leave = atOnce.begin(caller.keyId)
  const ended = new AbortController()
  const end = () => {
    leave()
    ended.abort()
  }
  const run: RunPage = (query, variables) =>
    within(caller.keyId, async (turn) => {
      const current = await authenticate(context)
      demand(current.scopes, ROUTE_SCOPES[PATH], '/api/export')
      const { body } = await executor.execute(
        { query, variables, operationName: undefined, bytes: query.length },
        turn,
        contextOf(services, current, origin, turn),
      )
      await turn()
      return body
    })
  try {
    const pages = new ExportPages(document, run, {
      limit: request.limit,
      signal: ended.signal,
      confirm: () => within(caller.keyId, () => services.domain.projects.of(caller)),
    })
    const answer = await exportStream(request, document.columns, pages, {
      report,
      end,
      breakOff: () => breakOff(context.req.raw),
    })
    // Nobody reads the body of such an answer, so it would never end.
    if (context.req.method === 'HEAD') await answer.body?.cancel()
    return answer
  } catch (error) {
    end()
    throw error
  }
}
