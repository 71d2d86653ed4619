import type { GenerationPayloadInput } from '../../generated/resolvers.js'
import { firstNumber, firstText, firstValue } from './attributes.js'
import { fromFlat, fromParts, type Message } from './messages.js'
import type { Attributes } from './schema.js'
import type { Span } from './span.js'

const SECOND = 1_000_000_000
/** The settings of a request, under the names of models' own APIs. */
const SETTING = /^(?:gen_ai\.request|llm\.request)\.(\w+)$/
const NO_SETTING = new Set(['model', 'type'])

/** Reads a span's attributes about a model call. */
export const toGeneration = (span: Span): GenerationPayloadInput => {
  const { attributes } = span
  const asked = messagesOf(attributes)
  const answer = answerOf(attributes)
  const input = firstNumber(
    attributes,
    'gen_ai.usage.input_tokens',
    'gen_ai.usage.prompt_tokens',
    'llm.token_count.prompt',
  )
  const output = firstNumber(
    attributes,
    'gen_ai.usage.output_tokens',
    'gen_ai.usage.completion_tokens',
    'llm.token_count.completion',
  )
  const total = firstNumber(attributes, 'llm.token_count.total', 'llm.usage.total_tokens')
  const { startTimeUnixNano: start, endTimeUnixNano: end } = span
  const seconds = Number(end - start) / SECOND
  const isTimed = start > 0n && end >= start
  return {
    type: 'CHAT',
    ...given('provider', firstText(attributes, ...PROVIDERS)),
    ...given('model', firstText(attributes, ...MODELS)),
    ...given('settings', settingsOf(attributes)),
    ...given('tools', firstValue(attributes, 'gen_ai.tool.definitions')),
    ...given('messages', asked.length === 0 ? undefined : asked),
    ...given('messageCompletion', answer),
    ...given('inputTokenCount', whole(input)),
    ...given('outputTokenCount', whole(output)),
    ...given(
      'tokenCount',
      whole(total ?? (input === undefined ? undefined : input + (output ?? 0))),
    ),
    ...(isTimed ? { duration: seconds } : {}),
  }
}

const PROVIDERS = ['gen_ai.provider.name', 'gen_ai.system', 'llm.provider', 'llm.system']
const MODELS = ['gen_ai.response.model', 'gen_ai.request.model', 'llm.model_name']

const given = <Name extends string, Value>(name: Name, value: Value | undefined) =>
  (value === undefined ? {} : { [name]: value }) as { [key in Name]?: Value }

const MAX_TOKENS = 2 ** 31 - 1
const whole = (value: number | undefined): number | undefined =>
  value === undefined || value < 0 || value > MAX_TOKENS ? undefined : Math.round(value)

const messagesOf = (attributes: Attributes): Message[] => {
  const system = firstValue(attributes, 'gen_ai.system_instructions')
  const parts = fromParts(attributes.get('gen_ai.input.messages'))
  if (parts.length > 0)
    return [
      ...(Array.isArray(system) ? fromParts([{ role: 'system', parts: system }]) : []),
      ...parts,
    ]
  const flat = fromFlat(attributes, 'llm.input_messages.')
  return flat.length > 0 ? flat : fromFlat(attributes, 'gen_ai.prompt.')
}

const answerOf = (attributes: Attributes): Message | undefined => {
  const [first] = [
    ...fromParts(attributes.get('gen_ai.output.messages')),
    ...fromFlat(attributes, 'llm.output_messages.'),
    ...fromFlat(attributes, 'gen_ai.completion.'),
  ]
  return first === undefined ? undefined : { ...first, role: 'assistant' }
}

const settingsOf = (attributes: Attributes): unknown => {
  const parameters = firstValue(attributes, 'llm.invocation_parameters')
  if (typeof parameters === 'object') return parameters
  const settings = new Map<string, unknown>()
  for (const [name, value] of attributes) {
    const setting = SETTING.exec(name)?.[1]
    if (setting !== undefined && !NO_SETTING.has(setting)) settings.set(setting, value)
  }
  return settings.size === 0 ? undefined : Object.fromEntries(settings)
}
