// Copied from src/model-calls/usage/langchain.ts.
import { isJson, type Json } from '../json.js'
import { fromOpenAI } from './openai.js'
import type { Usage } from './usage.js'

/** Reads `usage_metadata` of a message of LangChain: parts are within the input and the output. */
export const fromLangChain = (usage: Json): Usage | undefined => {
  const read = isJson(usage.input_token_details) ? usage.input_token_details : {}
  const written = isJson(usage.output_token_details) ? usage.output_token_details : {}
  return fromOpenAI({
    ...usage,
    input_tokens_details: {
      cached_tokens: read.cache_read,
      cache_write_tokens: read.cache_creation,
      audio_tokens: read.audio,
    },
    output_tokens_details: { reasoning_tokens: written.reasoning, audio_tokens: written.audio },
  })
}
