import type { Connection } from '../../../settings.js'
import { broken, type Finding, ok } from '../check.js'
import { ask, askProject, isRefusal, isStepwell, kindOf, type Reply } from './ask.js'
import { failureOf } from './failure.js'

/** Looks for a Stepwell at the address, without a key: it refuses such a request in its own words. */
export const serviceAnswers = async (connection: Connection): Promise<Finding> => {
  const { apiUrl } = connection
  const url = `${apiUrl}/api/my-project`
  let reply: Reply
  try {
    reply = await askProject({ apiUrl, apiKey: undefined })
  } catch (error) {
    return failureOf(error, apiUrl)
  }
  if (isRefusal(reply)) return ok(`a Stepwell answers at ${apiUrl}`)
  return strangerOf(reply, apiUrl, url)
}

/** Explains an answer that a Stepwell would not give. */
const strangerOf = async (reply: Reply, apiUrl: string, url: string): Promise<Finding> => {
  const tried = `POST ${url} got ${kindOf(reply)}`
  const { status, headers } = reply
  const { origin } = new URL(apiUrl)
  if (status >= 300 && status <= 399) {
    const target = headers.get('location') ?? ''
    const to = URL.canParse(target, url) ? new URL(target, url) : undefined
    return to === undefined
      ? broken(`${tried}, a redirect`, 'set STEPWELL_API_URL to the URL that does not redirect')
      : broken(
          `${tried}, a redirect to ${to.origin}`,
          `set STEPWELL_API_URL=${to.origin}${to.pathname.replace(/\/api\/my-project\/?$/, '').replace(/\/$/, '')}`,
        )
  }
  if (status === 400 && new URL(apiUrl).protocol === 'http:' && reply.body === undefined)
    return broken(
      `${tried}: a server that speaks TLS answers plain HTTP like this`,
      `set STEPWELL_API_URL=${apiUrl.replace('http:', 'https:')}`,
    )
  if ([502, 503, 504].includes(status))
    return broken(
      `${tried}: a proxy answers, and does not reach the service behind it`,
      'start the service (stepwell serve), or correct the address that the proxy forwards to',
    )
  if (apiUrl !== origin && (await isStepwell(origin)))
    return broken(
      `${tried}: a Stepwell answers at ${origin}, and not below ${new URL(apiUrl).pathname}`,
      `set STEPWELL_API_URL=${origin}, without a path to its API`,
    )
  return broken(
    `${tried}: this is no answer of a Stepwell, but of a proxy or another program`,
    'set STEPWELL_API_URL to the address that stepwell serve prints, or have the proxy forward every path of it, POST requests and the header x-api-key included',
  )
}

const READY_MENDS: Record<string, string> = {
  database: 'run stepwell doctor --service on the machine of the service, which says why',
  migrations: 'start the service again, which brings the database up to date',
  files: 'run stepwell doctor --service on the machine of the service; steps are still recorded',
}

/**
 * Reads the state of some parts of the service. Returns nothing for those that it does not name: a proxy may not let the
 * path through, which does no harm.
 */
export const serviceReady = async (
  apiUrl: string,
  parts: readonly ('database' | 'migrations' | 'files')[],
): Promise<Finding | []> => {
  const url = `${apiUrl}/readyz`
  const reply = await ask(url, { method: 'GET' }).catch(() => undefined)
  const { status, checks } = (reply?.body ?? {}) as {
    status?: unknown
    checks?: Record<string, { state?: unknown }>
  }
  if (status === 'stopping')
    return broken('the service is stopping', 'wait for its next start, or start it: stepwell serve')
  if (checks === undefined) return []
  const states = parts.map((part) => ({ part, state: String(checks[part]?.state) }))
  const bad = states.find(({ state }) => state === 'failing' || state === 'missing')
  const said = states.map(({ part, state }) => `${part} ${state}`).join(', ')
  return bad === undefined
    ? ok(`GET ${url}: ${said}`)
    : broken(`GET ${url}: ${said}`, READY_MENDS[bad.part] ?? 'see the log of the service')
}
