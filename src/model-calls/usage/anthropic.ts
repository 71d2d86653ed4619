import { isJson, type Json, objectsOf } from '../json.js'
import { countOf, divided, type Parts, type Usage, usageOf } from './usage.js'

/**
 * Input and output beside what went into and came from a cache; thoughts are within the output. Where a conversation was
 * made shorter on the way, the tokens of its summary are in none of the numbers of the answer.
 */
export const fromAnthropic = (usage: Json): Usage | undefined => {
  const all = [usage, ...objectsOf(usage.iterations).filter(({ type }) => type === 'compaction')]
  const sum = (name: string, within?: string): number | undefined =>
    all.reduce<number | undefined>((known, one) => {
      const from = within === undefined ? one : one[within]
      const count = countOf(isJson(from) ? from[name] : undefined)
      return count === undefined ? known : (known ?? 0) + count
    }, undefined)
  return usageOf({
    input: sum('input_tokens'),
    cached: sum('cache_read_input_tokens'),
    ...byLifetime(
      sum('cache_creation_input_tokens'),
      sum('ephemeral_5m_input_tokens', 'cache_creation'),
      sum('ephemeral_1h_input_tokens', 'cache_creation'),
    ),
    ...divided(sum('output_tokens'), 'output', {
      reasoning: sum('thinking_tokens', 'output_tokens_details'),
    }),
  })
}

/** The same of Bedrock, under names of its own. */
export const fromBedrock = (usage: Json): Usage | undefined => {
  const lifetime = (ttl: string) => {
    const found = objectsOf(usage.cacheDetails).find((one) => one.ttl === ttl)
    return countOf(found?.inputTokens)
  }
  return usageOf(
    {
      input: countOf(usage.inputTokens),
      cached: countOf(usage.cacheReadInputTokens),
      ...byLifetime(countOf(usage.cacheWriteInputTokens), lifetime('5m'), lifetime('1h')),
      output: countOf(usage.outputTokens),
    },
    countOf(usage.totalTokens),
  )
}

/** Divides what was written to the cache by its lifetimes, as far as they are told. */
const byLifetime = (
  written: number | undefined,
  short: number | undefined,
  long: number | undefined,
): Parts => {
  const rest = written === undefined ? undefined : written - (short ?? 0) - (long ?? 0)
  const isDivided = (short ?? long) !== undefined
  return {
    cacheWrite: isDivided && (rest ?? 0) <= 0 ? undefined : rest,
    cacheWrite5m: short,
    cacheWrite1h: long,
  }
}
