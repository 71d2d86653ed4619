import type { AttachmentPayloadInput } from '../../../generated/schema.js'
import type { StepRecord, ThreadRecord } from '../../outbox/records.js'
import { withPrompt } from '../../prompts/link.js'
import { ENVIRONMENTS, type Environment } from '../../settings.js'
import {
  capture,
  captureItems,
  captureMembers,
  MAX_VALUE_LENGTH,
  sizeOfLast,
} from '../../values/capture.js'
import {
  asObject,
  fitAttachments,
  fitGeneration,
  fitScores,
  textOf,
  textsOf,
  type Withheld,
} from '../../values/fit.js'
import { fitKnown, STEP_TYPES } from '../../values/known.js'
import { fitMoment } from '../../values/moment.js'
import { errorText, type Step } from '../step.js'
import type { ScoreData } from '../step-data.js'
import { type Mask, type MaskedField, masked } from './masking.js'

export interface SerializerOptions {
  environment: Environment | undefined
  release: string | undefined
  mask: Mask | undefined
  /** Characters of a value that are kept. */
  maxValueLength: number
}

interface Sized<Value> {
  value: Value
  /** Approximate characters that it takes when it is sent. */
  size: number
}

/**
 * Copies steps and threads, as they are now, into records: captured, masked, and in the form that the service accepts.
 */
export class Serializer {
  readonly #options: SerializerOptions
  readonly #report: (message: string) => void
  #hasWithheld = false
  /** True while the mask runs. */
  isMasking = false
  /** The size of the step that is being written. */
  #size = 0

  constructor(options: SerializerOptions, report: (message: string) => void) {
    this.#options = options
    this.#report = report
  }

