import type { ClientSettings } from '../client-options.js'
import {
  answeredError,
  type HttpOptions,
  headersOf,
  networkError,
  refuseRedirect,
  textOf,
  unreadable,
} from './http.js'

/** Yields the bytes of an answer as they come. Throws for an answer whose media type does not contain the format. */
export type Stream = (
  path: string,
  body: Record<string, unknown>,
  format: string,
) => AsyncGenerator<Uint8Array, void, undefined>

/**
 * @internal Reads an answer of any size, part by part, no faster than the caller does. Leaving the loop ends the
 * request.
 */
export const createStream = (options: HttpOptions & Pick<ClientSettings, 'silenceMs'>): Stream =>
  async function* stream(path, sent, format) {
    const url = `${options.apiUrl}${path}`
    const ended = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    let reader: ReadableStreamDefaultReader<Uint8Array> | undefined
    /** A custom `fetch` may ignore signals; the time-out applies all the same. */
    const within = <Value>(work: Promise<Value>): Promise<Value> =>
      Promise.race([
        work,
        new Promise<never>((_, reject) => {
          timer = setTimeout(() => reject(new Silence()), options.silenceMs)
        }),
      ]).finally(() => clearTimeout(timer))
    try {
      const response = await within(
        options.fetch(url, {
          method: 'POST',
          headers: headersOf(options),
          body: JSON.stringify(sent),
          redirect: 'manual',
          signal: ended.signal,
        } as RequestInit),
      )
      const { status } = response
      const headers = new Headers(response.headers)
      refuseRedirect({ status, headers, text: '' }, url)
      if (status !== 200 || response.body === null) {
        const text = await within(textOf(response, ended.signal))
        throw answeredError({ status, headers, text }, errorsIn(text))
      }
      reader = (response.body as ReadableStream<Uint8Array>).getReader()
      if (!headers.get('content-type')?.includes(format)) {
        // Only the start of a page that is not the service's: it may have no end.
        const text = new TextDecoder().decode((await within(reader.read())).value)
        throw unreadable({ status, headers, text }, format)
      }
      for (let part = await within(reader.read()); !part.done; part = await within(reader.read()))
        yield part.value
    } catch (error) {
      throw networkError(error, url, error instanceof Silence, options.silenceMs)
    } finally {
      ended.abort()
      // A custom `fetch` that ignores signals hears of it by this: the export of a service in the same process would stay open.
      reader?.cancel().catch(() => undefined)
    }
  }

class Silence extends Error {}

const errorsIn = (text: string): { message?: unknown }[] => {
  try {
    const { errors } = JSON.parse(text)
    return Array.isArray(errors) ? errors : []
  } catch {
    return []
  }
}
