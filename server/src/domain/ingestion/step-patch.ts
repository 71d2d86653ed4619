import { createHash } from 'node:crypto'
import type { StepInput } from '../../../generated/resolvers.js'
import { weightOf } from '../../database/portions.js'
import { type Caller, parseEnvironment } from '../../kernel/caller.js'
import { DomainError, invalid } from '../../kernel/errors.js'
import type { Instant } from '../../kernel/instant.js'
import type { StepColumn } from '../../storage/ingestion/columns.js'
import type { AttachmentWrite, ScoreWrite } from '../../storage/ingestion/nested.js'
import { isSequence, LAST_SEQUENCE } from '../sessions.js'
import { isObject, textPayload, type Values } from '../values.js'

/** A nested score; without an id of its own it is found by what it judges. */
export type ScoreDraft = Omit<ScoreWrite, 'projectId' | 'stepId' | 'at' | 'id'> & {
  id: string | undefined
}
type AttachmentDraft = Omit<AttachmentWrite, 'projectId' | 'stepId' | 'at'>

/**
 * What a client said of a step, in full or in part. `values` are JSON texts, encoded once here and then only passed on;
 * what is in neither `values` nor `cleared` was not said.
 */
export interface StepPatch {
  projectId: string
  id: string
  threadId: string | undefined
  environment: string
  values: Partial<Record<StepColumn, string>>
  cleared: StepColumn[]
  scores: ScoreDraft[]
  attachments: AttachmentDraft[]
  /** How much it weighs in a statement, roughly. */
  size: number
}

/** Scores, or attachments, that one part of a step brings: a step is stored as a whole, however long others wait for it. */
const MAX_NESTED = 20_000

const CLEARABLE = [
  'rootRunId',
  'parentId',
  'name',
  'startTime',
  'endTime',
  'input',
  'output',
  'metadata',
  'error',
  'tags',
] as const

/** Checks a step as it was sent and brings it into the form in which it is merged and stored. */
export const parseStepPatch = (values: Values, caller: Caller, step: StepInput): StepPatch => {
  const id = values.requiredId('id', step.id)
  for (const field of ['scores', 'attachments'] as const) {
    const count = step[field]?.length ?? 0
    if (count > MAX_NESTED)
      throw new DomainError(
        'TOO_LARGE',
        `${field}: expected at most ${MAX_NESTED} with a step, got ${count}; send it in several parts`,
      )
  }
  const written: StepPatch['values'] = {}
  const cleared: StepColumn[] = CLEARABLE.filter((field) => step[field] === null)
  if (step.threadId === null) cleared.push('threadId')

  const threadId = values.id('threadId', step.threadId)
  if (threadId !== undefined) written.threadId = values.encoded('threadId', threadId, 'textBytes')
  for (const field of ['rootRunId', 'parentId'] as const) {
    const reference = values.id(field, step[field])
    if (reference !== undefined) written[field] = values.encoded(field, reference, 'textBytes')
  }
  const sessionId = values.id('sessionId', step.sessionId)
  if (sessionId !== undefined && typeof step.sequence === 'number') {
    if (!isSequence(step.sequence, 1))
      throw invalid(`sequence: expected a number from 1 to ${LAST_SEQUENCE}, got ${step.sequence}`)
    written.sessionId = values.encoded('sessionId', sessionId, 'textBytes')
    written.sequence = String(step.sequence)
  }
  for (const field of ['name', 'error'] as const)
    if (typeof step[field] === 'string')
      written[field] = values.encoded(field, step[field], 'textBytes')
  for (const field of ['startTime', 'endTime'] as const)
    if (typeof step[field] === 'string') written[field] = `"${step[field]}"`
  for (const field of ['input', 'output'] as const) {
    const payload = step[field]
    if (payload !== null && payload !== undefined)
      written[field] = values.encoded(
        field,
        typeof payload === 'string' ? textPayload(payload) : payload,
        'payloadBytes',
      )
  }
  const { metadata, type, tags } = step
  if (metadata !== null && metadata !== undefined)
    written.metadata = values.encoded(
      'metadata',
      isObject(metadata) ? metadata : { value: metadata },
      'metadataBytes',
    )
  if (type !== null && type !== undefined && type !== 'undefined') written.type = `"${type}"`
  if (tags !== null && tags !== undefined)
    written.tags = values.encoded('tags', tags, 'metadataBytes')
  const environment =
    step.environment == null
      ? caller.environment
      : parseEnvironment('environment', step.environment)
  written.environment = `"${environment}"`
  if (step.generation !== null && step.generation !== undefined)
    Object.assign(written, generationValues(values, step.generation))

  const scores = (step.scores ?? []).map((score, index) =>
    scoreDraft(values, `scores[${index}]`, score),
  )
  const attachments = (step.attachments ?? []).map((item, index) =>
    attachmentDraft(values, `attachments[${index}]`, item),
  )
  let size = 0
  for (const field in written) size += (written[field as StepColumn] ?? '').length
  for (const score of scores) size += weightOf(score)
  for (const attachment of attachments) size += weightOf(attachment)
  return {
    projectId: caller.projectId,
    id,
    threadId,
    environment,
    values: written,
    cleared,
    scores,
    attachments,
    size,
  }
}

