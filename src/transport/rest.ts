import { answeredError, type HttpOptions, headersOf, isOk, postJson } from './http.js'

/** A REST call of the service: a path and a JSON body -> the JSON of its answer. */
export type Post = (path: string, body: Record<string, unknown>) => Promise<unknown>

/** @internal */
export const createPost =
  (options: HttpOptions): Post =>
  async (path, sent) => {
    const url = `${options.apiUrl}${path}`
    const { answer, body } = await postJson(options, url, headersOf(options), sent)
    if (isOk(answer)) return body
    const errors =
      typeof body === 'object' && body !== null && 'errors' in body ? body.errors : undefined
    throw answeredError(answer, Array.isArray(errors) ? errors : [])
  }
