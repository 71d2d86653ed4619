import { bodyOf, UNREAD, urlOf } from '../../model-calls/body/request-body.js'

/** The place of the model in the address of Gemini, and of deployments of Azure. */
const IN_ADDRESS = /(\/models\/|\/deployments\/)([^/:?]+)/

/** Returns a request that asks another model; as it was given, without one. Undefined for a request that names none. */
export const withModel = async (
  input: unknown,
  init: RequestInit | undefined,
  model: string | undefined,
): Promise<[input: unknown, init: RequestInit | undefined] | undefined> => {
  if (model === undefined) return [input, init]
  const url = urlOf(input)
  const body = await bodyOf({ input, init: init as never })
  const isInBody = body !== undefined && body !== UNREAD && typeof body.json.model === 'string'
  if (!isInBody && !IN_ADDRESS.test(url)) return undefined
  const to = url.replace(IN_ADDRESS, (_, place: string) => `${place}${encodeURIComponent(model)}`)
  const content = isInBody ? JSON.stringify({ ...body.json, model }) : undefined
  // Of another length now: the platform counts it.
  const withoutLength = (headers: Headers): Headers => {
    headers.delete('content-length')
    return headers
  }
  if (input instanceof Request) {
    // The options of the call are those of the request, before its body is replaced.
    const whole = new Request(input, init)
    const made = new Request(to, new Request(whole, content === undefined ? {} : { body: content }))
    withoutLength(made.headers)
    return [made, undefined]
  }
  const headers = withoutLength(new Headers(init?.headers ?? {}))
  return [to, { ...init, headers, ...(content === undefined ? {} : { body: content }) }]
}
