import { isJson, type Json } from './json.js'

/** The largest cost of one call, in dollars, that the service takes. */
const MAX_COST = 9007

/**
 * Returns the dollars that an answer tells beside its tokens, as OpenRouter, LiteLLM and Perplexity do; undefined when it
 * tells none.
 */
export const toldCost = (usage: Json | undefined): number | undefined => {
  const { cost, cost_details: details, is_byok: isByok } = usage ?? {}
  const told = isJson(cost) ? cost.total_cost : cost
  if (typeof told !== 'number') return undefined
  // With a key of one's own, OpenRouter charges a fee alone, and the provider of the model the rest.
  const upstream = isByok === true && isJson(details) ? details.upstream_inference_cost : 0
  if (typeof upstream !== 'number') return undefined
  const sum = told + upstream
  return sum >= 0 && sum <= MAX_COST ? sum : undefined
}
