import { isJson, type Json, objectsOf } from '../model-calls/json.js'
import { toParts } from '../model-calls/message-parts.js'
import { toAttributes } from '../model-calls/usage/attributes.js'
import { countOf, type Parts, usageOf } from '../model-calls/usage/usage.js'

/** Settings whose names differ there. */
const SETTINGS: Readonly<Record<string, string>> = {
  stop: 'stop_sequences',
  n: 'choice.count',
  max_completion_tokens: 'max_tokens',
  max_output_tokens: 'max_tokens',
}

/** Returns the attributes of a model call: without content, neither messages and tools nor settings that are texts. */
export const generationAttributes = (generation: Json, hasContent: boolean): Json => {
  const { model, provider, messages, messageCompletion, prompt, completion, tools } = generation
  return {
    'gen_ai.provider.name': provider,
    'gen_ai.request.model': model,
    ...settingsOf(generation.settings, hasContent),
    ...tokensOf(generation),
    'gen_ai.usage.cost': generation.cost,
    'gen_ai.response.time_to_first_chunk': secondsOf(generation.ttFirstToken),
    ...(hasContent
      ? {
          'gen_ai.input.messages': messagesOf(messages, prompt, 'user'),
          'gen_ai.output.messages': messagesOf(
            isJson(messageCompletion) ? [messageCompletion] : undefined,
            completion,
            'assistant',
          ),
          'gen_ai.tool.definitions': Array.isArray(tools) ? JSON.stringify(tools) : undefined,
        }
      : {}),
  }
}

/** Returns the attributes of the tokens: of their parts, or of the sums where these alone are known. */
const tokensOf = ({ usage, inputTokenCount, outputTokenCount }: Json): Json => {
  const parts = isJson(usage) ? usageOf(usage as Parts, countOf(usage.total)) : undefined
  return parts === undefined
    ? {
        'gen_ai.usage.input_tokens': inputTokenCount,
        'gen_ai.usage.output_tokens': outputTokenCount,
      }
    : toAttributes(parts)
}

const settingsOf = (settings: unknown, hasContent: boolean): Json =>
  isJson(settings)
    ? Object.fromEntries(
        Object.entries(settings)
          .filter(
            ([, value]) => hasContent || typeof value === 'number' || typeof value === 'boolean',
          )
          .map(([name, value]) => [
            `gen_ai.request.${Object.hasOwn(SETTINGS, name) ? SETTINGS[name] : name}`,
            value,
          ]),
      )
    : {}

const messagesOf = (messages: unknown, plain: unknown, role: string): string | undefined => {
  const list = objectsOf(messages)
  if (list.length > 0) return JSON.stringify(list.map(toParts))
  return typeof plain === 'string' ? JSON.stringify([toParts({ role, content: plain })]) : undefined
}

const secondsOf = (ms: unknown): number | undefined =>
  typeof ms === 'number' ? ms / 1000 : undefined