type GenerationInput = NonNullable<StepInput['generation']>

/** The columns of a generation. Its null members say nothing, as clients send null for what they don't know. */
const generationValues = (values: Values, generation: GenerationInput): StepPatch['values'] => {
  const written: StepPatch['values'] = { hasGeneration: 'true' }
  const shaped = shapeOf(generation)
  const put = (
    column: StepColumn,
    field: keyof GenerationInput,
    limit: 'payloadBytes' | 'metadataBytes' | 'messagesBytes' | 'textBytes',
  ) => {
    const value = shaped[field]
    if (value !== null && value !== undefined)
      written[column] = values.encoded(`generation.${field}`, value, limit)
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
  put('genTokenCount', 'tokenCount', 'textBytes')
  put('genInputTokenCount', 'inputTokenCount', 'textBytes')
  put('genOutputTokenCount', 'outputTokenCount', 'textBytes')
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

/** Exporters send what they could not read as a text: it is kept, in the shape that readers of the field expect. */
export const shapeOf = (generation: GenerationInput): GenerationInput => {
  const object = (value: unknown) => (value == null || isObject(value) ? value : { value })
  const list = (value: unknown) => (value == null || Array.isArray(value) ? value : [value])
  const { messageCompletion: message } = generation
  return {
    ...generation,
    settings: object(generation.settings),
    variables: object(generation.variables),
    tools: list(generation.tools),
    messages: list(generation.messages),
    messageCompletion:
      message == null || isObject(message) ? message : { role: 'assistant', content: message },
  }
}

type ScoreInput = NonNullable<StepInput['scores']>[number]

const scoreDraft = (values: Values, where: string, score: ScoreInput): ScoreDraft => ({
  id: values.id(`${where}.id`, score.id),
  generationId: values.id(`${where}.generationId`, score.generationId) ?? null,
  datasetExperimentItemId:
    values.id(`${where}.datasetExperimentItemId`, score.datasetExperimentItemId) ?? null,
  name: values.text(`${where}.name`, score.name),
  type: score.type,
  value: values.finite(`${where}.value`, score.value),
  label: values.text(`${where}.label`, score.label) ?? null,
  comment: values.text(`${where}.comment`, score.comment) ?? null,
  scorer: values.text(`${where}.scorer`, score.scorer) ?? null,
  tags: values.tags(`${where}.tags`, score.tags) ?? null,
})

type AttachmentInput = NonNullable<StepInput['attachments']>[number]

const attachmentDraft = (
  values: Values,
  where: string,
  attachment: AttachmentInput,
): AttachmentDraft => {
  const objectKey = values.text(`${where}.objectKey`, attachment.objectKey) || null
  return {
    id: values.requiredId(`${where}.id`, attachment.id),
    threadId: values.id(`${where}.threadId`, attachment.threadId) ?? null,
    name: values.text(`${where}.name`, attachment.name) ?? null,
    mime: values.text(`${where}.mime`, attachment.mime) ?? null,
    metadata: values.metadata(`${where}.metadata`, attachment.metadata) ?? null,
    objectKey,
    // The signed URL of an upload passes; reading makes a fresh one from the key.
    url: objectKey === null ? (values.text(`${where}.url`, attachment.url) ?? null) : null,
  }
}

/**
 * Puts the fragments of a step over one another, the later over the earlier, by the rules that the database applies to a
 * stored step and a fragment: what is absent keeps, an empty list of tags changes nothing, the first environment stays.
 * The result is one of its own: a batch that fails is tried again in halves, from the fragments as they came.
 */
export const mergeStepPatches = (parts: readonly StepPatch[]): StepPatch => {
  const [first] = parts
  if (first === undefined) throw new Error('a step has at least one patch')
  const merged: StepPatch = {
    ...first,
    values: {},
    cleared: [],
    scores: [],
    attachments: [],
    size: 0,
  }
  const { values } = merged
  const cleared = new Set<StepColumn>()
  for (const part of parts) {
    for (const field in part.values) {
      const column = field as StepColumn
      const value = part.values[column] as string
      const isNoTag = (column === 'tags' || column === 'genTags') && value === '[]'
      if (values[column] === undefined || !(isNoTag || column === 'environment'))
        values[column] = value
      if (!isNoTag) cleared.delete(column)
    }
    for (const column of part.cleared) {
      delete values[column]
      cleared.add(column)
    }
    merged.threadId =
      part.threadId ?? (part.cleared.includes('threadId') ? undefined : merged.threadId)
    for (const score of part.scores) merged.scores.push(score)
    for (const attachment of part.attachments) merged.attachments.push(attachment)
    merged.size += part.size
  }
  merged.cleared = [...cleared]
  return merged
}

/** The id of a nested score that came without one: the same for every repetition of what it says. */
export const scoreIdOf = (stepId: string, { name, type, scorer }: ScoreDraft): string =>
  createHash('sha256')
    .update(JSON.stringify([stepId, name, type, scorer]))
    .digest('hex')
    .slice(0, 32)

export const toScoreWrite = (
  draft: ScoreDraft,
  id: string,
  projectId: string,
  stepId: string,
  at: Instant,
): ScoreWrite => ({ ...draft, id, projectId, stepId, at })
