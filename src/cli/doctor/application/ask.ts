import type { Connection } from '../../../settings.js'
import { VERSION } from '../../../version.js'

export const ASK_MS = 8000
const MAX_MESSAGE = 300

/** An answer of whatever is at the address of the service. */
export interface Reply {
  status: number
  headers: Headers
  /** The body as JSON; undefined when it is none. It is never shown: a proxy may put anything there. */
  body: unknown
  /** Time by the clock here, half-way between the request and the answer. */
  askedAtMs: number
}

/** Sends a request as the SDK would, with a time limit. Redirects are not followed, as they would carry the key elsewhere. */
export const ask = async (
  url: string,
  { method = 'POST', headers = {}, body = method === 'POST' ? '{}' : undefined }: AskOptions = {},
): Promise<Reply> => {
  const from = Date.now()
  const response = await fetch(url, {
    method,
    redirect: 'manual',
    signal: AbortSignal.timeout(ASK_MS),
    headers: {
      'content-type': 'application/json',
      accept: 'application/json',
      'x-client-name': 'stepwell-doctor',
      'x-client-version': VERSION,
      ...headers,
    },
    ...(body === undefined ? {} : { body }),
  })
  const askedAtMs = (from + Date.now()) / 2
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: parsed(text), askedAtMs }
}

interface AskOptions {
  method?: 'GET' | 'POST'
  headers?: Record<string, string>
  body?: string | undefined
}

/** Asks for the project of a key: the call that every key may make. */
export const askProject = ({ apiUrl, apiKey }: Pick<Connection, 'apiUrl' | 'apiKey'>) =>
  ask(`${apiUrl}/api/my-project`, {
    headers: apiKey === undefined ? {} : { 'x-api-key': apiKey },
  })

/** Returns true when a Stepwell refuses a request without a key, in its own words. */
export const isRefusal = (reply: Reply): boolean =>
  reply.status === 401 && codeOf(reply) === 'UNAUTHENTICATED'

/** Returns true when a Stepwell answers at an address. */
export const isStepwell = async (apiUrl: string): Promise<boolean> => {
  try {
    return isRefusal(await askProject({ apiUrl, apiKey: undefined }))
  } catch {
    return false
  }
}

/** Returns the code of an error that the service names; undefined for answers of others. */
export const codeOf = ({ body }: Reply): string | undefined => {
  const [first] = (body as { errors?: { extensions?: { code?: unknown } }[] } | null)?.errors ?? []
  const code = first?.extensions?.code
  return typeof code === 'string' ? code : undefined
}

/** Returns the first error's message in an answer of the service. It names fields, and repeats no payload. */
export const messageOf = ({ body }: Reply): string => {
  const [first] = (body as { errors?: { message?: unknown }[] } | null)?.errors ?? []
  return typeof first?.message === 'string' ? first.message.slice(0, MAX_MESSAGE) : ''
}

/** Returns what an answer is, without its content. */
export const kindOf = ({ status, headers }: Reply): string => {
  const [type = ''] = (headers.get('content-type') ?? '').split(';')
  const server = headers.get('server')
  return `status ${status}${type === '' ? '' : `, ${type}`}${server === null ? '' : `, from ${server.slice(0, 40)}`}`
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
