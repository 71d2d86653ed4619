// Requests to models and their answers in whole, as clients send and receive them: Langfuse writes nothing else of a
// call, Logfire little else, OpenInference writes them beside its attributes for each message, which leave some things out.
import { isObject } from '../../../domain/values.js'
import type { Attributes } from '../../encoding/schema.js'
import { firstValue, structure } from '../attributes.js'
import { type Message, toCall } from '../messages.js'
import { asSentByAdk } from './adk.js'
import { contentOf, fromBlocks } from './blocks.js'
import { asSentByGenkit } from './genkit.js'
import { fromLangChain, isLangChain } from './langchain.js'
import { RUN_INPUT, RUN_OUTPUT, usageOfLangSmith } from './langsmith.js'

/** The parts of a call that its request and answer tell of, as far as their form is known. */
export interface AsSent {
  asked: Message[]
  tools: unknown[] | undefined
  answer: Message | undefined
  /** The model that answered. */
  model: string | undefined
  /** Tokens as the API of the model counts them. */
  usage: Record<string, unknown> | undefined
  /** Settings, of those that write them nowhere else. */
  settings?: Record<string, unknown> | undefined
}

const REQUEST = 'langfuse.observation.input'
const ANSWER = 'langfuse.observation.output'

/** Reads the request and the answer of a call, if its span has them. */
export const asSent = (attributes: Attributes): AsSent =>
  asSentByAdk(attributes) ?? asSentByGenkit(attributes) ?? asSentInWhole(attributes)

const asSentInWhole = (attributes: Attributes): AsSent => {
  const request = firstValue(attributes, 'input.value', REQUEST, 'request_data', RUN_INPUT)
  const answer = firstValue(attributes, 'output.value', ANSWER, 'response_data', RUN_OUTPUT)
  const response = responseOf(answer)
  const { tools } = isObject(request) ? request : { tools: undefined }
  const message = messageOf(answer)
  const { model } = response ?? {}
  const usage =
    // Of Logfire.
    structure(attributes.get('gen_ai.usage.raw')) ?? usageOfLangSmith(attributes) ?? response?.usage
  return {
    asked: askedOf(request, attributes.has(REQUEST)),
    tools: Array.isArray(tools) && tools.length > 0 ? tools : undefined,
    answer: message ?? (attributes.has(ANSWER) ? bareAnswer(answer) : undefined),
    model: typeof model === 'string' && model !== '' ? model : undefined,
    usage: isObject(usage) ? usage : undefined,
  }
}

const askedOf = (request: unknown, isWhole: boolean): Message[] => {
  if (Array.isArray(request)) return toMessages(request)
  if (isObject(request)) {
    const { messages, system, instructions, input } = request
    const said = system ?? instructions
    const first = said === undefined || said === null ? [] : [{ role: 'system', content: said }]
    const listed = messages ?? input
    const others =
      typeof listed === 'string' ? [{ role: 'user', content: listed }] : toMessages(listed)
    return others.length === 0 ? [] : [...first.map(plain), ...others]
  }
  return isWhole && typeof request === 'string' && request !== ''
    ? [{ role: 'user', content: request }]
    : []
}

/** Converts a list of messages, or the only list within one, as LangChain has it; none if it has anything else. */
const toMessages = (list: unknown): Message[] => {
  if (!Array.isArray(list)) return []
  const [first] = list
  if (list.length === 1 && Array.isArray(first)) return toMessages(first)
  const messages = list.filter(isObject)
  if (messages.length < list.length) return []
  if (messages.every(isLangChain)) return messages.map(fromLangChain)
  return messages.every(({ role }) => typeof role === 'string')
    ? messages.flatMap((one) => fromBlocks(plain(one)))
    : []
}

/** Joins the content of a message if it consists of texts only. */
const plain = (message: Message): Message =>
  Array.isArray(message.content) &&
  message.content.length > 0 &&
  message.content.every((block) => isObject(block) && block.type === 'text')
    ? { ...message, content: contentOf(message.content as Message[]) }
    : message

/** Returns the response of an API, which some write as the only one of a list. */
const responseOf = (answer: unknown): Message | undefined => {
  const response = Array.isArray(answer) && answer.length === 1 ? answer[0] : answer
  if (!isObject(response)) return undefined
  const { generations } = response
  if (!Array.isArray(generations)) return isResponse(response) ? response : undefined
  const { message } = firstGeneration(generations) ?? {}
  const { kwargs } = isObject(message) ? message : {}
  const { response_metadata: metadata } = isObject(kwargs) ? kwargs : {}
  return isObject(metadata) ? { model: metadata.model_name, usage: metadata.usage } : undefined
}

