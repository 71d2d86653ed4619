import type { GenerationPayloadInput } from '../../generated/resolvers.js'
import { firstNumber, firstText, firstValue, structure } from './attributes.js'
import { fromFlat, fromParts, type Message } from './messages.js'
import type { Attributes } from './schema.js'
import type { Span } from './span.js'
import { isTextOf, type Taken } from './taken.js'
import { FLAT, type FlatForm, toFlat, toParts } from './told-again.js'

const SECOND = 1_000_000_000
/** The settings of a request, under the names of models' own APIs. */
const SETTING = /^(?:gen_ai\.request|llm\.request)\.(\w+)$/
const NO_SETTING = new Set(['model', 'type'])

/** Reads a span's attributes about a model call, and notes those that the fields hold in whole. */
export const toGeneration = (span: Span, taken: Taken): GenerationPayloadInput => {
  const { attributes } = span
  const asked = messagesOf(attributes, taken)
  const answer = answerOf(attributes, taken)
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
    ...given('tools', toolsOf(attributes, taken)),
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

const INSTRUCTIONS = 'gen_ai.system_instructions'
const ASKED = 'gen_ai.input.messages'
const ANSWERED = 'gen_ai.output.messages'
const TOOLS = 'gen_ai.tool.definitions'

const toolsOf = (attributes: Attributes, taken: Taken): unknown => {
  const tools = firstValue(attributes, TOOLS)
  if (Array.isArray(tools) && isTextOf(attributes.get(TOOLS), tools))
    taken.add(TOOLS, 'generation.tools')
  return tools
}

const messagesOf = (attributes: Attributes, taken: Taken): Message[] => {
  const field = 'generation.messages'
  const instructions = instructionsOf(attributes)
  const parts = fromParts(attributes.get(ASKED))
  if (parts.length === 0) {
    const flat = flatOf(attributes, FLAT.asked, taken, field)
    if (flat.messages.length > 0) {
      flat.note()
      return flat.messages
    }
  }
  // Only then is the first message known to be the instructions, and the others to be none.
  const isKnown = instructions.every((message) =>
    isTextOf(attributes.get(INSTRUCTIONS), toParts(message).parts),
  )
  if (isKnown && instructions.length === 1) taken.add(INSTRUCTIONS, field)
  if (isKnown && parts.length > 0 && isTextOf(attributes.get(ASKED), parts.map(toParts)))
    taken.add(ASKED, field)
  return [...instructions, ...parts]
}

/** Returns the instructions as a message, if there are any. */
const instructionsOf = (attributes: Attributes): Message[] => {
  const said = structure(attributes.get(INSTRUCTIONS))
  if (Array.isArray(said)) return fromParts([{ role: 'system', parts: said }])
  return typeof said === 'string' && said !== '' ? [{ role: 'system', content: said }] : []
}

/** Returns the first answer. A model may be asked for several; the attributes of all of them then stay. */
const answerOf = (attributes: Attributes, taken: Taken): Message | undefined => {
  const field = 'generation.messageCompletion'
  const parts = fromParts(attributes.get(ANSWERED))
  const { messages, note } =
    parts.length > 0
      ? {
          messages: parts,
          note: () => {
            if (isTextOf(attributes.get(ANSWERED), parts.map(toParts))) taken.add(ANSWERED, field)
          },
        }
      : flatOf(attributes, FLAT.answered, taken, field)
  const [first] = messages
  if (first === undefined) return undefined
  if (messages.length === 1 && first.role === 'assistant') note()
  return { ...first, role: 'assistant' }
}

/** Returns the flat messages of the first convention that has some, and a function that notes their attributes. */
const flatOf = (
  attributes: Attributes,
  forms: readonly FlatForm[],
  taken: Taken,
  field: string,
): { messages: Message[]; note: () => void } => {
  for (const form of forms) {
    const messages = fromFlat(attributes, `${form.beginning}.`)
    if (messages.length === 0) continue
    const note = () => {
      const names = namesBelow(attributes, `${form.beginning}.`)
      const again = toFlat(messages, form)
      if (
        names.length === again.size &&
        names.every((name) => again.get(name) === attributes.get(name))
      )
        taken.addAll(form.beginning, names, field)
    }
    return { messages, note }
  }
  return { messages: [], note: () => undefined }
}

const namesBelow = (attributes: Attributes, beginning: string): string[] =>
  [...attributes.keys()].filter((name) => name.startsWith(beginning))

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
