import type { Domain } from '../domain/domain.js'
import { isObject } from '../domain/values.js'
import type { Files } from '../files/files.js'
import type { Context } from '../graphql/engine/context.js'
import type { GraphQLExecutor, GraphQLRequest } from '../graphql/engine/execute.js'
import { inOrder } from '../graphql/engine/in-turns.js'
import { IngestionPlan } from '../graphql/engine/ingestion-plan.js'
import { createLoaders } from '../graphql/engine/loaders.js'
import type { Caller } from '../kernel/caller.js'
import type { Turn } from '../kernel/sharing/turns.js'
import type { StepParts } from '../storage/steps.js'
import type { JsonBody } from './admission/body.js'
import { answerAs, badRequest } from './answers.js'
import { serialize } from './serialize.js'

export const handleGraphQL = async (
  executor: GraphQLExecutor,
  services: { domain: Domain; files: Files },
  caller: Caller,
  origin: string,
  { body, bytes }: JsonBody,
  turn: Turn,
  isAwaited: () => boolean,
): Promise<Response> => {
  const request = { ...readRequest(body), bytes, isAwaited }
  const result = await executor.execute(request, turn, contextOf(services, caller, origin, turn))
  await turn()
  return answerAs(result.status, await serialize(result.body, turn))
}

/** Returns a function that creates the context of an operation. */
export const contextOf =
  (services: { domain: Domain; files: Files }, caller: Caller, origin: string, turn: Turn) =>
  ({ isMutation, parts }: { isMutation: boolean; parts: StepParts }): Context => ({
    ...services,
    caller,
    origin,
    parts,
    turn: inOrder(turn),
    loaders: createLoaders(services.domain, caller, !isMutation, parts),
    ingestion: new IngestionPlan(services.domain.steps, caller, turn),
  })

const readRequest = ({
  query,
  variables,
  operationName,
}: Record<string, unknown>): Omit<GraphQLRequest, 'bytes' | 'isAwaited'> => {
  if (typeof query !== 'string') throw badRequest('query: expected a GraphQL document as a string')
  if (variables !== undefined && variables !== null && !isObject(variables))
    throw badRequest('variables: expected an object')
  if (operationName !== undefined && operationName !== null && typeof operationName !== 'string')
    throw badRequest('operationName: expected a string')
  return { query, variables: variables ?? {}, operationName: operationName || undefined }
}
