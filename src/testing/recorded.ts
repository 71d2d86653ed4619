import type {
  AttachmentPayloadInput,
  GenerationPayloadInput,
  ScorePayloadInput,
  StepType,
} from '../../generated/schema.js'

/** A recorded step, with the values that a service would be sent: copied, masked, cut. */
export interface RecordedStep {
  /** Unique in the project. */
  readonly id: string
  /** The name to show. */
  readonly name: string | undefined
  /** The kind of work; `undefined`, the word, when none was named. */
  readonly type: StepType
  /** The thread that it belongs to. */
  readonly threadId: string | undefined
  /** The step inside which it ran. */
  readonly parentId: string | undefined
  /** The outermost run that it is part of. */
  readonly rootRunId: string | undefined
  /** The value that went in; a value that is no object is stored as `{ input }`. */
  readonly input: Record<string, unknown> | undefined
  /** The value that came out; a value that is no object is stored as `{ output }`. */
  readonly output: Record<string, unknown> | undefined
  /** The text of the error; `undefined` when nothing failed. */
  readonly error: string | undefined
  /** Anything else that was stored. */
  readonly metadata: Record<string, unknown> | undefined
  /** Labels. */
  readonly tags: readonly string[]
  /** The model call that it stands for. */
  readonly generation: GenerationPayloadInput | undefined
  /** Scores of the step. */
  readonly scores: readonly ScorePayloadInput[]
  /** Files of the step. */
  readonly attachments: readonly AttachmentPayloadInput[]
  /** `dev`, `staging`, `prod` or `experiment`; `undefined` for that of the service. */
  readonly environment: string | undefined
  /** When it began: ISO 8601. */
  readonly startTime: string | undefined
  /** When it ended; `undefined` while it runs. */
  readonly endTime: string | undefined
  /** True until it ends. */
  readonly isOpen: boolean
  /** The step inside which it ran; `undefined` when that one is not recorded. Not enumerable, as are the next two. */
  readonly parent: RecordedStep | undefined
  /** The steps inside it, in order of start. */
  readonly children: readonly RecordedStep[]
  /** The thread that it belongs to. */
  readonly thread: RecordedThread | undefined
}

/** A recorded thread, with its changes merged as a service merges them. */
export interface RecordedThread {
  /** Unique in the project. */
  readonly id: string
  /** Its title. */
  readonly name: string | undefined
  /** The user's id or identifier. */
  readonly participantId: string | undefined
  /** `dev`, `staging`, `prod` or `experiment`. */
  readonly environment: string | undefined
  /** Metadata, merged by key. */
  readonly metadata: Record<string, unknown> | undefined
  /** Labels. */
  readonly tags: readonly string[]
  /** Scores of the thread itself. */
  readonly scores: readonly ScorePayloadInput[]
  /** Its steps, in order of start. Not enumerable. */
  readonly steps: readonly RecordedStep[]
}
