// Messages whose content is a list of blocks, as Anthropic has them: calls of tools, their results and thoughts lie
// between texts.
import { isObject } from '../../../domain/values.js'
import { asText, type Message, toCall } from '../messages.js'

/** Divides a message by its blocks; each result of a tool becomes a message of its own. Others stay as they are. */
export const fromBlocks = (message: Message): Message[] => {
  const { content, ...rest } = message
  if (!Array.isArray(content) || !content.some(isSpecial)) return [message]
  const blocks = content.filter(isObject)
  const calls = blocks.filter(({ type }) => type === 'tool_use')
  const results = blocks.filter(({ type }) => type === 'tool_result')
  const thoughts = blocks.flatMap(({ type, thinking }) =>
    type === 'thinking' && typeof thinking === 'string' ? [thinking] : [],
  )
  const others = blocks.filter((block) => !isSpecial(block))
  const own: Message = {
    ...rest,
    content: others.length === 0 ? null : contentOf(others),
    ...(thoughts.length === 0 ? {} : { reasoning: thoughts.join('\n') }),
    ...(calls.length === 0 || 'tool_calls' in rest
      ? {}
      : { tool_calls: calls.map(({ id, name, input }) => toCall({ id, name, arguments: input })) }),
  }
  const isOnlyResults = results.length > 0 && results.length === blocks.length
  return [
    ...results.map(({ tool_use_id: id, content: result }) => ({
      role: 'tool',
      tool_call_id: id,
      content: resultOf(result),
    })),
    ...(isOnlyResults ? [] : [own]),
  ]
}

const isSpecial = (block: unknown): boolean =>
  isObject(block) && ['tool_use', 'tool_result', 'thinking'].includes(String(block.type))

const isText = ({ type, text }: Message): boolean => type === 'text' && typeof text === 'string'

/** Returns a text if blocks are texts only. */
export const contentOf = (blocks: readonly Message[]): unknown =>
  blocks.every(isText) ? blocks.map(({ text }) => text).join('\n') : blocks

const resultOf = (result: unknown): string => {
  const blocks = Array.isArray(result) ? result.filter(isObject) : []
  return blocks.length > 0 && blocks.every(isText) ? String(contentOf(blocks)) : asText(result)
}

/** Reads a list of blocks of Amazon Bedrock, which have a member where others have a type; other contents stay as they are. */
export const fromConverse = (content: unknown): unknown => {
  if (!Array.isArray(content) || content.length === 0) return content
  const blocks = content.flatMap((block): Message[] => {
    const read = isObject(block) ? typed(block) : undefined
    return read === undefined ? [] : [read]
  })
  return blocks.length === content.length ? contentOf(blocks) : content
}

const typed = (block: Message): Message | undefined => {
  const { text, toolUse: call, toolResult: result, reasoningContent: thought } = block
  // Others have more beside it, such as their kind.
  if (Object.keys(block).length !== 1) return undefined
  if (typeof text === 'string') return { type: 'text', text }
  if (isObject(call))
    return { type: 'tool_use', id: call.toolUseId, name: call.name, input: call.input }
  if (isObject(result))
    return {
      type: 'tool_result',
      tool_use_id: result.toolUseId,
      content: fromConverse(result.content),
    }
  const said = isObject(thought) ? thought.reasoningText : undefined
  return isObject(said) && typeof said.text === 'string'
    ? { type: 'thinking', thinking: said.text }
    : undefined
}
