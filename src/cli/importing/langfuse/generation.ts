import type { GenerationPayloadInput, TokenUsageInput } from '../../../../generated/schema.js'
import {
  type Fields,
  isFields,
  listOf,
  momentOf,
  numberOf,
  parsed,
  present,
  textOf,
} from '../values.js'
import type { Links } from './links.js'

const CALLS = new Set(['GENERATION', 'EMBEDDING'])

/** The part of the tokens that a name of Langfuse counts. */
const PARTS: ReadonlyMap<string, keyof TokenUsageInput> = new Map<string, keyof TokenUsageInput>([
  ['input', 'input'],
  ['prompt_tokens', 'input'],
  ['output', 'output'],
  ['completion_tokens', 'output'],
  ['input_cached_tokens', 'cached'],
  ['input_cache_read', 'cached'],
  ['cache_read_input_tokens', 'cached'],
  ['input_cache_creation', 'cacheWrite'],
  ['cache_creation_input_tokens', 'cacheWrite'],
  ['input_cache_creation_5m', 'cacheWrite5m'],
  ['input_cache_creation_1h', 'cacheWrite1h'],
  ['input_audio', 'audioInput'],
  ['input_audio_tokens', 'audioInput'],
  ['input_image', 'imageInput'],
  ['output_reasoning', 'reasoning'],
  ['output_reasoning_tokens', 'reasoning'],
  ['output_audio', 'audioOutput'],
  ['output_audio_tokens', 'audioOutput'],
  ['output_image', 'imageOutput'],
])
const MOST_TOKENS = 2 ** 31 - 1
/** The highest cost that the service takes for one call. */
const MOST_DOLLARS = 9007

/** Returns the model call of an observation, and the fields that it could not take. */
export const generationOf = (
  observation: Fields,
  type: string,
  links: Links,
): { generation: GenerationPayloadInput | undefined; unread: Record<string, unknown> } => {
  const model = textOf(observation.providedModelName) ?? textOf(observation.model)
  const details = parsed(observation.usageDetails)
  const used =
    isFields(details) && Object.keys(details).length > 0 ? details : olderUsage(observation)
  const unread: Record<string, unknown> = {}
  const usage = usageOf(used)
  const cost = costOf(observation)
  const promptName = textOf(observation.promptName)
  const promptVersion = numberOf(observation.promptVersion)
  const promptId =
    promptName === undefined || promptVersion === undefined
      ? undefined
      : links.promptOf(promptName, promptVersion)
  if (promptName !== undefined && promptId === undefined)
    Object.assign(unread, present({ promptName, promptVersion }))
  const settings = parsed(observation.modelParameters)
  const isCall = CALLS.has(type) || model !== undefined || usage !== undefined
  if (!isCall) {
    Object.assign(
      unread,
      present({
        modelParameters: settings,
        usageDetails: used,
        costDetails: observation.costDetails,
      }),
    )
    return { generation: undefined, unread }
  }
  if (usage === undefined && Object.keys(used).length > 0) unread.usageDetails = used
  if (cost === undefined)
    Object.assign(unread, present({ costDetails: parsed(observation.costDetails) }))
  const start = Date.parse(momentOf(observation.startTime)?.moment ?? '')
  const end = Date.parse(momentOf(observation.endTime)?.moment ?? '')
  return {
    generation: {
      ...exchangeOf(observation),
      ...present({
        model,
        settings: isFields(settings) ? settings : undefined,
        promptId,
        usage,
        cost,
        duration: end >= start ? (end - start) / 1000 : undefined,
        ttFirstToken: toFirstToken(observation, start),
      }),
    },
    unread: isFields(settings) ? unread : { ...unread, ...present({ modelParameters: settings }) },
  }
}

/** Reads the fields that older versions have in place of `usageDetails`. */
const olderUsage = (observation: Fields): Record<string, unknown> => {
  const usage = parsed(observation.usage)
  const { unit, input, output, total } = isFields(usage) ? usage : ({} as Fields)
  if (unit !== undefined && unit !== null && unit !== 'TOKENS')
    return present({ unit, input, output, total })
  return present({
    input: input ?? observation.promptTokens ?? observation.inputUsage,
    output: output ?? observation.completionTokens ?? observation.outputUsage,
    total: total ?? observation.totalTokens ?? observation.totalUsage,
  })
}

/** Returns the tokens in parts: names that are not known are of the input or output, by how they begin. */
const usageOf = (used: Fields): TokenUsageInput | undefined => {
  if (used.unit !== undefined) return undefined
  const parts = new Map<string, number>()
  let total: number | undefined
  for (const [name, given] of Object.entries(used)) {
    const count = numberOf(given)
    if (count === undefined || count < 0 || count > MOST_TOKENS) continue
    if (name === 'total' || name === 'total_tokens') {
      total = Math.round(count)
      continue
    }
    const part =
      PARTS.get(name) ??
      (name.startsWith('input') ? 'input' : name.startsWith('output') ? 'output' : undefined)
    if (part !== undefined) parts.set(part, (parts.get(part) ?? 0) + Math.round(count))
  }
  if (parts.size === 0 && total === undefined) return undefined
  const sum = [...parts.values()].reduce((one, other) => one + other, 0)
  return {
    ...Object.fromEntries(parts),
    // Zeros that Langfuse writes where nothing was told.
    ...(total === undefined || total < sum ? {} : { total }),
  }
}

const costOf = (observation: Fields): number | undefined => {
  const details = parsed(observation.costDetails)
  const costs = isFields(details) ? details : {}
  const parts = Object.values(costs)
    .map(numberOf)
    .filter((one) => one !== undefined)
  const cost =
    numberOf(costs.total) ??
    numberOf(observation.totalCost) ??
    numberOf(observation.calculatedTotalCost) ??
    (parts.length === 0 ? undefined : parts.reduce((one, other) => one + other, 0))
  return cost !== undefined && cost > 0 && cost <= MOST_DOLLARS ? cost : undefined
}

const toFirstToken = (observation: Fields, start: number): number | undefined => {
  const first = Date.parse(momentOf(observation.completionStartTime)?.moment ?? '')
  if (first >= start) return first - start
  const seconds = numberOf(observation.timeToFirstToken)
  return seconds !== undefined && seconds >= 0 ? seconds * 1000 : undefined
}

/** Returns the messages of a call; without any, its texts. */
const exchangeOf = (observation: Fields): GenerationPayloadInput => {
  const asked = parsed(observation.input)
  const answered = parsed(observation.output)
  const messages = messagesOf(isFields(asked) ? asked.messages : asked)
  const tools = isFields(asked) ? listOf(asked.tools) : []
  const answer = messagesOf([Array.isArray(answered) ? answered.at(-1) : answered])?.[0]
  if (messages !== undefined || answer !== undefined)
    return {
      type: 'CHAT',
      ...(messages === undefined ? {} : { messages }),
      ...(tools.length === 0 ? {} : { tools }),
      ...(answer !== undefined
        ? { messageCompletion: answer }
        : typeof answered === 'string'
          ? { messageCompletion: { role: 'assistant', content: answered } }
          : {}),
    }
  return {
    ...(typeof asked === 'string' ? { prompt: asked } : {}),
    ...(typeof answered === 'string' ? { completion: answered } : {}),
  }
}

/** Returns a list of messages; undefined when something in it is none. */
const messagesOf = (value: unknown): Record<string, unknown>[] | undefined =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.every((one) => isFields(one) && typeof one.role === 'string')
    ? (value as Record<string, unknown>[])
    : undefined