  /** Writes a step, with a reason for each field that could not be kept as it was given. */
  step(step: Step): Sized<StepRecord> {
    const [startTime, endTime] = step.moments
    const { release } = this.#options
    const withheld: Withheld = {}
    this.#size = STEP_SIZE
    const value: StepRecord = {
      sessionId: '',
      sequence: 0,
      id: labelOf(step.id) ?? '',
      threadId: labelOf(step.threadId),
      rootRunId: labelOf(step.rootRunId),
      parentId: labelOf(step.parentId),
      type:
        step.type === 'undefined'
          ? undefined
          : fitKnown(step.type, 'type', STEP_TYPES, withheld) || undefined,
      name: labelOf(step.name),
      startTime: fitMoment(startTime, 'startTime', withheld),
      endTime: fitMoment(endTime, 'endTime', withheld),
      environment: this.#environment(step.environment, withheld),
      error:
        textOf(this.#measured(errorText(step.error), 'error', withheld)) ??
        (step.recording.clearsError ? null : undefined),
      tags: labelsOf(step.tags),
      input: this.#payload(step.input, 'input', withheld),
      output: this.#payload(step.output, 'output', withheld),
      metadata: this.#measured(step.metadata, 'metadata', withheld),
      generation: fitGeneration(
        this.#measured(linked(step.generation), 'generation', withheld),
        withheld,
      ),
      scores: fitScores(this.#measured(step.scores, 'scores', withheld), withheld),
      attachments: fitAttachments(
        this.#measured(step.attachments, 'attachments', withheld),
        withheld,
      ),
    }
    value.metadata = withRelease(this.#withReasons(value.metadata, withheld), release)
    return { value, size: this.#size }
  }

  /** Writes a file that was added after its step was recorded, as a part that the service merges. */
  attachment(step: Step, attachment: AttachmentPayloadInput): Sized<StepRecord> {
    const withheld: Withheld = {}
    this.#size = STEP_SIZE
    const captured = this.#measured([attachment], 'attachments', withheld)
    const attachments = fitAttachments(captured, withheld)
    const value: Partial<StepRecord> = {
      sessionId: '',
      sequence: 0,
      id: labelOf(step.id) ?? '',
      threadId: labelOf(step.threadId),
      environment: this.#environment(step.environment, withheld),
      attachments,
    }
    this.#withReasons(undefined, withheld)
    return { value: value as StepRecord, size: this.#size }
  }

  /** Adds the withheld fields and the reasons to the metadata of a step or thread, and reports the first one. */
  #withReasons(metadata: unknown, withheld: Withheld): unknown {
    let first: string | undefined
    for (const field in withheld) first ??= field
    if (first === undefined) return metadata
    if (!this.#hasWithheld) {
      this.#hasWithheld = true
      this.#report(
        `withheld: ${first} of a step or thread, ${withheld[first]}. The metadata of each tells it; this is reported once`,
      )
    }
    return { withheld, ...asObject(metadata, 'value') }
  }

  /** Captures an input or output, which is an object: anything else is put into one under the name of the field. */
  #payload(value: unknown, field: 'input' | 'output', withheld: Withheld): unknown {
    if (value === undefined || value === null) return undefined
    const kept = this.#masked(asObject(this.#captured(value, field), field), field, withheld)
    this.#size += sizeOfLast()
    return asObject(kept, field)
  }

  /** Captures a value of the step that is being recorded, and adds up its size. */
  #measured(value: unknown, field: MaskedField, withheld: Withheld): unknown {
    if (value === undefined || value === null) return undefined
    const captured = this.#captured(value, field)
    if (isList(field) && Array.isArray(value) && (captured as unknown[]).length < value.length)
      withheld[field] =
        `${value.length - (captured as unknown[]).length} of ${value.length}: too long`
    const kept = this.#masked(captured, field, withheld)
    this.#size += sizeOfLast()
    return kept
  }

  thread(id: string, fields: object): ThreadRecord {
    const { name, participantId, environment, metadata, tags } = fields as ThreadRecord
    const { release } = this.#options
    const withheld: Withheld = {}
    const keep = (value: unknown, field: MaskedField) =>
      value === undefined ? undefined : this.#masked(this.#captured(value, field), field, {})
    return {
      id: labelOf(id) ?? '',
      name: textOf(keep(name, 'threadName')),
      participantId: labelOf(participantId),
      environment: this.#environment(environment, withheld),
      metadata: withRelease(
        this.#withReasons(asObject(keep(metadata, 'threadMetadata'), 'value'), withheld),
        release,
      ),
      tags: labelsOf(tags),
    }
  }

  /** Writes a score of a thread. `wrong` is the reason if it has not the form of a score. */
  threadScore(
    id: string,
    environment: string | undefined,
    score: ScoreData,
  ): { record: ThreadRecord; size: number; wrong: string | undefined } {
    const withheld: Withheld = {}
    this.#size = STEP_SIZE
    const scores = fitScores(this.#measured([score], 'scores', withheld), withheld)
    const unknown: Withheld = {}
    const record: ThreadRecord = {
      id: labelOf(id) ?? '',
      environment: this.#environment(environment, unknown),
      scores,
    }
    this.#withReasons(undefined, unknown)
    return { record, size: this.#size, wrong: withheld.scores }
  }

  #environment(given: unknown, withheld: Withheld): string | undefined {
    return fitKnown(given ?? this.#options.environment, 'environment', ENVIRONMENTS, withheld)
  }

  #captured(value: unknown, field: MaskedField): unknown {
    const { maxValueLength } = this.#options
    // Longer values are asked for where the service takes them.
    const within = (bytes: number) =>
      maxValueLength > MAX_VALUE_LENGTH ? Math.max(bytes, maxValueLength) : bytes
    if (field === 'generation')
      return captureMembers(value, maxValueLength, (name) => within(bytesOfMember(name)))
    const copy = isList(field) ? captureItems : capture
    return copy(value, maxValueLength, within(bytesOf(field)))
  }

  #masked(captured: unknown, field: MaskedField, withheld: Withheld): unknown {
    const { mask } = this.#options
    if (mask === undefined) return captured
    const isNested = this.isMasking
    this.isMasking = true
    try {
      // The mask may return anything, so its value is captured again.
      return this.#captured(masked(isNested ? refuse : mask, captured, field, withheld), field)
    } finally {
      this.isMasking = isNested
    }
  }
}

/** The service's limits by default, in bytes of JSON, with room for reasons and the release. */
const MAX_TEXT = 990_000
const MAX_PAYLOAD = 2_990_000
const MAX_MESSAGES = 15_990_000

const bytesOf = (field: string): number =>
  field === 'input' || field === 'output' ? MAX_PAYLOAD : MAX_TEXT

const bytesOfMember = (name: string): number => {
  if (/^(messages|prompt)$/.test(name)) return MAX_MESSAGES
  return /^(error|metadata|model|provider|tags|usage)$/.test(name) ? MAX_TEXT : MAX_PAYLOAD
}

/** Stands for the mask while it runs: it would call itself for the values that it records, without end. */
const refuse: Mask = () => {
  throw undefined
}

const isList = (field: MaskedField): boolean => field === 'scores' || field === 'attachments'

/** The size of a step beside its values, in characters. */
const STEP_SIZE = 512
/** Length of a label that is not a text, and of all tags together. */
const MAX_LABEL = 100_000

/** Converts a label, which may be anything, to text. */
const labelOf = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : textOf(capture(value, MAX_LABEL))

const labelsOf = (value: unknown): string[] | undefined =>
  value === undefined ? undefined : textsOf(capture(value, MAX_LABEL))

/** Links a generation with its prompt, unless it cannot be read. */
const linked = (generation: Step['generation']): unknown => {
  try {
    return generation && withPrompt(generation)
  } catch {
    return generation
  }
}

const withRelease = (metadata: unknown, release: string | undefined): unknown => {
  if (release === undefined) return metadata
  return { release, ...asObject(metadata, 'value') }
}
