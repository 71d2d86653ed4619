// The messages of a call of a model, and the tools that it was offered, by the first convention that has some.
import type { Attributes } from '../encoding/schema.js'
import { elementsOf, firstValue, structure } from './attributes.js'
import { answerOfAiSdk, askedOfAiSdk, toolsOfAiSdk } from './dialects/ai-sdk.js'
import { type AsSent, fullest } from './dialects/as-sent.js'
import { fromBlocks } from './dialects/blocks.js'
import { outputOf } from './dialects/langsmith.js'
import { answerOfList, askedOfList, listedEvents } from './dialects/listed-events.js'
import { answersOfEvents, askedOfEvents, type CallEvent, legacyMessages } from './events.js'
import { fromFlat, fromParts, type Message } from './messages.js'
import { isTextOf, type Taken } from './taken.js'
import { FLAT, type FlatForm, toFlat, toParts } from './told-again.js'

/** The sources of a call: the attributes of its span, and events of the span or log records. */
export interface CallSource {
  attributes: Attributes
  events: readonly CallEvent[]
}

/** The same, with the request and the answer in whole, if the attributes have them. */
interface WholeSource extends CallSource {
  sent: AsSent
}

const INSTRUCTIONS = 'gen_ai.system_instructions'
const ASKED = 'gen_ai.input.messages'
const ANSWERED = 'gen_ai.output.messages'
const TOOLS = 'gen_ai.tool.definitions'

/** Returns the tools that a model was offered; undefined when there are none. */
export const toolsOf = ({ attributes, sent }: WholeSource, taken: Taken): unknown => {
  const tools = firstValue(attributes, TOOLS)
  if (Array.isArray(tools) && isTextOf(attributes.get(TOOLS), tools))
    taken.add(TOOLS, 'generation.tools')
  return tools ?? flatTools(attributes) ?? toolsOfAiSdk(attributes) ?? sent.tools
}

/** Returns the tools of OpenInference, each with its JSON in one attribute, or of OpenLLMetry. */
const flatTools = (attributes: Attributes): unknown[] | undefined => {
  const schemas = elementsOf(attributes, 'llm.tools', 'tool').flatMap((members) =>
    members.has('json_schema') ? [structure(members.get('json_schema'))] : [],
  )
  if (schemas.length > 0) return schemas
  const functions = elementsOf(attributes, 'llm.request.functions').map((members) => ({
    type: 'function',
    function: Object.fromEntries([...members].map(([name, value]) => [name, structure(value)])),
  }))
  return functions.length > 0 ? functions : undefined
}

/** Returns what a model was asked. */
export const askedOf = ({ attributes, events, sent }: WholeSource, taken: Taken): Message[] => {
  const field = 'generation.messages'
  const instructions = instructionsOf(attributes)
  const parts = fromParts(attributes.get(ASKED))
  if (parts.length === 0) {
    const flat = flatOf(attributes, FLAT.asked, taken, field)
    const messages = flat.messages.flatMap(fromBlocks)
    if (messages.length > 0) {
      const tellings = [messages, askedOfAiSdk(attributes), sent.asked]
      const told = fullest(tellings) ?? messages
      if (told === messages) flat.note()
      return told
    }
  }
  // Only then is the first message known to be the instructions, and the others to be none.
  const isKnown = instructions.every((message) =>
    isTextOf(attributes.get(INSTRUCTIONS), toParts(message).parts),
  )
  if (isKnown && instructions.length === 1) taken.add(INSTRUCTIONS, field)
  if (isKnown && parts.length > 0 && isTextOf(attributes.get(ASKED), parts.map(toParts)))
    taken.add(ASKED, field)
  if (parts.length > 0) return [...instructions, ...parts]
  const others = [
    askedOfAiSdk(attributes),
    askedOfEvents(events),
    askedOfList(listedEvents(attributes)),
    sent.asked,
    plainPrompt(attributes),
  ]
  return [...instructions, ...(others.find(({ length }) => length > 0) ?? [])]
}

/** Returns the instructions as a message, if there are any. */
const instructionsOf = (attributes: Attributes): Message[] => {
  const said = structure(attributes.get(INSTRUCTIONS))
  if (Array.isArray(said)) return fromParts([{ role: 'system', parts: said }])
  return typeof said === 'string' && said !== '' ? [{ role: 'system', content: said }] : []
}

/** Returns the prompt of a call without roles, or one of before there were conventions for messages. */
const plainPrompt = (attributes: Attributes): Message[] => {
  const texts = elementsOf(attributes, 'llm.prompts', 'prompt').flatMap((members) =>
    members.has('text') ? [{ role: 'user', content: members.get('text') }] : [],
  )
  return texts.length > 0 ? texts : legacyMessages(attributes.get('gen_ai.prompt'), 'user')
}

/** Returns the answers of a call without roles, or of before there were conventions for messages. */
const plainAnswers = (attributes: Attributes): Message[] => {
  const texts = elementsOf(attributes, 'llm.choices', 'completion').flatMap((members) =>
    members.has('text') ? [{ role: 'assistant', content: members.get('text') }] : [],
  )
  return texts.length > 0 ? texts : legacyMessages(outputOf(attributes), 'assistant')
}

/** Returns the first answer. A model may be asked for several; the attributes of all of them then stay. */
export const answerOf = (
  { attributes, events, sent }: WholeSource,
  taken: Taken,
): Message | undefined => {
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
  const first = withThoughts(messages)
  if (first === undefined)
    return (
      answerOfAiSdk(attributes) ??
      answersOfEvents(events)[0] ??
      answerOfList(listedEvents(attributes)) ??
      sent.answer ??
      plainAnswers(attributes)[0]
    )
  const tellings = [[first], parts.length === 0 && sent.answer ? [sent.answer] : []]
  const [told = first] = fullest(tellings) ?? []
  if (told === first && messages.length === 1 && first.role === 'assistant') note()
  return { ...told, role: 'assistant' }
}

/** Returns the first answer. OpenLLMetry writes the thoughts of a model as answers of their own before it. */
const withThoughts = (messages: readonly Message[]): Message | undefined => {
  const thoughts = messages.filter(({ role }) => role === 'thinking')
  const first = messages.find(({ role }) => role !== 'thinking')
  return thoughts.length === 0 || first === undefined
    ? messages[0]
    : { ...first, reasoning: thoughts.map(({ content }) => content).join('\n') }
}

/** Returns the flat messages of the first convention that has some, and a function that notes their attributes. */
const flatOf = (
  attributes: Attributes,
  forms: readonly FlatForm[],
  taken: Taken,
  field: string,
): { messages: Message[]; note: () => void } => {
  for (const form of forms) {
    const messages = fromFlat(attributes, form.beginning)
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
