import type { StepInput } from '../../../generated/resolvers.js'
import { weightOf } from '../../database/portions.js'
import { type Caller, parseEnvironment } from '../../kernel/caller.js'
import { DomainError, invalid } from '../../kernel/errors.js'
import { EXCERPTS, type StepColumn } from '../../storage/ingestion/columns.js'
import { type ScoreRefusal, ScoreRules } from '../score-rules.js'
import { isSequence, LAST_SEQUENCE } from '../sessions.js'
import { isObject, textPayload, type Values } from '../values.js'
import { putExcerpt } from './excerpts.js'
import { generationValues } from './generation-values.js'
import {
  type AttachmentDraft,
  attachmentDraft,
  type ScoreDraft,
  scoreDraft,
} from './nested-drafts.js'

/**
 * A step in full or in part, as a client sent it. `values` are JSON texts, encoded once here and then only passed on; a
 * column in neither `values` nor `cleared` was not sent.
 */
export interface StepPatch {
  projectId: string
  id: string
  threadId: string | undefined
  environment: string
  values: Partial<Record<StepColumn, string>>
  cleared: StepColumn[]
  scores: readonly ScoreDraft[]
  /** Scores that are left out, as they do not fit their definitions. */
  refusedScores: readonly ScoreRefusal[]
  attachments: readonly AttachmentDraft[]
  /** Approximate number of characters that it takes in a statement. */
  size: number
  /** True for scores and attachments of a step whose own values an earlier part has. */
  continues?: boolean
}

/** Weight of a score or an attachment in a commit: a row of its own, as a step is, of which a share holds 250. */
export const NESTED_CHARACTERS = 4000
/** Scores, or attachments, of one patch. */
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

/**
 * Checks a step as it was sent and converts it into the form in which it is merged and stored. Without rules, no score
 * has a definition.
 */
export const parseStepPatch = (
  values: Values,
  caller: Caller,
  step: StepInput,
  rules: ScoreRules = ScoreRules.none,
): StepPatch => {
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
    const sent = step[field]
    if (sent === null) cleared.push(EXCERPTS[field])
    if (sent === null || sent === undefined) continue
    const payload = typeof sent === 'string' ? textPayload(sent) : sent
    written[field] = values.encoded(field, payload, 'payloadBytes')
    putExcerpt(written, field, payload)
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
  if (step.generation !== null && step.generation !== undefined) {
    Object.assign(written, generationValues(values, step.generation))
    // A call that failed at first, and then did not, says so of its step: null of a generation is no change.
    if (step.error === null && step.generation.error == null) cleared.push('genError')
  }

  const { fitted: scores, refused: refusedScores } = rules.sort(
    (step.scores ?? []).map((score, index) => scoreDraft(values, `scores[${index}]`, score)),
    (score, index) => rules.fit(`scores[${index}].`, score),
  )
  const attachments = (step.attachments ?? []).map((item, index) =>
    attachmentDraft(values, `attachments[${index}]`, item),
  )
  let size = 0
  for (const field in written) size += (written[field as StepColumn] ?? '').length
  for (const score of scores) size += NESTED_CHARACTERS + weightOf(score)
  for (const attachment of attachments) size += NESTED_CHARACTERS + weightOf(attachment)
  return {
    projectId: caller.projectId,
    id,
    threadId,
    environment,
    values: written,
    cleared,
    scores,
    refusedScores,
    attachments,
    size,
  }
}
