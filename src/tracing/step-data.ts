import type {
  AttachmentPayloadInput,
  GenerationPayloadInput,
  ScorePayloadInput,
  StepType,
} from '../../generated/schema.js'
import type { Environment } from '../settings.js'

/** The fields that a step is made from. Absent ones come from the context, where it knows them. */
export interface StepData {
  /** A UUID when absent. */
  id?: string | null | undefined
  name?: string | null | undefined
  /** `undefined`, the word, when absent. */
  type?: StepType | null | undefined
  threadId?: string | null | undefined
  rootRunId?: string | null | undefined
  parentId?: string | null | undefined
  /** ISO 8601; the moment of making the step when absent. */
  startTime?: string | null | undefined
  endTime?: string | null | undefined
  createdAt?: string | null | undefined
  environment?: Environment | (string & {}) | null | undefined
  /** An error, or a text about one. */
  error?: unknown
  input?: unknown
  output?: unknown
  metadata?: Record<string, unknown> | null | undefined
  tags?: readonly string[] | null | undefined
  generation?: GenerationPayloadInput | null | undefined
  scores?: readonly ScorePayloadInput[] | null | undefined
  attachments?: readonly AttachmentPayloadInput[] | null | undefined
}

/** Changes to make once the wrapped work is through: values, or a function from its output to values. */
export type Update<Data, Output> =
  | Partial<Data>
  | ((output: Output) => Partial<Data> | undefined | Promise<Partial<Data> | undefined>)
