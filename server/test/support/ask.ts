import type { Service } from '../../src/index.js'

// Answers have whatever shape the test's document asked for.
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

/** Sends any body to any path, and gives the answer as it came. */
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

/** Asks a service in the name of a key; errors in the answer are thrown. */
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
