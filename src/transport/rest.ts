import {
  answeredError,
  fetchWithin,
  type HttpOptions,
  headersOf,
  refuseRedirect,
  toJson,
  unreadable,
} from './http.js'

/** A REST call of the service: a path and a JSON body -> the JSON that it answers. */
export type Post = (path: string, body: Record<string, unknown>) => Promise<unknown>

export const createPost =
  (options: HttpOptions): Post =>
  async (path, body) => {
    const url = `${options.apiUrl}${path}`
    const init = {
      method: 'POST',
      headers: headersOf(options),
      body: toJson(body),
      redirect: 'manual',
    } as const
    const response = refuseRedirect(
      await fetchWithin(options.fetch, url, init, options.timeoutMs, options.abortAfter),
      url,
    )
    const text = await response.text()
    let answer: unknown
    try {
      answer = JSON.parse(text)
    } catch {
      throw unreadable(response, text)
    }
    if (response.ok) return answer
    const errors =
      typeof answer === 'object' && answer !== null && 'errors' in answer
        ? answer.errors
        : undefined
    throw answeredError(response, Array.isArray(errors) ? errors : [], text)
  }
