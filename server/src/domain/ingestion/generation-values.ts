import {
  countsOf,
  PARTS,
  type Parts,
  type Usage,
  usageOf,
} from '../../../generated/model-calls/usage/usage.js'
import type { StepInput } from '../../../generated/resolvers.js'
import { invalid } from '../../kernel/errors.js'
import type { StepColumn } from '../../storage/ingestion/columns.js'
import { parseDollars } from '../prices/money.js'
import { isObject, type Values } from '../values.js'
import { hasExcerpt, putExcerpt } from './excerpts.js'
import type { StepPatch } from './step-patch.js'

type GenerationInput = NonNullable<StepInput['generation']>

/** Encodes the columns of a generation. Skips null members, as clients send null for values that they don't know. */
export const generationValues = (
  values: Values,
  generation: GenerationInput,
): StepPatch['values'] => {
  const written: StepPatch['values'] = { hasGeneration: 'true' }
  const shaped = shapeOf(generation)
  const put = (
    column: StepColumn,
    field: keyof GenerationInput,
    limit: 'payloadBytes' | 'metadataBytes' | 'messagesBytes' | 'textBytes',
  ) => {
    const value = shaped[field]
    if (value === null || value === undefined) return
    written[column] = values.encoded(`generation.${field}`, value, limit)
    if (hasExcerpt(column)) putExcerpt(written, column, value)
  }
  values.id('generation.promptId', generation.promptId)
  put('genType', 'type', 'textBytes')
  put('genPrompt', 'prompt', 'messagesBytes')
  put('genCompletion', 'completion', 'payloadBytes')
  put('genMessages', 'messages', 'messagesBytes')
  put('genMessageCompletion', 'messageCompletion', 'payloadBytes')
  put('genProvider', 'provider', 'textBytes')
  put('genModel', 'model', 'textBytes')
  put('genVariables', 'variables', 'payloadBytes')
  put('genTools', 'tools', 'payloadBytes')
  put('genSettings', 'settings', 'payloadBytes')
  if (generation.promptId) put('genPromptId', 'promptId', 'textBytes')
  put('genUsage', 'usage', 'metadataBytes')
  put('genTokenCount', 'tokenCount', 'textBytes')
  put('genInputTokenCount', 'inputTokenCount', 'textBytes')
  put('genOutputTokenCount', 'outputTokenCount', 'textBytes')
  // A generation that was read and is sent again has the cost that the service computed.
  if (generation.cost != null && (generation.costSource ?? 'CLIENT') === 'CLIENT')
    written.genClientCost = String(parseDollars('generation.cost', generation.cost))
  put('genTtFirstToken', 'ttFirstToken', 'textBytes')
  put('genDuration', 'duration', 'textBytes')
  put('genTokenThroughput', 'tokenThroughputInSeconds', 'textBytes')
  put('genError', 'error', 'textBytes')
  put('genTags', 'tags', 'metadataBytes')
  const { metadata } = generation
  if (metadata !== null && metadata !== undefined)
    written.genMetadata = values.encoded(
      'generation.metadata',
      isObject(metadata) ? metadata : { value: metadata },
      'metadataBytes',
    )
  return written
}

/** A generation in the shape in which it is read. */
type Shaped = Omit<GenerationInput, 'usage'> & { usage: Usage | undefined }

/**
 * Exporters send values that they could not read as texts. Keeps them, in the shape that readers of the field expect,
 * and adds the sums of the tokens' parts, as far as others are not given.
 */
export const shapeOf = (generation: GenerationInput): Shaped => {
  const object = (value: unknown) => (value == null || isObject(value) ? value : { value })
  const list = (value: unknown) => (value == null || Array.isArray(value) ? value : [value])
  const { messageCompletion: message } = generation
  const usage = parseUsage(generation.usage)
  const counts = usage === undefined ? {} : countsOf(usage)
  return {
    ...generation,
    usage,
    tokenCount: generation.tokenCount ?? counts.tokenCount,
    inputTokenCount: generation.inputTokenCount ?? counts.inputTokenCount,
    outputTokenCount: generation.outputTokenCount ?? counts.outputTokenCount,
    settings: object(generation.settings),
    variables: object(generation.variables),
    tools: list(generation.tools),
    messages: list(generation.messages),
    messageCompletion:
      message == null || isObject(message) ? message : { role: 'assistant', content: message },
  }
}

/** Checks the tokens of a model call in parts; returns undefined when none are given. */
const parseUsage = (given: GenerationInput['usage']): Usage | undefined => {
  if (given === null || given === undefined) return undefined
  for (const part of [...PARTS, 'total'] as const) {
    const count = given[part]
    if (typeof count === 'number' && count < 0)
      throw invalid(`generation.usage.${part}: expected tokens from 0 on, got ${count}`)
  }
  const parts: Parts = {}
  for (const part of PARTS) parts[part] = given[part] ?? undefined
  return usageOf(parts, given.total ?? undefined)
}
