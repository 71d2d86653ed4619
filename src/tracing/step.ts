// In the declarations too: projects whose `lib` is older know no `Symbol.dispose`.
/// <reference lib="esnext.disposable" preserve="true" />
import type {
  AttachmentPayloadInput,
  GenerationPayloadInput,
  ScorePayloadInput,
  StepType,
} from '../../generated/schema.js'
import { mustBeFunction } from '../errors.js'
import { now, toIso } from '../values/clock.js'
import { newId } from '../values/id.js'
import type { Context, Decoration } from './context.js'
import type { Link } from './recording/open-steps.js'
import type { Trace } from './sampling/trace.js'
import type { StepData, Update } from './step-data.js'

type Moment = number | string | undefined

const written = (moment: Moment): string | undefined =>
  typeof moment === 'number' ? toIso(moment) : moment

/** @internal The part of a recorder that steps know. */
export interface StepRecorder {
  contextOf(step: Step): Context
  noteStep(threadId: string | undefined): void
  run<Result>(
    step: Step,
    work: (step: Step) => Result,
    update?: Update<StepData, Awaited<Result>>,
  ): Result
  until<Source extends object>(step: Step, source: Source): Source
  assign(step: Step, changes: Partial<StepData>): void
  attach(step: Step, attachment: AttachmentPayloadInput): void
  record(step: Step): void
  flushLast(): Promise<void>
}

/** @internal How far the recording of a step has come. */
interface Recording {
  /** Its place among the steps that run. */
  link: Link<Step> | undefined
  /** The trace that it is the first step of. */
  trace: Trace | undefined
  /** The stream that keeps it open. */
  source: OpenSource | undefined
  /** Returns the values so far of what keeps it open. */
  soFar: (() => unknown) | undefined
  /** It was recorded: changes from now on do not arrive by themselves. */
  isRecorded: boolean
}

/** @internal A stream that keeps its step open. */
export interface OpenSource {
  isOver: boolean
  /** Records the step; undefined while the function that runs it has not returned. */
  finish: (() => void) | undefined
}

/**
 * A timed piece of work that is being recorded. Its fields may be changed until it ends; what they hold at its end is
 * copied then. Steps made inside `wrap` have it as their parent.
 */
