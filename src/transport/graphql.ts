import {
  type AnyVariables,
  Client,
  type CombinedError,
  createRequest,
  fetchExchange,
  type TypedDocumentNode,
} from '@urql/core'
import type { DocumentNode } from 'graphql'
import { StepwellError } from '../errors.js'
import {
  answeredError,
  type CallOptions,
  fetchWithin,
  type HttpOptions,
  headersOf,
  unreadable,
} from './http.js'

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
    const request = { ...createRequest<Data, AnyVariables>(document, {}), key: calls }
    const context = {
      fetchOptions: { headers: headersOf(options, call) },
      // urql sorts the keys of variables, and writes them twice. They are put in here, once and as they are.
      fetch: (input: RequestInfo | URL, init: RequestInit = {}) => {
        const body = JSON.stringify({ ...JSON.parse(String(init.body)), variables })
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

const isMutation = ({ definitions }: DocumentNode): boolean =>
  definitions.some((node) => node.kind === 'OperationDefinition' && node.operation === 'mutation')

const fetchJson = async (
  options: HttpOptions,
  url: string,
  init: RequestInit,
): Promise<Response> => {
  const response = await fetchWithin(options.fetch, url, init, options.timeoutMs)
  const text = await response.clone().text()
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    throw unreadable(response, text)
  }
  const errors =
    typeof body === 'object' && body !== null && 'errors' in body ? body.errors : undefined
  if (Array.isArray(errors) && errors.length > 0) throw answeredError(response, errors)
  if (!response.ok) throw answeredError(response, [], text)
  return response
}

const toStepwellError = ({ networkError, message }: CombinedError): StepwellError =>
  StepwellError.is(networkError)
    ? networkError
    : new StepwellError(networkError?.message ?? message, { code: 'NETWORK', cause: networkError })
