import { parse, print } from '@0no-co/graphql.web'
import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import {
  Client,
  type CombinedError,
  type Exchange,
  getOperationName,
  makeErrorResult,
  type Operation,
  type OperationResult,
  type OperationType,
} from '@urql/core'
import type { DocumentNode } from 'graphql'
import { filter, fromPromise, mergeMap, pipe } from 'wonka'
import { invalidArgument, StepwellError } from '../errors.js'
import {
  answeredError,
  type CallOptions,
  type HttpOptions,
  headersOf,
  isOk,
  postJson,
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

/** @internal The only place that uses urql. It neither caches nor retries nor shares: each call is a request. */
export const createCall = (options: HttpOptions): Call => {
  const client = new Client({
    url: `${options.apiUrl}/api/graphql`,
    exchanges: [jsonExchange(options)],
    preferGetMethod: false,
    requestPolicy: 'network-only',
  })
  let calls = 0
  return async <Data, Variables extends object>(
    document: TypedDocumentNode<Data, Variables> | string,
    variables: Variables,
    call?: CallOptions,
  ): Promise<Data> => {
    const { query, kind } = read(document)
    // A key for each call: urql would identify documents by 32 bits of their text, which two texts may share, and would
    // answer equal concurrent queries with one request, though a write may lie between the two.
    calls++
    const operation = client.createRequestOperation<Data, Variables>(
      kind,
      { key: calls, query, variables },
      { fetchOptions: { headers: headersOf(options, call) } },
    )
    const { data, error } = await client.executeRequestOperation(operation).toPromise()
    if (error !== undefined) throw toStepwellError(error)
    return data as Data
  }
}

/**
 * Sends operations as JSON. urql's own exchange would sort the keys of variables, and parse answers by their media
 * type.
 */
const jsonExchange =
  (options: HttpOptions): Exchange =>
  () =>
  (operations) =>
    pipe(
      operations,
      filter(({ kind }) => kind !== 'teardown'),
      mergeMap((operation) =>
        fromPromise(
          // A rejected promise would go unnoticed: a failure is a result too.
          send(options, operation).catch((error) => makeErrorResult(operation, error)),
        ),
      ),
    )

const send = async (options: HttpOptions, operation: Operation): Promise<OperationResult> => {
  const { context, query, variables } = operation
  const { headers } = context.fetchOptions as RequestInit
  const { answer, body } = await postJson(options, context.url, headers, {
    query: texts.get(query as DocumentNode),
    operationName: getOperationName(query),
    variables,
  })
  const { data, errors } = (body ?? {}) as { data?: unknown; errors?: unknown }
  if (Array.isArray(errors) && errors.length > 0) throw answeredError(answer, errors)
  if (!isOk(answer)) throw answeredError(answer, [])
  if (typeof data !== 'object' || data === null) throw unreadable(answer)
  return { operation, data, stale: false, hasNext: false }
}

/** The text of each document: the given text, or one printed once. */
const texts = new WeakMap<DocumentNode, string>()

/** Parses a document, whose first operation is the one to run. */
const read = (document: DocumentNode | string): { query: DocumentNode; kind: OperationType } => {
  try {
    const query =
      typeof document === 'string'
        ? (parse(document, { noLocation: true }) as DocumentNode)
        : document
    const operation = query.definitions.find((node) => node.kind === 'OperationDefinition')
    if (operation === undefined) throw new Error('it has no operation')
    if (!texts.has(query)) texts.set(query, typeof document === 'string' ? document : print(query))
    return { query, kind: operation.operation }
  } catch (error) {
    throw invalidArgument(`query: expected a GraphQL document: ${(error as Error).message}`)
  }
}

/** Returns the error of a result. Its stack leads to the caller from here on: that of before ends inside urql. */
const toStepwellError = ({ networkError, message }: CombinedError): StepwellError => {
  if (!StepwellError.is(networkError))
    return new StepwellError(networkError?.message ?? message, {
      code: 'NETWORK',
      cause: networkError,
    })
  Error.captureStackTrace?.(networkError)
  return networkError
}
