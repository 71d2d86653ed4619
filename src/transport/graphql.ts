import {
  type AnyVariables,
  Client,
  type CombinedError,
  createRequest,
  type DocumentInput,
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
    // urql answers equal queries under way with one request. A key of its own keeps them apart: the second may have
    // been asked after a write that the first did not see, and a prompt is drawn anew by each call.
    calls++
    const request = { ...parsed<Data>(document), key: calls }
    // urql sorts the keys of variables, and writes them twice. They are put in below, once and as they are.
    const sent = toJson(variables)
    const context = {
      fetchOptions: { headers: headersOf(options, call) },
      fetch: (input: RequestInfo | URL, init: RequestInit = {}) => {
        const { query, operationName } = JSON.parse(String(init.body))
        const body = `${toJson({ query, operationName }).slice(0, -1)},"variables":${sent}}`
        return fetchJson(options, String(input), { ...init, body })
      },
    }
    const result = await (isMutation(request.query)
      ? client.executeMutation<Data>(request, context)
      : client.executeQuery<Data>(request, context)
    ).toPromise()
    if (result.error !== undefined) throw toStepwellError(result.error)
    return result.data as Data
  }
}

const parsed = <Data>(document: DocumentInput<Data, AnyVariables>) => {
  try {
    return createRequest<Data, AnyVariables>(document, {})
  } catch (error) {
    throw invalidArgument(`query: expected a GraphQL document: ${(error as Error).message}`)
  }
}

const isMutation = ({ definitions }: DocumentNode): boolean =>
  definitions.some((node) => node.kind === 'OperationDefinition' && node.operation === 'mutation')

const fetchJson = async (
  options: HttpOptions,
  url: string,
  init: RequestInit,
): Promise<Response> => {
  const redirect = 'manual' as const
  const response = refuseRedirect(
    await fetchWithin(options.fetch, url, { ...init, redirect }, options.timeoutMs),
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
