import { isJson, type Json } from '../json.js'
import { countOf, divided, isOutside, type Usage, usageOf } from './usage.js'

/**
 * Reads the usage of chat completions, responses and embeddings, and of the providers with the same API: parts are
 * within `prompt_tokens` and `completion_tokens`, or `input_tokens` and `output_tokens`.
 */
export const fromOpenAI = (usage: Json): Usage | undefined => {
  const prompt = countOf(usage.prompt_tokens) ?? countOf(usage.input_tokens)
  const completion = countOf(usage.completion_tokens) ?? countOf(usage.output_tokens)
  const read = detailsOf(usage.prompt_tokens_details) ?? detailsOf(usage.input_tokens_details) ?? {}
  const written =
    detailsOf(usage.completion_tokens_details) ?? detailsOf(usage.output_tokens_details) ?? {}
  const total = countOf(usage.total_tokens)
  const reasoning = countOf(written.reasoning_tokens) ?? countOf(usage.reasoning_tokens)
  return usageOf(
    Object.assign(
      divided(prompt, 'input', {
        cached:
          countOf(read.cached_tokens) ??
          countOf(usage.prompt_cache_hit_tokens) ??
          countOf(usage.num_cached_tokens) ??
          countOf(usage.cached_tokens),
        cacheWrite: countOf(read.cache_write_tokens),
        audioInput: countOf(read.audio_tokens),
        imageInput: countOf(read.image_tokens),
      }),
      divided(
        isOutside(prompt, completion, reasoning, total)
          ? (completion ?? 0) + (reasoning ?? 0)
          : completion,
        'output',
        {
          reasoning,
          audioOutput: countOf(written.audio_tokens),
          imageOutput: countOf(written.image_tokens),
        },
      ),
    ),
    total,
  )
}

const detailsOf = (value: unknown): Json | undefined => (isJson(value) ? value : undefined)
