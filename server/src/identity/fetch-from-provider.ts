import type { CustomFetchOptions } from 'openid-client'

/** Limit of an answer of the provider: tokens and keys take kilobytes. */
const MAX_BYTES = 1_000_000

/**
 * Fetches from the provider. Redirects are not followed: a secret goes to the address that the provider announced alone.
 *
 * @throws Error when the answer is larger than any that a provider needs.
 */
export const fetchFromProvider = async (
  url: string,
  { body, headers, method, signal }: CustomFetchOptions,
): Promise<Response> => {
  const response = await fetch(url, {
    body: (body ?? null) as RequestInit['body'] & {},
    headers,
    method,
    redirect: 'manual',
    signal: signal ?? null,
  })
  const parts: Uint8Array[] = []
  let bytes = 0
  if (response.body !== null)
    // Leaving the loop ends the connection.
    for await (const part of response.body as unknown as AsyncIterable<Uint8Array>) {
      bytes += part.length
      if (bytes > MAX_BYTES)
        throw new TypeError('the provider answered with more than 1 MB', { cause: 'too large' })
      parts.push(part)
    }
  const { status, statusText } = response
  const content = [101, 204, 205, 304].includes(status) ? null : new Blob(parts as BlobPart[])
  return new Response(content, { status, statusText, headers: response.headers })
}
