import type { Step } from '../../tracing/step.js'
import type { StepData } from '../../tracing/step-data.js'
import { isJson, type Json, textOf } from '../shared/json.js'

/** The id of a request; a side counts its own. */
type Id = string | number

/** A message of JSON-RPC that asks for something. */
export interface McpRequest {
  id: Id
  method: string
  params: Json
}

/** Returns the step that a request begins; undefined for a request that is not shown. */
export const beginOf = ({ method, params }: McpRequest): StepData | undefined => {
  const name = textOf(params.name)
  switch (method) {
    case 'tools/call':
      return { type: 'tool', name: name ?? 'tool', input: params.arguments ?? {} }
    case 'resources/read':
      return { type: 'retrieval', name: 'read resource', input: { uri: params.uri } }
    case 'prompts/get':
      return { name: `prompt ${name ?? ''}`.trim(), input: params.arguments ?? {} }
    default:
      return undefined
  }
}

/** Writes an answer into the step of its request. */
export const write = (step: Step, { result, error }: Json): void => {
  if (isJson(error)) {
    step.error ??= textOf(error.message) ?? error
    return
  }
  if (!isJson(result)) return
  const { _meta: _, isError, ...output } = result
  step.output ??= output
  if (isError === true) step.error ??= textIn(result.content) ?? 'the tool failed'
}

const textIn = (content: unknown): string | undefined =>
  Array.isArray(content)
    ? textOf(
        content
          .filter(isJson)
          .map(({ text }) => text)
          .filter((text) => typeof text === 'string')
          .join('\n'),
      )
    : undefined

export const requestOf = (message: unknown): McpRequest | undefined => {
  if (!isJson(message) || typeof message.method !== 'string' || !isId(message.id)) return undefined
  const { id, method, params } = message
  return { id, method, params: isJson(params) ? params : {} }
}

/** Returns the id of the request that a message answers. */
export const answeredId = (message: unknown): Id | undefined =>
  isJson(message) && isId(message.id) && ('result' in message || 'error' in message)
    ? message.id
    : undefined

/** Returns the id of the request that a message cancels, and the reason. */
export const cancelledOf = (message: unknown): { id: Id; reason: unknown } | undefined => {
  if (!isJson(message) || message.method !== 'notifications/cancelled') return undefined
  const { requestId, reason } = isJson(message.params) ? message.params : {}
  return isId(requestId) ? { id: requestId, reason } : undefined
}

const isId = (value: unknown): value is Id => typeof value === 'string' || typeof value === 'number'
