import { isJson, parsed } from '../../../generated/model-calls/json.js'
import { fromAttributes } from '../../../generated/model-calls/usage/attributes.js'
import { fromLangChain } from '../../../generated/model-calls/usage/langchain.js'
import { fromLangfuse } from '../../../generated/model-calls/usage/langfuse.js'
import type { GenerationPayloadInput } from '../../../generated/resolvers.js'
import type { Attributes } from '../encoding/schema.js'
import { firstNumber, numberOf } from './attributes.js'

/**
 * Reads the tokens of a call, in parts, from which their sums follow: from its attributes, or as the API of the model
 * counted them in its answer, where that names more parts. Unknown ones are left out, and never 0.
 */
export const usageOf = (
  attributes: Attributes,
  counted?: Record<string, unknown>,
): Partial<GenerationPayloadInput> => {
  const told = fromAttributes((name) => {
    const value = attributes.get(name)
    return numberOf(value) ?? value
  })
  const sent = counted === undefined ? undefined : fromCounted(counted)
  const usage = partsOf(sent) > partsOf(told) ? sent : told
  return usage === undefined ? {} : { usage }
}

const fromCounted = (counted: Record<string, unknown>) =>
  isJson(counted.input_token_details) || isJson(counted.output_token_details)
    ? fromLangChain(counted)
    : fromLangfuse(counted)

const partsOf = (usage: object | undefined): number => Object.keys(usage ?? {}).length

const COSTS = ['gen_ai.usage.cost', 'llm.cost.total']
const COST_DETAILS = 'langfuse.observation.cost_details'
/** The largest cost of one call, in dollars. */
const MAX_COST = 9007
/** Characters that the costs of a call may take. */
const MAX_CHARACTERS = 10_000

/** Reads the cost that an instrumentation tells, in dollars; one that can't be is left out. */
export const costOf = (attributes: Attributes): number | undefined => {
  const details = attributes.get(COST_DETAILS)
  const read =
    typeof details === 'string' && details.length <= MAX_CHARACTERS ? parsed(details) : details
  const cost =
    firstNumber(attributes, ...COSTS) ??
    (isJson(read) && typeof read.total === 'number' ? read.total : undefined)
  // OpenLIT writes 0 for a model whose price it does not know, and for all models where it cannot fetch its prices.
  if (cost === 0 && attributes.get('telemetry.sdk.name') === 'openlit') return undefined
  return cost !== undefined && cost >= 0 && cost <= MAX_COST ? cost : undefined
}

const SECONDS_TO_FIRST = [
  'gen_ai.response.time_to_first_chunk',
  'gen_ai.client.operation.time_to_first_chunk',
  'gen_ai.server.time_to_first_token',
]
const MS_TO_FIRST = ['ai.response.msToFirstChunk', 'ai.stream.msToFirstChunk']
const MS = 1000

/** Returns the milliseconds to the first chunk of an answer, of a call of so many seconds. */
export const msToFirstChunk = (
  attributes: Attributes,
  duration = Number.POSITIVE_INFINITY,
): number | undefined => {
  const told = firstNumber(attributes, ...SECONDS_TO_FIRST)
  // Strands Agents writes milliseconds: no part of an answer comes after its end.
  const seconds = told !== undefined && told > duration && told / MS <= duration ? told / MS : told
  const ms = seconds === undefined ? firstNumber(attributes, ...MS_TO_FIRST) : seconds * MS
  return ms === undefined || ms < 0 ? undefined : ms
}
