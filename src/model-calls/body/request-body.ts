import { isJson, type Json, parsed } from '../json.js'

/** The input and the options of a call of `fetch`, in all their forms. */
export interface FetchInput {
  input: unknown
  init: { method?: unknown; body?: unknown; headers?: unknown } | undefined
}

/** A body as far as it can be read without changing the request. */
export interface RequestBody {
  /** The text, by which a repetition is told. */
  text: string
  json: Json
}

/** Returns the method of a call; `GET` when none is named. */
export const methodOf = ({ input, init }: FetchInput): string => {
  const method = init?.method ?? (isRequest(input) ? input.method : 'GET')
  return typeof method === 'string' ? method.toUpperCase() : 'GET'
}

/** Returns the address of a call. */
export const urlOf = (input: unknown): string => {
  if (typeof input === 'string') return input
  return isRequest(input) ? input.url : String(input)
}

/** A body that can't be read without using it up. */
export const UNREAD = 'unread'
type Read = RequestBody | typeof UNREAD | undefined

/**
 * Returns the body of a request; undefined when it is none of JSON. A `Request` holds its body itself: a copy of it is
 * read.
 */
export const bodyOf = ({ input, init }: FetchInput): Read | Promise<Read> => {
  const body = init?.body
  if (typeof body === 'string') return ofText(body)
  if (body instanceof Uint8Array) return ofText(new TextDecoder().decode(body))
  if (body instanceof ArrayBuffer) return ofText(new TextDecoder().decode(new Uint8Array(body)))
  if (typeof Blob === 'function' && body instanceof Blob) return read(() => body.text())
  if (typeof body === 'object' && body !== null) return isForm(body) ? undefined : UNREAD
  if (!isRequest(input)) return undefined
  return isOfJson(input) ? read(() => input.clone().text()) : UNREAD
}

const read = async (text: () => Promise<string>): Promise<Read> => {
  try {
    return ofText(await text())
  } catch {
    return UNREAD
  }
}

/** Forms are no requests to models. */
const isForm = (body: object): boolean =>
  (typeof FormData === 'function' && body instanceof FormData) || body instanceof URLSearchParams

const ofText = (text: string): RequestBody | undefined => {
  // Spares other texts their parsing.
  if (!/^\s*\{/.test(text.slice(0, 100))) return undefined
  const json = parsed(text)
  return isJson(json) ? { text, json } : undefined
}

const isRequest = (value: unknown): value is Request =>
  typeof Request === 'function' && value instanceof Request

/** Bodies of JSON are texts from the start; of other ones a copy might hold a stream in memory. */
const isOfJson = (request: Request): boolean =>
  !request.bodyUsed && (request.headers.get('content-type') ?? '').includes('json')

/** Returns a header of a call, in whichever form headers were given. */
export const headerOf = ({ input, init }: FetchInput, name: string): string | undefined => {
  const headers = init?.headers ?? (isRequest(input) ? input.headers : undefined)
  if (typeof headers !== 'object' || headers === null) return undefined
  if (typeof (headers as Headers).get === 'function')
    return (headers as Headers).get(name) ?? undefined
  const entries: unknown[] = Array.isArray(headers) ? headers : Object.entries(headers)
  for (const entry of entries)
    if (Array.isArray(entry) && String(entry[0]).toLowerCase() === name) return String(entry[1])
  return undefined
}
