import { type AnyVariables, createRequest, type GraphQLRequest, type TypedDocumentNode } from 'urql'
import { fetchAnswer } from './fetch-answer.js'

/** A request as urql takes it, and the context in which it is prepared. */
export interface PreparedRequest<Data> {
  request: GraphQLRequest<Data>
  context: { fetch: typeof fetch }
}

let keys = 0
const kept = new WeakMap<object, Map<string, PreparedRequest<unknown>>>()

/** A request of its own, which shares its answer with no other. */
export const newRequest = <Data, Variables extends AnyVariables>(
  document: TypedDocumentNode<Data, Variables>,
  variables: Variables,
): PreparedRequest<Data> => prepare(document, JSON.stringify(variables))

/** The one request for these variables: what is asked in two places is asked once. */
export const sharedRequest = <Data, Variables extends AnyVariables>(
  document: TypedDocumentNode<Data, Variables>,
  variables: Variables,
): PreparedRequest<Data> => {
  let requests = kept.get(document)
  if (requests === undefined) {
    requests = new Map()
    kept.set(document, requests)
  }
  const written = JSON.stringify(variables)
  let prepared = requests.get(written)
  if (prepared === undefined) {
    prepared = prepare(document, written)
    requests.set(written, prepared)
  }
  return prepared as PreparedRequest<Data>
}

/**
 * urql sorts the keys of variables, calls a member named `toJSON` whatever it is, and tells requests apart by 32 bits of
 * them, which are equal for the ids `ab` and `bA`. So it gets a key that is a number of its own, and no variables: they
 * are put into the body as they were written.
 */
const prepare = <Data, Variables extends AnyVariables>(
  document: TypedDocumentNode<Data, Variables>,
  written: string,
): PreparedRequest<Data> => {
  const key = ++keys
  return {
    request: { ...createRequest<Data, Variables>(document, {} as Variables), key },
    context: {
      fetch: (input, init = {}) => {
        const { query, operationName } = JSON.parse(String(init.body))
        const beginning = JSON.stringify({ operationName, query }).slice(0, -1)
        return fetchAnswer(input, { ...init, body: `${beginning},"variables":${written}}` })
      },
    },
  }
}
