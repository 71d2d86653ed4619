import type { Service } from '../../src/index.js'

// The shape of an answer depends on the test's document.
// biome-ignore-start lint/suspicious/noExplicitAny: see above
export type Ask = (
  query: string,
  variables?: object,
  headers?: Record<string, string>,
) => Promise<any>

export interface Answer {
  status: number
  body: any
}

// biome-ignore-end lint/suspicious/noExplicitAny: see above

/** Sends any body to any path, and returns the raw answer. */
export const post = async (
  service: Service,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> => {
  const response = await service.fetch(`http://stepwell.test${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body:
      typeof body === 'string' || body instanceof Uint8Array
        ? (body as string)
        : JSON.stringify(body),
  })
  return { status: response.status, body: await response.json() }
}

/** Returns a function that queries a service with a key; errors in the answer are thrown. */
export const asker =
  (service: Service, apiKey: string): Ask =>
  async (query, variables = {}, headers = {}) => {
    const { body } = await post(
      service,
      '/api/graphql',
      { query, variables },
      { 'x-api-key': apiKey, ...headers },
    )
    if (body.errors) throw new Error(JSON.stringify(body.errors))
    return body.data
  }
