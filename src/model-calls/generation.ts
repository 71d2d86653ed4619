import type { GenerationPayloadInput } from '../../generated/schema.js'
import type { Answered, Asked } from './apis/api.js'
import { type CallTimes, timesOf, tokensOf } from './call-facts.js'

interface Facts extends CallTimes {
  asked: Asked
  answered: Answered
  provider: string
  isChat: boolean
}

/** Returns the generation of a model call. A value that the provider did not tell stays absent. */
export const generationOf = ({
  asked,
  answered,
  provider,
  isChat,
  startedAt,
  firstAt,
  endedAt,
}: Facts): GenerationPayloadInput => {
  const generation: {
    -readonly [Name in keyof GenerationPayloadInput]: GenerationPayloadInput[Name]
  } = { type: isChat ? 'CHAT' : 'COMPLETION', provider }
  const model = answered.model ?? asked.model
  if (model !== undefined) generation.model = model
  if (asked.messages !== undefined) generation.messages = asked.messages
  if (asked.prompt !== undefined) generation.prompt = asked.prompt
  if (asked.tools !== undefined) generation.tools = asked.tools
  if (asked.settings !== undefined) generation.settings = asked.settings
  if (answered.message !== undefined) generation.messageCompletion = answered.message
  if (answered.completion !== undefined) generation.completion = answered.completion
  if (answered.cost !== undefined) generation.cost = answered.cost
  const tokens = tokensOf(answered.usage)
  return Object.assign(
    generation,
    tokens,
    timesOf({ startedAt, firstAt, endedAt }, tokens.outputTokenCount),
  )
}
