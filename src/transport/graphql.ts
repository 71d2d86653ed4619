import { parse, print } from '@0no-co/graphql.web'
import {
  Client,
  type CombinedError,
  createRequest,
  fetchExchange,
  type TypedDocumentNode,
} from '@urql/core'
import type { DocumentNode } from 'graphql'
import { invalidArgument, StepwellError } from '../errors.js'
import {
  answeredError,
  type CallOptions,
  fetchWithin,
  type HttpOptions,
  headersOf,
  refuseRedirect,
  toJson,
  unreadable,
} from './http.js'

/** A document that knows the types of its data and variables. */
export type TypedDocument<Data, Variables> = TypedDocumentNode<Data, Variables>

/** Variables may be left out where none is required. */
export type QueryParameters<Variables> = Record<never, never> extends Variables
  ? [variables?: Variables, options?: CallOptions]
  : [variables: Variables, options?: CallOptions]

/** A typed document and its variables -> its data. */
export type Call = <Data, Variables extends object>(
  document: TypedDocumentNode<Data, Variables> | string,
  variables: Variables,
  options?: CallOptions,
) => Promise<Data>

/** The one place that knows urql. It neither caches nor retries nor shares: a call is a request of its own. */
export const createCall = (options: HttpOptions): Call => {
  const client = new Client({
    url: `${options.apiUrl}/api/graphql`,
    exchanges: [fetchExchange],
    preferGetMethod: false,
    requestPolicy: 'network-only',
  })
  let calls = 0
  return async <Data, Variables extends object>(
    document: TypedDocumentNode<Data, Variables> | string,
    variables: Variables,
    call?: CallOptions,
  ): Promise<Data> => {
    const { text, operationName, isMutation } = asked(document)
    // urql knows documents again by 32 bits of their text, which two texts may share; it answers equal queries under way
    // with one request, though the second may have been asked after a write that the first did not see; and it sorts the
    // keys of variables. So it gets a document that stands for ours and a key of its own, and the body is written here.
    calls++
    const body = `${toJson({ query: text, operationName }).slice(0, -1)},"variables":${toJson(variables)}}`
    const context = {
      fetchOptions: { headers: headersOf(options, call) },
      fetch: (input: RequestInfo | URL, init: RequestInit = {}) =>
        fetchJson(options, String(input), { ...init, body }),
    }
    const result = await (isMutation
      ? client.executeMutation<Data>({ ...ANY_MUTATION, key: calls }, context)
      : client.executeQuery<Data>({ ...ANY_QUERY, key: calls }, context)
    ).toPromise()
    if (result.error !== undefined) throw toStepwellError(result.error)
    return result.data as Data
  }
}

const ANY_QUERY = createRequest('query { __typename }', {})
const ANY_MUTATION = createRequest('mutation { __typename }', {})

interface Asked {
  text: string
  operationName: string | undefined
  isMutation: boolean
}

const printed = new WeakMap<DocumentNode, Asked>()

const asked = (document: DocumentNode | string): Asked => {
  try {
    if (typeof document === 'string')
      return askedBy(parse(document, { noLocation: true }) as DocumentNode, document)
    let known = printed.get(document)
    if (known === undefined) {
      known = askedBy(document, print(document))
      printed.set(document, known)
    }
    return known
  } catch (error) {
    throw invalidArgument(`query: expected a GraphQL document: ${(error as Error).message}`)
  }
}

const askedBy = ({ definitions }: DocumentNode, text: string): Asked => {
  const operations = definitions.filter((node) => node.kind === 'OperationDefinition')
  return {
    text,
    operationName: operations[0]?.name?.value,
    isMutation: operations.some(({ operation }) => operation === 'mutation'),
  }
}

const fetchJson = async (
  options: HttpOptions,
  url: string,
  init: RequestInit,
): Promise<Response> => {
  const redirect = 'manual' as const
  const response = refuseRedirect(
    await fetchWithin(
      options.fetch,
      url,
      { ...init, redirect },
      options.timeoutMs,
      options.abortAfter,
    ),
    url,
  )
  const text = await response.text()
  let body: { data?: unknown; errors?: unknown } | null
  try {
    body = JSON.parse(text)
  } catch {
    throw unreadable(response, text)
  }
  if (Array.isArray(body?.errors) && body.errors.length > 0)
    throw answeredError(response, body.errors)
  if (!response.ok) throw answeredError(response, [], text)
  if (typeof body?.data !== 'object' || body.data === null) throw unreadable(response, text)
  // As the JSON that it is, whatever type the answer named: urql would read others in ways of its own.
  const json = body.errors === undefined ? text : JSON.stringify({ data: body.data })
  return new Response(json, {
    headers: { 'content-type': 'application/json' },
  })
}

const toStepwellError = ({ networkError, message }: CombinedError): StepwellError =>
  StepwellError.is(networkError)
    ? networkError
    : new StepwellError(networkError?.message ?? message, { code: 'NETWORK', cause: networkError })