/** An answer of a model may be any JSON, too. */
const isResponse = ({ choices, output, role, usage }: Message): boolean =>
  Array.isArray(choices) || Array.isArray(output) || (role === 'assistant' && isObject(usage))

const firstGeneration = (generations: readonly unknown[]): Message | undefined => {
  const [list] = generations
  const first: unknown = Array.isArray(list) ? list[0] : list
  return isObject(first) ? first : undefined
}

/** Returns the message that a response has. */
const messageOf = (answer: unknown): Message | undefined => {
  const response = Array.isArray(answer) && answer.length === 1 ? answer[0] : answer
  if (!isObject(response)) return undefined
  const { choices, generations, message, messages, output, role, usage } = response
  if (Array.isArray(choices)) {
    const [choice] = choices
    if (!isObject(choice) || !isObject(choice.message)) return undefined
    return answered({ ...choice.message, finish_reason: choice.finish_reason })
  }
  if (Array.isArray(generations)) {
    const { message: first } = firstGeneration(generations) ?? {}
    return isObject(first) && isLangChain(first) ? fromLangChain(first) : undefined
  }
  if (Array.isArray(output)) return fromItems(output.filter(isObject))
  if (isObject(message) && isObject(usage)) return answered(message)
  // Of functions that LangSmith traces as models.
  if (Array.isArray(messages)) return toMessages(messages).at(-1)
  return role === 'assistant' ? answered(response) : undefined
}

/** Returns the members of an answer that belong to the message: not those of the response around it. */
const answered = (message: Message): Message | undefined => {
  const { content, tool_calls: calls, reasoning_content: thought, finish_reason, name } = message
  const reasoning = message.reasoning ?? thought
  const reason = finish_reason ?? message.stop_reason
  return fromBlocks({
    role: 'assistant',
    content: content ?? null,
    ...(name === undefined ? {} : { name }),
    ...(reasoning === undefined || reasoning === null ? {} : { reasoning }),
    ...(Array.isArray(calls) && calls.length > 0 ? { tool_calls: calls } : {}),
    ...(reason === undefined || reason === null ? {} : { finish_reason: reason }),
  }).map(plain)[0]
}

/** Joins the items that a response of OpenAI consists of. */
const fromItems = (items: readonly Message[]): Message | undefined => {
  const textsOf = (name: 'content' | 'summary', type: string) =>
    items
      .filter((item) => item.type === type)
      .flatMap((item) => (Array.isArray(item[name]) ? item[name].filter(isObject) : []))
      .flatMap(({ text }) => (typeof text === 'string' ? [text] : []))
  const texts = textsOf('content', 'message')
  const thoughts = textsOf('summary', 'reasoning')
  const calls = items.filter(({ type }) => type === 'function_call')
  if (texts.length + thoughts.length + calls.length === 0) return undefined
  return {
    role: 'assistant',
    content: texts.length === 0 ? null : texts.join('\n'),
    ...(thoughts.length === 0 ? {} : { reasoning: thoughts.join('\n') }),
    ...(calls.length === 0
      ? {}
      : { tool_calls: calls.map((call) => toCall({ ...call, id: call.call_id })) }),
  }
}

/** Returns the answer of a tracer that leaves the role out, or writes the text only. */
const bareAnswer = (answer: unknown): Message | undefined => {
  if (typeof answer === 'string' && answer !== '') return { role: 'assistant', content: answer }
  return isObject(answer) && ('content' in answer || 'tool_calls' in answer)
    ? answered(answer)
    : undefined
}

/** Returns the first of several tellings that tells most: parts, calls of tools, their ids, thoughts. */
export const fullest = <Telling extends readonly Message[]>(
  tellings: readonly Telling[],
): Telling | undefined =>
  tellings.reduce<Telling | undefined>(
    (best, one) => (best === undefined || sizeOf(one) > sizeOf(best) ? one : best),
    undefined,
  )

/** Returns true for a part that says more than its type. */
const saysMore = (part: unknown): boolean => isObject(part) && Object.keys(part).length > 1

const sizeOf = (messages: readonly Message[]): number =>
  messages.reduce((sum, { content, tool_calls: calls, tool_call_id: id, reasoning }) => {
    const parts = Array.isArray(content) ? content.filter(saysMore).length : content ? 1 : 0
    const called = Array.isArray(calls) ? calls.filter(isObject) : []
    const ids = called.filter((call) => call.id !== undefined).length
    return sum + 1 + parts + called.length + ids + (id ? 1 : 0) + (reasoning ? 1 : 0)
  }, 0)
