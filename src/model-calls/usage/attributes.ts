// Usage in attributes of spans. The service reads them by a generated copy of this file.
import { parsed } from '../json.js'
import { fromLangfuse } from './langfuse.js'
import {
  countOf,
  countsOf,
  divided,
  isOutside,
  PARTS,
  type Parts,
  type Usage,
  usageOf,
} from './usage.js'

/** Returns the value of an attribute; undefined when a span has none of this name. */
export type AttributeOf = (name: string) => unknown

const INPUT = [
  'gen_ai.usage.input_tokens',
  'gen_ai.usage.prompt_tokens',
  'llm.token_count.prompt',
  'llm.usage.prompt_tokens',
  'ai.usage.inputTokens',
  'ai.usage.promptTokens',
  // Of an embedding.
  'ai.usage.tokens',
]
const OUTPUT = [
  'gen_ai.usage.output_tokens',
  'gen_ai.usage.completion_tokens',
  'llm.token_count.completion',
  'llm.usage.completion_tokens',
  'ai.usage.outputTokens',
  'ai.usage.completionTokens',
]
const TOTAL = [
  'gen_ai.usage.total_tokens',
  'llm.token_count.total',
  'llm.usage.total_tokens',
  'ai.usage.totalTokens',
]
const FRESH = ['ai.usage.inputTokenDetails.noCacheTokens']
const CACHED = [
  'gen_ai.usage.cache_read.input_tokens',
  'gen_ai.usage.cache_read_input_tokens',
  'gen_ai.usage.input_tokens.cached',
  'gen_ai.usage.cached_input_tokens',
  'gen_ai.usage.details.cache_read_tokens',
  'gen_ai.usage.details.cache_read_input_tokens',
  'gen_ai.usage.details.cached_tokens',
  'llm.token_count.prompt_details.cache_read',
  'llm.usage.cache_read_input_tokens',
  'ai.usage.inputTokenDetails.cacheReadTokens',
  'ai.usage.cachedInputTokens',
]
const CACHE_WRITE = [
  'gen_ai.usage.cache_creation.input_tokens',
  'gen_ai.usage.cache_creation_input_tokens',
  'gen_ai.usage.cache_write.input_tokens',
  'gen_ai.usage.input_tokens.cache_write',
  'gen_ai.usage.details.cache_write_tokens',
  'gen_ai.usage.details.cache_creation_input_tokens',
  'llm.token_count.prompt_details.cache_write',
  'llm.usage.cache_creation_input_tokens',
  'ai.usage.inputTokenDetails.cacheWriteTokens',
]
const REASONING = [
  'gen_ai.usage.reasoning.output_tokens',
  'gen_ai.usage.output_tokens.reasoning',
  'gen_ai.usage.reasoning_tokens',
  'gen_ai.usage.details.reasoning_tokens',
  'llm.token_count.completion_details.reasoning',
  'llm.usage.reasoning_tokens',
  'ai.usage.outputTokenDetails.reasoningTokens',
  'ai.usage.reasoningTokens',
]
const AUDIO_INPUT = [
  'llm.token_count.prompt_details.audio',
  'gen_ai.usage.details.input_audio_tokens',
]
const AUDIO_OUTPUT = [
  'llm.token_count.completion_details.audio',
  'gen_ai.usage.details.output_audio_tokens',
]
const LANGFUSE = 'langfuse.observation.usage_details'

/**
 * Reads the usage of a span, by the conventions of OpenTelemetry in all of their versions (`gen_ai.usage`),
 * OpenInference (`llm.token_count`), OpenLLMetry (`llm.usage`), the AI SDK (`ai.usage`), Langfuse and our own exporter.
 * Returns undefined when it tells none.
 */
