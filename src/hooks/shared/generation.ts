import type { GenerationPayloadInput } from '../../../generated/schema.js'
import { type Tokens, tokensOf } from '../../model-calls/call-facts.js'
import { toldCost } from '../../model-calls/told-cost.js'
import { readUsage, type UsageForm } from '../../model-calls/usage/read-usage.js'
import type { Step } from '../../tracing/step.js'
import { defined, isJson } from './json.js'

export { type CallTimes, type Tokens, timesOf, tokensOf } from '../../model-calls/call-facts.js'

/** Returns the tokens of a model call, by its usage in one of the forms that are known. */
export const tokensIn = (form: UsageForm, usage: unknown): Tokens =>
  tokensOf(isJson(usage) ? readUsage(form, usage) : undefined)

/** Returns the cost that the usage of a provider tells, as the provider sent it; none where it tells none. */
export const costIn = (usage: unknown): { cost?: number } => {
  const cost = isJson(usage) ? toldCost(usage) : undefined
  return cost === undefined ? {} : { cost }
}

/**
 * Describes the model call of a step. Values that are there already stay: those of the request itself, which
 * `stepwell.fetch` saw, are nearer to the truth than those of a framework.
 */
export const describe = (step: Step, generation: GenerationPayloadInput): void => {
  step.generation = { ...defined(generation), ...(step.generation ?? {}) }
}
