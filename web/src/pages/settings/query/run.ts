import { fetchAnswer } from '../../../data/fetch-answer.js'
import { at } from '../../../format/base.js'

export interface QueryError {
  message: string
  /** Where in the document; absent for what has no place there. */
  line?: number
  column?: number
  path?: string
}

export interface Outcome {
  status: number
  milliseconds: number
  /** The answer, as JSON to read. */
  text: string
  errors: QueryError[]
}

interface Answer {
  errors?: {
    message?: unknown
    locations?: { line: number; column: number }[]
    path?: (string | number)[]
  }[]
}

/** Reads the variables; throws an error for people when they are no JSON object. */
export const readVariables = (text: string): Record<string, unknown> => {
  if (text.trim() === '') return {}
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new Error(`Variables: expected JSON. ${(error as Error).message}`)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error('Variables: expected an object, such as { "id": "…" }')
  return value as Record<string, unknown>
}

/** Runs a document with the rights of whoever is signed in. */
export const runQuery = async (
  query: string,
  variables: Record<string, unknown>,
  signal: AbortSignal,
): Promise<Outcome> => {
  const startedAt = performance.now()
  const response = await fetchAnswer(at('/api/graphql'), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables }),
    signal,
  })
  const written = await response.text()
  const milliseconds = performance.now() - startedAt
  const answer = JSON.parse(written) as Answer
  return {
    status: response.status,
    milliseconds,
    text: JSON.stringify(answer, null, 2),
    errors: (answer.errors ?? []).map(({ message, locations, path }) => ({
      message: String(message),
      ...locations?.[0],
      ...(path === undefined ? {} : { path: path.join('.') }),
    })),
  }
}