export const fromAttributes = (attribute: AttributeOf): Usage | undefined => {
  const own = fromOwn(attribute)
  if (own !== undefined) return own
  const first = (names: readonly string[]) => {
    for (const name of names) {
      const count = countOf(attribute(name))
      if (count !== undefined) return count
    }
    return undefined
  }
  const total = first(TOTAL)
  const output = first(OUTPUT)
  const reasoning = first(REASONING)
  const cached = first(CACHED)
  const cacheWrite = first(CACHE_WRITE)
  const whole = first(INPUT)
  const fresh = first(FRESH)
  const known = whole ?? fresh
  const input =
    whole === undefined && fresh !== undefined ? fresh + (cached ?? 0) + (cacheWrite ?? 0) : whole
  const ofCache = (cached ?? 0) + (cacheWrite ?? 0)
  // Instrumentations pass on the numbers of providers that count their cache beside the input.
  const isBeside =
    known !== undefined &&
    fresh === undefined &&
    ofCache > 0 &&
    (ofCache > known || total === known + ofCache + (output ?? 0))
  const audioInput = first(AUDIO_INPUT)
  const usage = usageOf(
    {
      ...(isBeside
        ? { cached, cacheWrite, ...divided(whole, 'input', { audioInput }) }
        : divided(input, 'input', { cached, cacheWrite, audioInput })),
      ...divided(
        isOutside(known, output, reasoning, total) ? (output ?? 0) + (reasoning ?? 0) : output,
        'output',
        { reasoning, audioOutput: first(AUDIO_OUTPUT) },
      ),
    },
    total,
  )
  return usage ?? langfuseOf(attribute(LANGFUSE))
}

/** Characters that the numbers of a call may take. */
const MAX_CHARACTERS = 10_000

const langfuseOf = (details: unknown): Usage | undefined =>
  fromLangfuse(
    typeof details === 'string' && details.length <= MAX_CHARACTERS ? parsed(details) : details,
  )

/** Returns the name of our own attribute of a part: `stepwell.usage.cache_write_5m`. */
const ownName = (part: string): string =>
  `stepwell.usage.${part.replace(/[A-Z]|\d(?=[mh]$)/g, (one) => `_${one.toLowerCase()}`)}`

const fromOwn = (attribute: AttributeOf): Usage | undefined => {
  const total = countOf(attribute(ownName('total')))
  if (total === undefined) return undefined
  const parts: Parts = {}
  for (const part of PARTS) parts[part] = countOf(attribute(ownName(part)))
  return usageOf(parts, total)
}

/**
 * Writes usage by the names of OpenTelemetry. Adds all parts by names of our own where the others, read again, would not
 * say the same: they have none for sound, images, the lifetime of a cache, or a part that is unknown.
 */
export const toAttributes = (usage: Usage): Record<string, number> => {
  const { cached, cacheWrite, cacheWrite5m, cacheWrite1h, reasoning } = usage
  const { inputTokenCount, outputTokenCount } = countsOf(usage)
  const writes = [cacheWrite, cacheWrite5m, cacheWrite1h].filter((count) => count !== undefined)
  const named = given({
    'gen_ai.usage.input_tokens': inputTokenCount,
    'gen_ai.usage.output_tokens': outputTokenCount,
    'gen_ai.usage.cache_read.input_tokens': cached,
    'gen_ai.usage.cache_creation.input_tokens':
      writes.length === 0 ? undefined : writes.reduce((sum, count) => sum + count, 0),
    'gen_ai.usage.reasoning.output_tokens': reasoning,
  })
  const again = fromAttributes((name) => named[name])
  if (again !== undefined && isSame(again, usage)) return named
  const own = PARTS.map((part) => [ownName(part), usage[part]] as const)
  return { ...named, ...given(Object.fromEntries(own)), [ownName('total')]: usage.total }
}

const given = (counts: Readonly<Record<string, number | undefined>>): Record<string, number> => {
  const result: Record<string, number> = {}
  for (const name in counts) {
    const count = counts[name]
    if (count !== undefined) result[name] = count
  }
  return result
}

const isSame = (one: Usage, other: Usage): boolean =>
  one.total === other.total && PARTS.every((part) => one[part] === other[part])
