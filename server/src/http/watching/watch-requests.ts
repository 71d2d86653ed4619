import type { MiddlewareHandler } from 'hono'
import type { AccessLog } from '../../kernel/watching/access-log.js'
import {
  CurrentRequest,
  requestIdOf,
  withinRequest,
} from '../../kernel/watching/current-request.js'
import type { Logger } from '../../kernel/watching/logger.js'
import type { Metrics } from '../metrics.js'
import { routeOf } from './routes.js'

export interface Watching {
  logger: Logger
  access: AccessLog
  /** Receives requests that failed though nothing is wrong with them. */
  failed: (error: unknown) => void
}

/** Returns a middleware that gives each request its id, counts its answer and logs it. */
export const watchRequests =
  (
    metrics: Metrics,
    { logger, access }: Watching,
    pathOf: (request: Request) => string,
  ): MiddlewareHandler =>
  (context, next) => {
    const begin = performance.now()
    const { raw } = context.req
    const request = new CurrentRequest(requestIdOf(raw.headers))
    return withinRequest(request, async () => {
      await next()
      const { headers, status } = context.res
      headers.set('x-request-id', request.id)
      headers.set('x-content-type-options', 'nosniff')
      headers.set('referrer-policy', 'no-referrer')
      if (!headers.has('content-security-policy'))
        headers.set('content-security-policy', "default-src 'none'; frame-ancestors 'none'")
      const route = routeOf(pathOf(raw))
      const ms = performance.now() - begin
      metrics.count(route, status, ms / 1000)
      const { refusals } = request
      for (const { part, code, count } of refusals) metrics.countRefusals(part, code, count)
      if (access === 'off' || (access === 'failures' && status < 400 && refusals.length === 0))
        return
      // Paths have names of files, and their queries signatures: the route has neither.
      logger.log(status >= 500 ? 'warn' : 'info', 'request', {
        method: raw.method,
        route,
        status,
        ms: Math.round(ms),
        key: request.keyId,
        refused: shownRefusals(request),
        requestId: request.id,
      })
    })
  }

const shownRefusals = ({ refusals }: CurrentRequest): string | undefined =>
  refusals.length === 0
    ? undefined
    : refusals.map(({ part, code, count }) => `${count} ${part} ${code}`).join(', ')
