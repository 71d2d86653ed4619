// Copied from src/model-calls/usage/langfuse.ts.
import { isJson, type Json } from '../json.js'
import { fromAiSdk } from './ai-sdk.js'
import { fromOpenAI } from './openai.js'
import { countOf, divided, type Part, type Parts, type Usage, usageOf } from './usage.js'

/**
 * Reads usage details of Langfuse: names that applications choose, mostly of parts with none in common, or the usage
 * object of OpenAI or the AI SDK. Names that say nothing about a part are left to the total.
 */
export const fromLangfuse = (details: unknown): Usage | undefined => {
  if (!isJson(details)) return undefined
  if (isOpenAI(details)) return fromOpenAI(details)
  if (isAiSdk(details)) return fromAiSdk({ totalTokens: details.total, ...details })
  const { input, output, ...others } = sumsOf(details)
  const total =
    countOf(details.total) ?? countOf(details.total_tokens) ?? countOf(details.totalTokens)
  const isWithin = total !== undefined && total === (input ?? 0) + (output ?? 0)
  if (!isWithin) return usageOf({ input, output, ...others }, total)
  const { reasoning, audioOutput, imageOutput, ...read } = others
  return usageOf(
    {
      ...divided(input, 'input', read),
      ...divided(output, 'output', { reasoning, audioOutput, imageOutput }),
    },
    total,
  )
}

const isOpenAI = (details: Json): boolean =>
  details.prompt_tokens !== undefined ||
  ['input_tokens_details', 'output_tokens_details'].some((name) => isJson(details[name]))

/** The AI SDK counts parts within the whole. Amazon Bedrock has the same names for it, and its cache beside it. */
const isAiSdk = (details: Json): boolean =>
  ['inputTokens', 'outputTokens', 'promptTokens', 'completionTokens'].some(
    (name) => details[name] !== undefined,
  ) && !Object.keys(details).some((name) => /^cache(?:Read|Write|Creat)/.test(name))

const WHOLE = /^(?:input|output|prompt|completion)(?:_?tokens)?$/i

const sumsOf = (details: Json): Parts => {
  const sums: Parts = {}
  const wholes: Parts = {}
  for (const name of Object.keys(details)) {
    const part = partOf(name.toLowerCase())
    const count = countOf(details[name])
    if (part === undefined || count === undefined) continue
    // Several names of a whole say it several times.
    const isWhole = WHOLE.test(name)
    const added = isWhole ? Math.max(0, count - (wholes[part] ?? 0)) : count
    if (isWhole) wholes[part] = (wholes[part] ?? 0) + added
    sums[part] = (sums[part] ?? 0) + added
  }
  return sums
}

const partOf = (name: string): Part | undefined => {
  if (name.includes('cache')) {
    if (!/creat|writ/.test(name)) return 'cached'
    if (name.includes('5m')) return 'cacheWrite5m'
    return name.includes('1h') ? 'cacheWrite1h' : 'cacheWrite'
  }
  if (/reason|thought|thinking/.test(name)) return 'reasoning'
  const isOutput = /^(?:output|completion)/.test(name)
  if (name.includes('audio')) return isOutput ? 'audioOutput' : 'audioInput'
  if (name.includes('image')) return isOutput ? 'imageOutput' : 'imageInput'
  if (isOutput) return 'output'
  return /^(?:input|prompt)/.test(name) ? 'input' : undefined
}
