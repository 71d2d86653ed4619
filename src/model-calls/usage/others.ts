import { isJson, type Json } from '../json.js'
import { countOf, type Usage, usageOf } from './usage.js'

/** Reads the usage of Cohere: what was billed only where nothing else is told. */
export const fromCohere = (usage: Json): Usage | undefined => {
  const of = [usage.tokens, usage.billed_units, usage].find(
    (one) => isJson(one) && (one.input_tokens !== undefined || one.output_tokens !== undefined),
  ) as Json | undefined
  return of && usageOf({ input: countOf(of.input_tokens), output: countOf(of.output_tokens) })
}

/** Reads the usage of Ollama, which is beside the answer's other members. */
export const fromOllama = (usage: Json): Usage | undefined =>
  usageOf({ input: countOf(usage.prompt_eval_count), output: countOf(usage.eval_count) })
