import { isObject } from '../../values.js'
import {
  type ModelEvent,
  numberOf,
  type Protocol,
  plainMessages,
  plainSettings,
  textOf,
} from './protocol.js'

/** OpenAI's chat completions, as a stream. */
export const openai: Protocol = {
  address: (baseUrl) => `${baseUrl}/chat/completions`,
  headers: (key): Record<string, string> => (key === '' ? {} : { authorization: `Bearer ${key}` }),
  body: ({ model, messages, settings, tools }) => ({
    ...plainSettings(settings),
    model,
    messages: plainMessages(messages),
    ...(tools.length === 0 ? {} : { tools }),
    stream: true,
    stream_options: { include_usage: true },
  }),
  read: ({ choices, usage, error }) => {
    if (isObject(error)) return [{ type: 'error', message: textOf(error.message) ?? 'unknown' }]
    const events: ModelEvent[] = []
    const [choice] = Array.isArray(choices) ? choices : []
    if (isObject(choice)) {
      if (isObject(choice.delta)) events.push(...readDelta(choice.delta))
      const reason = textOf(choice.finish_reason)
      if (reason !== undefined) events.push({ type: 'end', reason })
    }
    if (isObject(usage))
      events.push(usageOf(numberOf(usage.prompt_tokens), numberOf(usage.completion_tokens)))
    return events
  },
}

const readDelta = ({ content, refusal, tool_calls: calls }: Record<string, unknown>) => {
  const events: ModelEvent[] = []
  const text = textOf(content) || textOf(refusal)
  if (text) events.push({ type: 'text', text })
  for (const [place, call] of (Array.isArray(calls) ? calls : []).entries()) {
    if (!isObject(call) || !isObject(call.function)) continue
    const { name, arguments: pieces } = call.function
    events.push({
      type: 'tool',
      index: numberOf(call.index) ?? place,
      ...(textOf(name) ? { name: textOf(name) as string } : {}),
      ...(textOf(pieces) ? { arguments: textOf(pieces) as string } : {}),
    })
  }
  return events
}

export const usageOf = (
  inputTokens: number | undefined,
  outputTokens: number | undefined,
): ModelEvent => ({
  type: 'usage',
  ...(inputTokens === undefined ? {} : { inputTokens }),
  ...(outputTokens === undefined ? {} : { outputTokens }),
})
