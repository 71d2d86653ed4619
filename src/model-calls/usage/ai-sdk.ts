import { isJson, type Json } from '../json.js'
import { countOf, divided, type Usage, usageOf } from './usage.js'

/**
 * Reads the usage objects of the AI SDK: of version 4 (`promptTokens`), of 5 (`inputTokens` with members beside it), and
 * from 6 on (`inputTokenDetails`, or `inputTokens` as an object in providers).
 */
export const fromAiSdk = (usage: Json): Usage | undefined => {
  const read = sideOf(usage.inputTokens, usage.inputTokenDetails)
  const written = sideOf(usage.outputTokens, usage.outputTokenDetails)
  const whole = countOf(read.total) ?? countOf(usage.promptTokens)
  const cached = countOf(read.cacheRead) ?? countOf(usage.cachedInputTokens)
  const cacheWrite = countOf(read.cacheWrite)
  const fresh = countOf(read.noCache)
  // Version 5 passes on the numbers of providers that count their cache beside the input.
  const isBeside = whole !== undefined && fresh === undefined && (cached ?? 0) > whole
  return usageOf(
    {
      ...(isBeside
        ? { input: whole, cached, cacheWrite }
        : divided(whole ?? sumOf(fresh, cached, cacheWrite), 'input', { cached, cacheWrite })),
      ...divided(countOf(written.total) ?? countOf(usage.completionTokens), 'output', {
        reasoning: countOf(written.reasoning) ?? countOf(usage.reasoningTokens),
      }),
    },
    countOf(usage.totalTokens),
  )
}

/** Returns the numbers of one side: of an object, or of a number with details beside it. */
const sideOf = (value: unknown, details: unknown): Json => {
  if (isJson(value)) return value
  if (!isJson(details)) return { total: value }
  return {
    total: value,
    noCache: details.noCacheTokens,
    cacheRead: details.cacheReadTokens,
    cacheWrite: details.cacheWriteTokens,
    reasoning: details.reasoningTokens,
  }
}

const sumOf = (...counts: (number | undefined)[]): number | undefined => {
  const known = counts.filter((count) => count !== undefined)
  return known.length === 0 ? undefined : known.reduce((sum, count) => sum + count, 0)
}
