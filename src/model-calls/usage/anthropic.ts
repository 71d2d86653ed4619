import { isJson, type Json, objectsOf } from '../json.js'
import { countOf, type Usage, usageOf } from './usage.js'

/** Input and output beside what went into and came from a cache. */
export const fromAnthropic = (usage: Json): Usage | undefined => {
  const written = countOf(usage.cache_creation_input_tokens)
  const lifetimes = isJson(usage.cache_creation) ? usage.cache_creation : {}
  const short = countOf(lifetimes.ephemeral_5m_input_tokens)
  const long = countOf(lifetimes.ephemeral_1h_input_tokens)
  const rest = written === undefined ? undefined : written - (short ?? 0) - (long ?? 0)
  const isDivided = short !== undefined || long !== undefined
  return usageOf({
    input: countOf(usage.input_tokens),
    cached: countOf(usage.cache_read_input_tokens),
    cacheWrite: isDivided && rest !== undefined && rest <= 0 ? undefined : rest,
    cacheWrite5m: short,
    cacheWrite1h: long,
    output: countOf(usage.output_tokens),
  })
}

/** The same of Bedrock, under names of its own. */
export const fromBedrock = (usage: Json): Usage | undefined => {
  const lifetime = (ttl: string) => {
    const found = objectsOf(usage.cacheDetails).find((one) => one.ttl === ttl)
    return countOf(found?.inputTokens)
  }
  const [short, long] = [lifetime('5m'), lifetime('1h')]
  const written = countOf(usage.cacheWriteInputTokens)
  const rest = written === undefined ? undefined : written - (short ?? 0) - (long ?? 0)
  const isDivided = short !== undefined || long !== undefined
  return usageOf(
    {
      input: countOf(usage.inputTokens),
      cached: countOf(usage.cacheReadInputTokens),
      cacheWrite: isDivided && rest !== undefined && rest <= 0 ? undefined : rest,
      cacheWrite5m: short,
      cacheWrite1h: long,
      output: countOf(usage.outputTokens),
    },
    countOf(usage.totalTokens),
  )
}
