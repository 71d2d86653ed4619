/** A message of JSON-RPC, as far as a relay looks at it. */
interface Message {
  id?: string | number
  method?: string
  params?: {
    name?: unknown
    uri?: unknown
    requestId?: string | number
    _meta?: Record<string, unknown>
  }
}

interface RelayOptions {
  url: string
  apiKey: string
  fetch: (url: string, init: RequestInit) => Promise<Response>
  /** Receives each message for the client, in a line. */
  write: (line: string) => void
}

const REVISION = 'io.modelcontextprotocol/protocolVersion'
const PARSE_ERROR = -32700
const INVALID_REQUEST = -32600
const FAILED = -32000

/**
 * Returns a function that sends a line of the protocol to the service, and writes what it answers. The service keeps nothing
 * from one message to the next, so neither does this: the revision of each is in the message itself, or was agreed upon first.
 */
export const relay = ({ url, apiKey, fetch, write }: RelayOptions) => {
  const running = new Map<string | number, AbortController>()
  /** The revision that a handshake of 2025 agreed upon; later ones have none. */
  let agreed: string | undefined

  const fail = (id: string | number | undefined, code: number, message: string) => {
    // Notifications have no answer.
    if (id !== undefined) write(JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } }))
  }

  const send = async (message: Message, line: string, signal: AbortSignal): Promise<void> => {
    const response = await fetch(url, {
      method: 'POST',
      headers: headersOf(message, apiKey, agreed),
      body: line,
      signal,
      // Following a redirect would send the API key to another host.
      redirect: 'manual',
    })
    const text = await response.text()
    let isAnswered = false
    for (const answer of messagesIn(text, response.headers.get('content-type') ?? '')) {
      const { jsonrpc, result, error, errors } = answer as {
        jsonrpc?: string
        result?: { protocolVersion?: string }
        error?: unknown
        errors?: { message?: string }[]
      }
      if (message.method === 'initialize') agreed = result?.protocolVersion
      if (jsonrpc === undefined) {
        // A page of a proxy, or an error of the service's HTTP.
        fail(message.id, FAILED, errors?.[0]?.message ?? `the service answered ${response.status}`)
        return
      }
      write(JSON.stringify(answer))
      isAnswered ||= (result ?? error) !== undefined
    }
    // A client waits for ever otherwise.
    if (!isAnswered)
      fail(message.id, FAILED, `the service answered ${response.status}, and no more`)
  }

  return async (line: string): Promise<void> => {
    if (line.trim() === '') return
    const reject = (code: number, message: string) =>
      write(JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message } }))
    let message: Message | null
    try {
      message = JSON.parse(line) as Message | null
    } catch {
      reject(PARSE_ERROR, 'expected a message of JSON in a line')
      return
    }
    if (typeof message !== 'object' || message === null || Array.isArray(message)) {
      reject(INVALID_REQUEST, 'expected an object in a line: one message')
      return
    }
    const { id, method, params } = message
    if (method === 'notifications/cancelled') {
      running.get(params?.requestId ?? '')?.abort()
      return
    }
    const ended = new AbortController()
    if (id !== undefined) running.set(id, ended)
    try {
      await send(message, line, ended.signal)
    } catch (error) {
      // A cancelled request has no answer.
      if (!ended.signal.aborted)
        fail(id, FAILED, `the service cannot be reached: ${reasonOf(error)}`)
    } finally {
      if (id !== undefined) running.delete(id)
    }
  }
}

/** The headers that the protocol wants beside a message, by which proxies route it. */
const headersOf = (
  { method, params }: Message,
  apiKey: string,
  agreed: string | undefined,
): Record<string, string> => {
  const told = params?._meta?.[REVISION]
  const isModern = typeof told === 'string'
  const revision = isModern ? told : agreed
  const name = params?.name ?? params?.uri
  return {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'x-api-key': apiKey,
    ...(revision === undefined ? {} : { 'mcp-protocol-version': revision }),
    ...(isModern && method !== undefined ? { 'mcp-method': method } : {}),
    ...(isModern && typeof name === 'string' ? { 'mcp-name': encoded(name) } : {}),
  }
}

/** Headers take no text beyond ASCII: the protocol has a form for it. */
const encoded = (text: string): string =>
  /^[!-~]+( +[!-~]+)*$/.test(text) && !text.startsWith('=?base64?')
    ? text
    : `=?base64?${Buffer.from(text).toString('base64')}?=`

/** Returns the messages in an answer: one of JSON, or the events of a stream that has ended. */
const messagesIn = (text: string, type: string): unknown[] => {
  if (text === '') return []
  const parts = type.startsWith('text/event-stream')
    ? text.split(/\r?\n\r?\n/).map((event) =>
        event
          .split(/\r?\n/)
          .flatMap((line) => (line.startsWith('data:') ? [line.slice(5).trimStart()] : []))
          .join('\n'),
      )
    : [text]
  return parts.filter((part) => part !== '').map(parsed)
}

/** A proxy may answer with a page. */
const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text) ?? {}
  } catch {
    return {}
  }
}

const reasonOf = (error: unknown): string => {
  const { message, cause } = error as { message?: string; cause?: { message?: string } }
  return cause?.message ?? message ?? 'no answer'
}
