import { createHash } from 'node:crypto'
import type { StepInput } from '../../../generated/resolvers.js'
import { invalid } from '../../kernel/errors.js'
import type { Instant } from '../../kernel/instant.js'
import type { AttachmentWrite, ScoreWrite } from '../../storage/ingestion/nested.js'
import type { Values } from '../values.js'

/** A nested score; one without an id of its own is found by the step, name, type and scorer. */
export type ScoreDraft = Omit<ScoreWrite, 'projectId' | 'stepId' | 'threadId' | 'at' | 'id'> & {
  id: string | undefined
}
/** A nested score whose value may be named by its label. */
export type SentScore = Omit<ScoreDraft, 'value'> & { value: number | null }
export type AttachmentDraft = Omit<AttachmentWrite, 'projectId' | 'stepId' | 'at'>

type ScoreInput = NonNullable<StepInput['scores']>[number]

export const scoreDraft = (values: Values, where: string, score: ScoreInput): SentScore => ({
  id: values.id(`${where}.id`, score.id),
  generationId: values.id(`${where}.generationId`, score.generationId) ?? null,
  datasetExperimentItemId:
    values.id(`${where}.datasetExperimentItemId`, score.datasetExperimentItemId) ?? null,
  name: values.text(`${where}.name`, score.name),
  type: score.type,
  value: sentValue(values, where, score),
  label: values.text(`${where}.label`, score.label) ?? null,
  comment: values.text(`${where}.comment`, score.comment) ?? null,
  scorer: values.text(`${where}.scorer`, score.scorer) ?? null,
  tags: values.tags(`${where}.tags`, score.tags) ?? null,
})

/** A label may stand for a value; a score with neither is malformed, as it has always been. */
const sentValue = (values: Values, where: string, { value, label }: ScoreInput): number | null => {
  if (value != null) return values.finite(`${where}.value`, value)
  if (label) return null
  throw invalid(`${where}.value: expected a number, or a label in its place`)
}

type AttachmentInput = NonNullable<StepInput['attachments']>[number]

export const attachmentDraft = (
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
    // A signed URL of an upload is not stored; reading creates a fresh one from the key.
    url: objectKey === null ? (values.text(`${where}.url`, attachment.url) ?? null) : null,
  }
}

/** The subject of a nested score: the step or the thread with which it came. */
export type Judged = 'stepId' | 'threadId'

/** Derives the id of a nested score that came without one, so that every repetition of it gets the same id. */
export const scoreIdOf = (
  judged: Judged,
  judgedId: string,
  { name, type, scorer }: ScoreDraft,
): string =>
  createHash('sha256')
    .update(
      JSON.stringify([...(judged === 'stepId' ? [] : [judged]), judgedId, name, type, scorer]),
    )
    .digest('hex')
    .slice(0, 32)

export const toScoreWrite = (
  draft: ScoreDraft,
  id: string,
  projectId: string,
  judged: Judged,
  judgedId: string,
  at: Instant,
): ScoreWrite => ({ ...draft, stepId: null, threadId: null, [judged]: judgedId, id, projectId, at })