export class Step {
  id: string
  name: string | undefined
  type: StepType
  threadId: string | undefined
  rootRunId: string | undefined
  parentId: string | undefined
  environment: string | undefined
  error: unknown
  input: unknown
  output: unknown
  metadata: Record<string, unknown> | undefined
  tags: string[] | undefined
  generation: GenerationPayloadInput | undefined
  scores: ScorePayloadInput[] | undefined
  attachments: AttachmentPayloadInput[] | undefined
  readonly #recorder: StepRecorder
  /** The context that it was made in, and so belongs in, wherever it is run. */
  readonly #context: Context | undefined
  #start: Moment
  #end: Moment
  readonly #recording: Recording = {
    link: undefined,
    trace: undefined,
    source: undefined,
    soFar: undefined,
    isRecorded: false,
  }

  /** @internal Made by a client. */
  constructor(recorder: StepRecorder, given: StepData, context: Context | undefined) {
    const data = given ?? {}
    const setting = context?.setting
    const decoration = setting?.decoration
    this.#recorder = recorder
    this.#context = context
    this.id = data.id || takeStepId(decoration) || newId()
    this.name = data.name ?? undefined
    this.type = data.type ?? 'undefined'
    this.threadId =
      data.threadId ?? context?.step?.threadId ?? context?.thread?.id ?? setting?.remote?.threadId
    this.parentId = data.parentId ?? context?.step?.id ?? setting?.remote?.stepId
    this.rootRunId = data.rootRunId ?? setting?.remote?.rootRunId ?? context?.rootRun?.id
    this.environment = data.environment ?? decoration?.environment ?? setting?.environment
    this.error = data.error ?? undefined
    this.input = data.input
    this.output = data.output
    this.metadata = data.metadata ?? undefined
    this.tags = listOf(data.tags)
    this.generation = data.generation ?? undefined
    this.scores = listOf(data.scores)
    this.attachments = listOf(data.attachments)
    this.#start = data.startTime ?? now()
    recorder.noteStep(this.threadId)
    // A message has no duration.
    this.#end = data.endTime ?? (isMessage(this.type) ? this.#start : undefined)
    if (decoration !== undefined) {
      if (decoration.tags?.length)
        this.tags = [...new Set([...decoration.tags, ...(this.tags ?? [])])]
      if (decoration.metadata && Object.keys(decoration.metadata).length > 0)
        this.metadata = { ...decoration.metadata, ...this.metadata }
    }
  }

  /** When it began: ISO 8601, to the microsecond. */
  get startTime(): string | undefined {
    return written(this.#start)
  }

  set startTime(moment: string | undefined) {
    this.#start = moment
  }

  /** When it ended; `undefined` while it runs. */
  get endTime(): string | undefined {
    return written(this.#end)
  }

  set endTime(moment: string | undefined) {
    this.#end = moment
  }

  /** @internal The moments as they are kept: writing them is left for later. */
  get moments(): readonly [Moment, Moment] {
    return [this.#start, this.#end]
  }

  /** @internal The part that only its recorder changes: spread and copied steps are without it. */
  get recording(): Recording {
    return this.#recording
  }

  /** @internal */
  get context(): Context | undefined {
    return this.#context
  }

  /** @internal */
  stop(moment: number = now()): void {
    this.#end ??= moment
  }

  /** @internal Adds a file, also to a step that has been recorded. */
  attach(attachment: AttachmentPayloadInput): void {
    this.#recorder.attach(this, attachment)
  }

  /** Tells a message of the user, the assistant or the system. */
  isMessage(): boolean {
    return isMessage(this.type)
  }

  /** Makes a step inside this one. It is recorded by its own `send`, `wrap` or `end`. */
  step(data: Omit<StepData, 'threadId'>): Step {
    return new Step(this.#recorder, data, this.#recorder.contextOf(this))
  }

  /** Runs something as a step inside this one; as the client's `trace`, wherever it is called. */
  trace<Result>(name: string | StepData, work: (step: Step) => Result): Result {
    mustBeFunction('work', work)
    return this.#recorder.run(this.step(typeof name === 'string' ? { name } : name), work)
  }

  /**
   * Runs something in the context of this step and records the step at its end, also when it throws: the error is
   * recorded and thrown on as it was. Its result becomes the output, unless it set one: an object as it is, anything else
   * as `{ output }`.
   */
  async wrap<Output>(
    work: (step: this) => Output | Promise<Output>,
    update?: Update<StepData, Output>,
  ): Promise<Output> {
    mustBeFunction('work', work)
    return this.#recorder.run(this, async () => work(this), update) as Promise<Output>
  }

  /** Ends the step and records a copy of it, which the client sends in the background. Never throws. */
  end(changes?: Partial<StepData>): void {
    if (changes !== undefined) this.#recorder.assign(this, changes)
    this.#recorder.record(this)
  }

  /**
   * Keeps the step open, inside `trace` or `wrap`, until a stream has been read to its end: a web or Node stream, or
   * anything that is iterated asynchronously. Returns the stream, to be used in its place. Its values become the output,
   * unless there is one; those of a Node stream are not looked at. A stream of which nothing comes for `streamTimeoutMs`
   * keeps the step open no longer.
   *
   * @example
   * const answer = await stepwell.trace({ name: 'answer', type: 'llm' }, async (step) => step.until(await stream()))
   */
  until<Source extends object>(source: Source): Source {
    return this.#recorder.until(this, source)
  }

  /**
   * Ends the step, records it, and sends it without waiting for others. Resolves once the service has it, or when it
   * can't be reached now: then the client keeps the step and goes on trying. Never rejects.
   */
  async send(): Promise<this> {
    this.end()
    await this.#recorder.flushLast()
    return this
  }

  /** Ends and records the step at the end of the block that declares it with `using`. */
  [Symbol.dispose](): void {
    this.end()
  }

  /** Takes over the given fields, as the constructor does. */
  assign(given: Partial<StepData>): void {
    const { startTime, endTime, createdAt, ...changes } = given ?? {}
    for (const key in changes) {
      const value = changes[key as keyof typeof changes]
      if (value !== undefined) (this as Record<string, unknown>)[key] = value
    }
    if (startTime) this.#start = startTime
    if (endTime) this.#end = endTime
  }

  /** Returns the fields as a plain object, as `sendSteps` takes it. */
  serialize(): StepData & { id: string } {
    const { startTime, endTime } = this
    return { ...this, startTime, endTime, error: errorText(this.error) }
  }

  toJSON(): StepData {
    return this.serialize()
  }
}

const isMessage = (type: StepType): boolean =>
  type === 'user_message' || type === 'assistant_message' || type === 'system_message'

const listOf = <Value>(list: readonly Value[] | null | undefined): Value[] | undefined =>
  Array.isArray(list) ? [...list] : undefined

/** Takes the id that a decoration has for the first step, so that no other gets it. */
const takeStepId = (decoration: Decoration | undefined): string | undefined => {
  const { firstId } = decoration ?? {}
  const id = firstId?.value
  if (firstId !== undefined) firstId.value = undefined
  return id
}

/** @internal Writes an error and its cause as text; objects that are no errors as JSON. */
export const errorText = (error: unknown): string | undefined => {
  if (error === undefined || error === null) return undefined
  if (typeof error === 'string') return error
  try {
    if (error instanceof Error) {
      const cause = error.cause instanceof Error ? ` (caused by ${String(error.cause)})` : ''
      return `${String(error)}${cause}`
    }
    return (typeof error === 'object' ? JSON.stringify(error) : undefined) ?? String(error)
  } catch {
    return 'an error that can not be read'
  }
}
