import { StepwellError, type StepwellErrorCode } from '../../errors.js'
import { readAnswer } from './lenient-json.js'

/** A product that is read by HTTP. */
export interface WebSource {
  /** Gets JSON. Undefined members of the query are left out. */
  get: (path: string, query?: Query) => Promise<unknown>
  post: (path: string, body: unknown) => Promise<unknown>
}

type Query = Readonly<Record<string, string | number | readonly string[] | undefined>>

interface WebSourceOptions {
  url: string
  headers: Record<string, string>
  /** The variables of the environment that have its keys. */
  keys: string
  fetch: (url: string, init?: RequestInit) => Promise<Response>
}

/** An answer that is no success. */
export class SourceError extends StepwellError {
  constructor(message: string, status: number) {
    super(message, { code: codeOf(status), status })
  }
}

const codeOf = (status: number): StepwellErrorCode =>
  status === 401
    ? 'UNAUTHENTICATED'
    : status === 403
      ? 'FORBIDDEN'
      : status === 404
        ? 'NOT_FOUND'
        : 'NETWORK'

/** Reads a product by HTTP. Errors name the host and the variables of its keys, never what was sent or answered. */
export const webSource = ({ url, headers, keys, fetch }: WebSourceOptions): WebSource => {
  const base = url.replace(/\/+$/, '')
  const { origin } = new URL(url)
  const ask = async (path: string, init: RequestInit): Promise<unknown> => {
    const answer = await fetch(`${base}${path}`, {
      ...init,
      headers: { accept: 'application/json', ...headers, ...init.headers },
    })
    const [where] = path.split('?', 1)
    if (answer.status === 401 || answer.status === 403)
      throw new SourceError(`${origin} refuses the key for ${where}: check ${keys}`, answer.status)
    if (answer.status >= 300 && answer.status < 400)
      throw new SourceError(
        `${origin} redirects ${where}: name the URL that it leads to`,
        answer.status,
      )
    const text = await answer.text()
    // GraphQL says its errors with status 400.
    if (answer.status > 299 && !(init.method === 'POST' && answer.status === 400))
      throw new SourceError(
        `${origin} answered ${where} with status ${answer.status}`,
        answer.status,
      )
    return readAnswer(text, `${origin}${where}`)
  }
  return {
    get: (path, query = {}) => {
      const search = new URLSearchParams()
      for (const [name, value] of Object.entries(query))
        for (const one of [value].flat()) if (one !== undefined) search.append(name, String(one))
      const text = search.toString()
      return ask(text === '' ? path : `${path}?${text}`, { method: 'GET' })
    },
    post: (path, body) =>
      ask(path, {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json' },
      }),
  }
}
