import type {
  GenerationPayloadInput,
  MutationCreateAttachmentArgs,
  MutationCreateStepArgs,
  MutationCreateThreadArgs,
} from '../../../generated/resolvers.js'
import { shapeOf } from '../../domain/ingestion/generation-values.js'
import { textPayload } from '../../domain/values.js'
import { parseInstant } from '../../kernel/instant.js'
import { onlyRecords } from '../../kernel/scopes.js'
import type { AttachmentRow } from '../../storage/attachments.js'
import type { GenerationRow } from '../../storage/generations.js'
import type { StepRow } from '../../storage/steps.js'
import type { Context } from './context.js'
import { int } from './scalars.js'
import type { ThreadNode } from './thread-node.js'

/**
 * The answer of a mutation to a key that may only record: values of the request, and nothing that was stored before.
 * Fields that it does not have are null.
 */
export class Receipt {
  constructor(values: object) {
    Object.assign(this, values)
  }
}

/** Answers with the stored row, or with a receipt when the caller may not read it. */
const answerWith = <Row>({ caller }: Context, row: Row, receipt: () => object): Row =>
  onlyRecords(caller.scopes) ? (new Receipt(receipt()) as Row) : row

/** The time when an id was first seen is stored data too; the time of the request takes its place. */
const now = () => parseInstant('now', new Date().toISOString())

const payload = (value: unknown) => (typeof value === 'string' ? textPayload(value) : value)

export const threadAnswer = (
  context: Context,
  thread: ThreadNode,
  { name, metadata, tags, environment }: MutationCreateThreadArgs,
): ThreadNode =>
  answerWith(context, thread, () => ({
    id: thread.id,
    name,
    metadata,
    tags,
    // An existing thread keeps its environment, so the request's may differ from the stored one.
    environment: environment || null,
    createdAt: now(),
  }))

/** The service chose the id, so nothing can belong to it yet. */
export const stepAnswer = (
  context: Context,
  step: StepRow,
  sent: MutationCreateStepArgs,
): StepRow =>
  answerWith(context, step, () => ({
    ...sent,
    id: step.id,
    type: sent.type ?? 'undefined',
    input: payload(sent.input),
    output: payload(sent.output),
    environment: context.caller.environment,
    createdAt: now(),
    scores: [],
    attachments: [],
  }))

/** `generation` is null when the step has none, which is impossible after one was sent. */
export const generationAnswer = (
  context: Context,
  generation: GenerationRow | null,
  id: string,
  sent: GenerationPayloadInput,
): GenerationRow | null =>
  answerWith(context, generation, () => {
    const { prompt, completion, messages, messageCompletion } = sent
    const isText =
      messages == null && messageCompletion == null && (prompt != null || completion != null)
    const shaped = shapeOf(sent)
    const { tokenCount, inputTokenCount, outputTokenCount } = shaped
    const sum =
      inputTokenCount == null || outputTokenCount == null
        ? null
        : inputTokenCount + outputTokenCount
    return {
      ...shaped,
      id,
      projectId: context.caller.projectId,
      stepId: id,
      type: sent.type ?? (isText ? 'COMPLETION' : 'CHAT'),
      tokenCount: int(tokenCount ?? sum),
      createdAt: now(),
    }
  })

export const attachmentAnswer = (
  context: Context,
  attachment: AttachmentRow,
  { stepId, name, mime, metadata, objectKey, url }: MutationCreateAttachmentArgs,
): AttachmentRow =>
  answerWith(context, attachment, () => ({
    id: attachment.id,
    stepId,
    name,
    mime,
    metadata,
    objectKey: objectKey || null,
    // Only keys that may read get a URL to read an upload from.
    url: objectKey ? null : url,
  }))
