import { useLayoutEffect, useRef, useState } from 'react'
import {
  type AnyVariables,
  CombinedError,
  type OperationResult,
  type TypedDocumentNode,
  useClient,
} from 'urql'
import { plainClient } from './client.js'
import { type Problem, toProblem } from './problem.js'
import { newRequest, type PreparedRequest, sharedRequest } from './request.js'

export interface Loaded<Data> {
  /** The newest answer; the previous one while a new one is awaited or has failed. */
  data: Data | undefined
  problem: Problem | undefined
  /** No data yet. */
  isLoading: boolean
  /** Data is present, and newer data is awaited. */
  isRefreshing: boolean
  /** The data answers the previous request, not the current one. */
  isPrevious: boolean
  refresh: () => void
}

interface Answer {
  sent: PreparedRequest<unknown>
  error: CombinedError | undefined
  isWaiting: boolean
}

/** Reads by a typed document. */
export const useData = <Data, Variables extends AnyVariables>(
  query: TypedDocumentNode<Data, Variables>,
  variables: Variables,
  { pause = false, keep = true }: { pause?: boolean; keep?: boolean } = {},
): Loaded<Data> => {
  const client = useClient()
  const sent = sharedRequest(query, variables)
  const [attempt, setAttempt] = useState(0)
  const asked = useRef(attempt)
  const [answer, setAnswer] = useState<Answer>()
  const latest = useRef<{ sent: PreparedRequest<unknown>; data: Data }>(undefined)
  // Before the first paint, as cached answers are there at once.
  useLayoutEffect(() => {
    if (pause) return setAnswer(undefined)
    setAnswer({ sent, error: undefined, isWaiting: true })
    const requestPolicy = asked.current === attempt ? 'cache-and-network' : 'network-only'
    asked.current = attempt
    const { unsubscribe } = client
      .executeQuery<Data>(sent.request, { ...sent.context, requestPolicy })
      .subscribe((result) => {
        if (isWhole(result)) latest.current = { sent, data: result.data }
        setAnswer({ sent, error: failureOf(result), isWaiting: result.stale })
      })
    return unsubscribe
  }, [client, sent, pause, attempt])
  const isPrevious = latest.current !== undefined && latest.current.sent !== sent
  const data = isPrevious && !keep ? undefined : latest.current?.data
  const isAnswered = answer !== undefined && answer.sent === sent && !answer.isWaiting
  const error = isAnswered ? answer.error : undefined
  return {
    data,
    problem: error === undefined ? undefined : toProblem(error),
    isLoading: data === undefined && !isAnswered,
    isRefreshing: data !== undefined && !isAnswered && !pause,
    isPrevious: data !== undefined && isPrevious,
    refresh: () => setAttempt((before) => before + 1),
  }
}

/**
 * Returns true if an answer can be shown. If a part of it failed, the rest can; but null in the place of a root field
 * means unknown, and would be taken for absent.
 */
const isWhole = <Data>(
  result: OperationResult<Data>,
): result is OperationResult<Data> & { data: Data } => {
  const { data, error } = result
  if (data == null || (error !== undefined && error.networkError !== undefined)) return false
  return (error?.graphQLErrors ?? []).every(
    ({ path }) =>
      path?.[0] !== undefined && (data as Record<string, unknown>)[String(path[0])] != null,
  )
}

const failureOf = (result: OperationResult): CombinedError | undefined =>
  result.error ?? (result.data == null ? noData() : undefined)

const noData = () => new CombinedError({ graphQLErrors: [] })

/** Reads once, outside of rendering. Throws problems as `ProblemError`. */
export const read = async <Data, Variables extends AnyVariables>(
  query: TypedDocumentNode<Data, Variables>,
  variables: Variables,
  from = plainClient,
): Promise<Data> => {
  const { request, context } = newRequest(query, variables)
  return dataOf(
    await from
      .executeQuery<Data>(request, { ...context, requestPolicy: 'network-only' })
      .toPromise(),
  )
}

/** Writes once, outside of rendering, beside the pages: what they show stays until they read it again. Throws `ProblemError`. */
export const change = async <Data, Variables extends AnyVariables>(
  document: TypedDocumentNode<Data, Variables>,
  variables: Variables,
): Promise<Data> => {
  const { request, context } = newRequest(document, variables)
  return dataOf(await plainClient.executeMutation<Data>(request, context).toPromise())
}

/** Carries a problem to the component that shows it. */
export class ProblemError extends Error {
  readonly problem: Problem

  constructor(problem: Problem) {
    super(problem.message)
    this.problem = problem
  }
}

/** Returns a function that writes by a typed document, and throws `ProblemError`. */
export const useChange = <Data, Variables extends AnyVariables>(
  document: TypedDocumentNode<Data, Variables>,
) => {
  const client = useClient()
  return async (variables: Variables): Promise<Data> => {
    const { request, context } = newRequest(document, variables)
    return dataOf(await client.executeMutation<Data>(request, context).toPromise())
  }
}

const dataOf = <Data>(result: OperationResult<Data>): Data => {
  const error = failureOf(result)
  if (error !== undefined)
    throw new ProblemError(toProblem(error, result.operation.kind === 'mutation'))
  return result.data as Data
}
