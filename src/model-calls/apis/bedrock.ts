import { isJson, type Json, objectsOf, textOf, without } from '../json.js'
import { fromBedrock } from '../usage/anthropic.js'
import { type Answer, type Answered, type Api, errorOf, type Message } from './api.js'
import { Gathered } from './blocks.js'
import { listOf } from './openai-chat.js'

const NO_SETTING = new Set(['messages', 'system', 'toolConfig'])

/** The Converse API of Amazon Bedrock. */
export const bedrock: Api = {
  name: 'bedrock.converse',
  operation: 'chat',
  type: 'llm',
  provider: 'bedrock',
  isRequest: ({ messages }) => Array.isArray(messages),
  ask: (body, path) => {
    const model = /\/model\/([^/]+)\/converse/.exec(path)?.[1]
    const system = objectsOf(body.system)
    return {
      model: model === undefined ? undefined : decoded(model),
      messages: [
        ...(system.length === 0 ? [] : messagesOf({ role: 'system', content: system })),
        ...objectsOf(body.messages).flatMap(messagesOf),
      ],
      tools: isJson(body.toolConfig) ? listOf(body.toolConfig.tools) : undefined,
      settings: without(body, NO_SETTING),
    }
  },
  answer: () => new ConverseAnswer(),
}

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const messagesOf = ({ role, content }: Json): Message[] =>
  gathered(objectsOf(content)).messages(textOf(role) ?? 'user')

const gathered = (blocks: readonly Json[]): Gathered => {
  const found = new Gathered()
  for (const block of blocks) {
    const { text, toolUse, toolResult } = block
    if (typeof text === 'string') found.text(text)
    else if (isJson(toolUse)) found.call(toolUse.toolUseId, toolUse.name, toolUse.input)
    else if (isJson(toolResult)) found.answer(toolResult.toolUseId, toolResult.content)
    // Marks the end of a cached beginning, and is no content.
    else if (block.cachePoint === undefined) found.part(block)
  }
  return found
}

class ConverseAnswer implements Answer {
  hasContent = false
  readonly isOver = false
  #answered: Answered = {}

  whole(body: unknown): void {
    if (!isJson(body)) return
    const { output, usage } = body
    const message = isJson(output) && isJson(output.message) ? output.message : undefined
    this.#answered = {
      message: message && gathered(objectsOf(message.content)).message('assistant'),
      finishReason: textOf(body.stopReason),
      usage: isJson(usage) ? fromBedrock(usage) : undefined,
      error: message === undefined ? errorOf(body) : undefined,
    }
    this.hasContent = message !== undefined
  }

  event(data: Json): void {
    this.whole(data)
  }

  read(): Answered {
    return this.#answered
  }
}
