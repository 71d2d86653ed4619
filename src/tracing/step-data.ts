import type {
  AttachmentPayloadInput,
  GenerationPayloadInput,
  ScorePayloadInput,
  StepType,
} from '../../generated/schema.js'
import type { Environment } from '../settings.js'
import type { ScoreValue } from '../values/scores.js'

/** A score to record with a step or a thread. */
export interface ScoreData extends Omit<ScorePayloadInput, 'value'> {
  /**
   * A finite number, true or false, or a label of the score's definition. May be omitted when `label` is one of the
   * definition's.
   */
  value?: ScoreValue | null | undefined
}

/** The fields that a step is made from. Absent ones come from the context, where it knows them. */
export interface StepData {
  /** Unique in the project. Default: a new UUID. */
  id?: string | null | undefined
  /** The name to show. */
  name?: string | null | undefined
  /** The kind of work. Default: `undefined`, the word. */
  type?: StepType | null | undefined
  /** The thread that it belongs to. Default: that of the context. */
  threadId?: string | null | undefined
  /** The outermost run that it is part of. Default: that of the context. */
  rootRunId?: string | null | undefined
  /** The step inside which it runs. Default: the step around the call. */
  parentId?: string | null | undefined
  /** The timestamp of its start, ISO 8601. Default: now. */
  startTime?: string | null | undefined
  /** The timestamp of its end, ISO 8601. Default: the moment at which it ends. */
  endTime?: string | null | undefined
  /** Ignored: the service sets it. */
  createdAt?: string | null | undefined
  /** Default: that of the client. */
  environment?: Environment | (string & {}) | null | undefined
  /** An error, or a text about one. */
  error?: unknown
  /** Any value that goes in, up to 3 MB; one that is no object is stored as `{ input }`. */
  input?: unknown
  /** Any value that comes out, up to 3 MB; one that is no object is stored as `{ output }`. */
  output?: unknown
  /** Anything else to store, up to 1 MB. */
  metadata?: Record<string, unknown> | null | undefined
  /** Labels. */
  tags?: readonly string[] | null | undefined
  /** The model call that it stands for. */
  generation?: GenerationPayloadInput | null | undefined
  /** Scores of the step. */
  scores?: readonly ScoreData[] | null | undefined
  /** Files of the step. */
  attachments?: readonly AttachmentPayloadInput[] | null | undefined
}

/** Changes to make once the wrapped work is through: values, or a function from its output to values. */
export type Update<Data, Output> =
  | Partial<Data>
  | ((output: Output) => Partial<Data> | undefined | Promise<Partial<Data> | undefined>)
