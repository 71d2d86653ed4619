import { useRef } from 'react'
import { type AnyVariables, type TypedDocumentNode, useMutation, useQuery } from 'urql'
import { client } from './client.js'
import { type Problem, toProblem } from './problem.js'

export interface Loaded<Data> {
  /** The newest answer; while another one is awaited, the one before it. */
  data: Data | undefined
  problem: Problem | undefined
  /** Nothing is there yet. */
  isLoading: boolean
  /** Something is there, and something newer is awaited. */
  isRefreshing: boolean
  refresh: () => void
}

/** Reads by a typed document. */
export const useData = <Data, Variables extends AnyVariables>(
  query: TypedDocumentNode<Data, Variables>,
  variables: Variables,
  { pause = false, keep = true }: { pause?: boolean; keep?: boolean } = {},
): Loaded<Data> => {
  const [result, execute] = useQuery({ query, variables, pause } as Parameters<
    typeof useQuery<Data, Variables>
  >[0])
  const before = useRef<Data | undefined>(undefined)
  if (result.data !== undefined) before.current = result.data
  const data = result.data ?? (keep ? before.current : undefined)
  const isWaiting = result.fetching || result.stale
  return {
    data,
    problem: result.error === undefined || isWaiting ? undefined : toProblem(result.error),
    isLoading: data === undefined && (isWaiting || pause) && result.error === undefined,
    isRefreshing: data !== undefined && isWaiting,
    refresh: () => execute({ requestPolicy: 'network-only' }),
  }
}

/** Reads once, outside of what is rendered. Throws a problem as an error with its message. */
export const read = async <Data, Variables extends AnyVariables>(
  query: TypedDocumentNode<Data, Variables>,
  variables: Variables,
  from = client,
): Promise<Data> => {
  const { data, error } = await from
    .query(query, variables, { requestPolicy: 'network-only' })
    .toPromise()
  if (error !== undefined) throw new Failed(toProblem(error))
  return data as Data
}

/** A problem on its way to whoever can show it. */
export class Failed extends Error {
  readonly problem: Problem

  constructor(problem: Problem) {
    super(problem.message)
    this.problem = problem
  }
}

/** Writes by a typed document. What it gives throws `Failed`. */
export const useChange = <Data, Variables extends AnyVariables>(
  document: TypedDocumentNode<Data, Variables>,
) => {
  const [, execute] = useMutation<Data, Variables>(document)
  return async (variables: Variables): Promise<Data> => {
    const { data, error } = await execute(variables)
    if (error !== undefined) throw new Failed(toProblem(error))
    return data as Data
  }
}
