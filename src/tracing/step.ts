import type {
  AttachmentPayloadInput,
  GenerationPayloadInput,
  ScorePayloadInput,
  StepType,
} from '../../generated/schema.js'
import type { Environment } from '../settings.js'
import { now, toIso } from '../values/clock.js'
import { newId } from '../values/id.js'
import type { Context, Decoration } from './context.js'
import type { Link } from './open-steps.js'
import type { Recorder } from './recorder.js'
import type { Trace } from './sampling.js'

/** What a step is made from. What is absent and known from the context is taken from there. */
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
  /** An error, or what to say of one. */
  error?: unknown
  input?: unknown
  output?: unknown
  metadata?: Record<string, unknown> | null | undefined
  tags?: readonly string[] | null | undefined
  generation?: GenerationPayloadInput | null | undefined
  scores?: readonly ScorePayloadInput[] | null | undefined
  attachments?: readonly AttachmentPayloadInput[] | null | undefined
}

/** What to change of something once what it wraps is through: values, or a function from the output to values. */
export type Update<Data, Output> =
  | Partial<Data>
  | ((output: Output) => Partial<Data> | undefined | Promise<Partial<Data> | undefined>)

type Moment = number | string | undefined

const written = (moment: Moment): string | undefined =>
  typeof moment === 'number' ? toIso(moment) : moment

/** A stream that keeps its step open. */
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
  readonly #recorder: Recorder
  /** The frame that it was made in, and so belongs in, wherever it is run. */
  readonly #context: Context | undefined
  #start: Moment
  #end: Moment
  #link: Link | undefined
  #source: OpenSource | undefined
  #soFar: (() => unknown) | undefined
  #trace: Trace | undefined
  #isRecorded = false

  /** @internal Made by a client. */
  constructor(recorder: Recorder, given: StepData, context: Context | undefined) {
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

  /** @internal Its place among the steps that run. */
  get link(): Link | undefined {
    return this.#link
  }

  set link(link: Link | undefined) {
    this.#link = link
  }

  /** @internal The trace that it is the first step of. */
  get ownTrace(): Trace | undefined {
    return this.#trace
  }

  set ownTrace(trace: Trace) {
    this.#trace = trace
  }

  /** @internal Whether it was recorded, so that what is set later does not arrive by itself. */
  get isRecorded(): boolean {
    return this.#isRecorded
  }

  set isRecorded(isRecorded: true) {
    this.#isRecorded = isRecorded
  }

  /** @internal What was yielded so far, by what keeps it open. */
  get soFar(): (() => unknown) | undefined {
    return this.#soFar
  }

  set soFar(soFar: () => unknown) {
    this.#soFar = soFar
  }

  /** @internal */
  get source(): OpenSource | undefined {
    return this.#source
  }

  set source(source: OpenSource) {
    this.#source = source
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

  /** Whether it is a message of the user, the assistant or the system. */
  isMessage(): boolean {
    return isMessage(this.type)
  }

  /** Makes a step inside this one. It is recorded by its own `send`, `wrap` or `end`. */
  step(data: Omit<StepData, 'threadId'>): Step {
    return new Step(this.#recorder, data, this.#recorder.contextOf(this))
  }

  /** Runs something as a step inside this one; as the client's `trace`, wherever it is called. */
  trace<Result>(name: string | StepData, work: (step: Step) => Result): Result {
    return this.#recorder.run(this.step(typeof name === 'string' ? { name } : name), work)
  }

  /**
   * Runs something in the context of this step and records the step at its end, also when it throws: the error is
   * recorded and thrown on as it was. What it returns becomes the output, unless it set one: an object as it is, anything
   * else as `{ output }`.
   */
  async wrap<Output>(
    work: (step: this) => Output | Promise<Output>,
    update?: Update<StepData, Output>,
  ): Promise<Output> {
    return this.#recorder.run(this, async () => work(this), update) as Promise<Output>
  }

  /** Ends the step and records it. What it held is copied; sending it is the client's business. Never throws. */
  end(changes?: Partial<StepData>): void {
    if (changes !== undefined) this.#recorder.assign(this, changes)
    this.#recorder.record(this)
  }

  /**
   * Keeps the step open, inside `trace` or `wrap`, until a stream has been read to its end: a web or Node stream, or
   * anything that is iterated asynchronously. Gives the stream, to be used in its place. Its values become the output,
   * unless there is one; those of a Node stream are not looked at. One of which nothing comes for `streamTimeoutMs` keeps
   * the step open no longer.
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

  /** Takes over what is given, as the constructor does. */
  assign(given: Partial<StepData>): void {
    const { startTime, endTime, createdAt, ...changes } = given ?? {}
    for (const key in changes) {
      const value = changes[key as keyof typeof changes]
      if (value !== undefined) (this as Record<string, unknown>)[key] = value
    }
    if (startTime) this.#start = startTime
    if (endTime) this.#end = endTime
  }

  /** The fields as a plain object, as `sendSteps` takes it. */
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

/** The id that a decoration has for the first step: whoever takes it is the only one. */
const takeStepId = (decoration: Decoration | undefined): string | undefined => {
  const { firstId } = decoration ?? {}
  const id = firstId?.value
  if (firstId !== undefined) firstId.value = undefined
  return id
}

/** What to say of an error, with what caused it. Objects that are no errors are written as JSON. */
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
