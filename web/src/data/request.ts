import { type AnyVariables, createRequest, type GraphQLRequest, type TypedDocumentNode } from 'urql'
import { fetchAnswer } from './fetch-answer.js'

/** A request for urql with the context that sends it. */
export interface PreparedRequest<Data> {
  request: GraphQLRequest<Data>
  context: { fetch: typeof fetch }
}

let keys = 0
const kept = new WeakMap<object, Map<string, PreparedRequest<unknown>>>()

/** Returns a request of its own, which shares its answer with no other. */
export const newRequest = <Data, Variables extends AnyVariables>(
  document: TypedDocumentNode<Data, Variables>,
  variables: Variables,
): PreparedRequest<Data> => prepare(document, JSON.stringify(variables))

/** Returns the one request for these variables: two places that ask for the same share an answer. */
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
 * urql sorts the keys of variables, calls any member named `toJSON`, and identifies requests by 32 bits of them, which
 * are equal for the ids `ab` and `bA`. So it gets a number of its own as key, and no variables: they are put into the
 * body as they were written.
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
