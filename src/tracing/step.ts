// In the declarations too: projects whose `lib` is older know no `Symbol.dispose`.
/// <reference lib="esnext.disposable" preserve="true" />
import type {
  AttachmentPayloadInput,
  GenerationPayloadInput,
  StepType,
} from '../../generated/schema.js'
import { mustBeFunction } from '../errors.js'
import { merged } from '../values/capture.js'
import { jumped, now, toIso } from '../values/clock.js'
import { newId } from '../values/id.js'
import { isError } from '../values/is-error.js'
import { momentOf } from '../values/moment.js'
import { readably } from '../values/readably.js'
import type { Context, Decoration } from './context.js'
import { givenFields, setFields } from './given-fields.js'
import type { Recording } from './recording/recording.js'
import type { ScoreData, StepData, Update } from './step-data.js'

/** @internal The fields that a step is made from, except the one that is ignored. */
export const FIELDS =
  'id name type threadId rootRunId parentId startTime endTime environment error input output metadata tags generation scores attachments'.split(
    ' ',
  ) as (keyof StepData)[]

type Moment = number | string | undefined

const written = (moment: Moment): string | undefined => {
  const fitted = momentOf(moment)
  return typeof fitted === 'number' ? toIso(fitted) : fitted
}

/** @internal The part of a recorder that steps use. */
export interface StepRecorder {
  contextOf(step: Step): Context
  noteStep(step: Step): void
  run<Result>(
    step: Step,
    work: (step: Step) => Result,
    update?: Update<StepData, Awaited<Result>>,
  ): Result
  until<Source extends object>(step: Step, source: Source): Source
  report(message: string): void
  attach(step: Step, attachment: AttachmentPayloadInput): void
  record(step: Step): void
  flushLast(): Promise<void>
}

/**
 * A timed piece of work that is being recorded. Its fields may be changed until it ends; what they hold at its end is
 * copied then. Steps made inside `wrap` have it as their parent.
 */
export class Step {
  /** Unique in the project. */
  id: string
  /** The name to show. */
  name: string | undefined
  /** The kind of work. */
  type: StepType
  /** The thread that it belongs to; `undefined` outside of threads. */
  threadId: string | undefined
  /** The outermost run that it is part of; `undefined` for that run itself. */
  rootRunId: string | undefined
  /** The step inside which it runs; `undefined` for the outermost one. */
  parentId: string | undefined
  /** `dev`, `staging`, `prod` or `experiment`; when `undefined`, that of the client. */
  environment: string | undefined
  /** An error, or a text about one; `undefined` when nothing failed. */
  error: unknown
  /** Any value that goes in, up to 3 MB. */
  input: unknown
  /** Any value that comes out, up to 3 MB. */
  output: unknown
  /** Anything else to store, up to 1 MB. */
  metadata: Record<string, unknown> | undefined
  /** Labels. */
  tags: string[] | undefined
  /** The model call that it stands for. */
  generation: GenerationPayloadInput | undefined
  /** Scores to store with it. */
  scores: ScoreData[] | undefined
  /** Files to store with it. */
  attachments: AttachmentPayloadInput[] | undefined
  readonly #recorder: StepRecorder
  /** The context that it was made in, and so belongs in, wherever it is run. */
  readonly #context: Context | undefined
  #start: Moment
  #end: Moment
  readonly #jumped: number
  readonly #recording: Recording<Step> = {
    link: undefined,
    trace: undefined,
    source: undefined,
    soFar: undefined,
    hasCall: false,
    hasFailedCall: false,
    writeCall: undefined,
    onLeft: undefined,
    recordsInputs: true,
    recordsOutputs: true,
    clearsError: false,
    isSilent: false,
    isRecorded: false,
  }

  /** @internal Called by a client. The fixed fields win over the given ones. */
  constructor(
    recorder: StepRecorder,
    given: StepData,
    context: Context | undefined,
    fixed?: Partial<StepData>,
  ) {
    // Read one by one: a getter of the application may throw.
    const data: StepData = Object.assign(givenFields(given, FIELDS, recorder.report), fixed)
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
    this.#jumped = jumped
    // A message has no duration.
    this.#end = data.endTime ?? (isMessage(this.type) ? this.#start : undefined)
    if (decoration !== undefined) {
      if (decoration.tags?.length)
        this.tags = [...new Set([...decoration.tags, ...(this.tags ?? [])])]
      if (decoration.metadata && Object.keys(decoration.metadata).length > 0)
        this.metadata = merged(decoration.metadata, this.metadata)
    }
    recorder.noteStep(this)
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

  /** @internal The moments in their stored form: they are written when sent. */
  get moments(): readonly [Moment, Moment] {
    return [this.#start, this.#end]
  }

  /** @internal The part that only its recorder changes: spread and copied steps are without it. */
  get recording(): Recording<Step> {
    return this.#recording
  }

  /** @internal */
  get context(): Context | undefined {
    return this.#context
  }

  /**
   * @internal Notes the end, which is not before the start. A clock that was put back in between shortens nothing. One that
   * was set forward may have followed the machine's sleep, which is time that passed.
   */
  stop(moment: number = now() + Math.max(0, this.#jumped - jumped)): void {
    const start = this.#start
    this.#end ??= typeof start === 'number' && start > moment ? start : moment
  }

  /** @internal Adds a file, also to a step that has been recorded. */
  attach(attachment: AttachmentPayloadInput): void {
    this.#recorder.attach(this, attachment)
  }

  /**
   * Tells a message of the user, the assistant or the system.
   *
   * @returns true for the types `user_message`, `assistant_message` and `system_message`.
   * @example
   * console.log(stepwell.step({ type: 'user_message' }).isMessage())
   */
  isMessage(): boolean {
    return isMessage(this.type)
  }

  /**
   * Makes a step inside this one. It is recorded by its own `send`, `wrap` or `end`.
   *
   * @returns the step, which is running from now on.
   * @example
   * const inner = step.step({ name: 'search', type: 'retrieval' })
   * inner.end({ output: { found: await search(question) } })
   * step.end()
   */
  step(data: Omit<StepData, 'threadId'>): Step {
    return new Step(this.#recorder, data, this.#recorder.contextOf(this))
  }

  /**
   * Runs a function as a step inside this one; as the client's `trace`, wherever it is called.
   *
   * @returns the result of `work`, as it is.
   * @throws `INVALID_ARGUMENT` when `work` is no function; whatever `work` throws, as it is.
   * @example
   * const found = await step.trace({ name: 'search', type: 'retrieval' }, () => search(question))
   * step.end()
   */
  trace<Result>(name: string | StepData, work: (step: Step) => Result): Result {
    mustBeFunction('work', work)
    return this.#recorder.run(this.step(typeof name === 'string' ? { name } : name), work)
  }

  /**
   * Runs a function in the context of this step and records the step at its end. An error is recorded and rethrown
   * unchanged. The result becomes the output, unless the function set one: an object as it is, anything else as
   * `{ output }`.
   *
   * @param update - Changes of the step after the work: values, or a function from the output to values.
   * @returns the result of `work`.
   * @throws `INVALID_ARGUMENT` when `work` is no function; whatever `work` throws, as it is.
   * @example
   * const answer = await stepwell.step({ name: 'answer', type: 'tool' }).wrap(async (step) => {
   *   step.input = { question }
   *   return agent(question)
   * })
   */
  async wrap<Output>(
    work: (step: this) => Output | Promise<Output>,
    update?: Update<StepData, Output>,
  ): Promise<Output> {
    mustBeFunction('work', work)
    return this.#recorder.run(this, async () => work(this), update) as Promise<Output>
  }

  /**
   * Ends the step and records a copy of it, which the client sends in the background. Never throws.
   *
   * @param changes - Fields to set before.
   * @example
   * step.end({ output: { content: await agent(question) } })
   */
  end(changes?: Partial<StepData>): void {
    if (changes !== undefined) this.assign(changes)
    this.#recorder.record(this)
  }

  /**
   * Keeps the step open, inside `trace` or `wrap`, until a stream has been read to its end: a web or Node stream, or
   * anything that is iterated asynchronously. Its values become the output, unless there is one; those of a Node stream are
   * not looked at. A stream that is silent for `streamTimeoutMs` keeps the step open no longer.
   *
   * @returns the stream, to be used in place of the given one.
   * @example
   * const answer = stepwell.trace({ name: 'answer', type: 'llm' }, (step) => step.until(stream(question)))
   * for await (const piece of answer) console.log(piece)
   */
  until<Source extends object>(source: Source): Source {
    return this.#recorder.until(this, source)
  }

  /**
   * Ends the step, records it, and sends it without waiting for others. Resolves once the service has it. When the service
   * can't be reached, resolves too: the client keeps the step and goes on trying. Never rejects.
   *
   * @returns the step.
   * @scope `ingest` or `write`
   * @example
   * await step.send()
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

  /**
   * Sets the given fields. A field that is omitted, `undefined` or unreadable stays as it is. Never throws.
   *
   * @example
   * step.assign({ name: 'answer', metadata: { plan: 'team' } })
   * step.end()
   */
  assign(given: Partial<StepData>): void {
    const { report } = this.#recorder
    const { startTime, endTime, ...changes } = givenFields(given, FIELDS, report)
    setFields(this, changes, report)
    if (startTime) this.#start = startTime
    if (endTime) this.#end = endTime
  }

  /**
   * Returns the fields as a plain object, as `sendSteps` takes it.
   *
   * @returns a copy of the fields, with the error as text.
   * @example
   * await stepwell.api.sendSteps([step.serialize()])
   */
  serialize(): StepData & { id: string; error?: string | undefined } {
    const { startTime, endTime } = this
    return { ...this, startTime, endTime, error: errorText(this.error) }
  }

  /**
   * Returns the fields as a plain object, for `JSON.stringify`.
   *
   * @returns the same as `serialize`.
   * @example
   * console.log(JSON.stringify(step))
   */
  toJSON(): StepData {
    return this.serialize()
  }
}

const isMessage = (type: StepType): boolean =>
  type === 'user_message' || type === 'assistant_message' || type === 'system_message'

/** @internal Copies a list; returns undefined for anything else, and for one that can't be read. */
export const listOf = <Value>(list: readonly Value[] | null | undefined): Value[] | undefined => {
  try {
    return Array.isArray(list) ? [...list] : undefined
  } catch {
    return undefined
  }
}

/** Takes the id that a decoration has for the first step, so that no other gets it. */
const takeStepId = (decoration: Decoration | undefined): string | undefined => {
  const { firstId } = decoration ?? {}
  const id = firstId?.value
  if (firstId !== undefined) firstId.value = undefined
  return id
}

/** @internal Writes an error and its cause as text; other objects as JSON. */
export const errorText = (error: unknown): string | undefined => {
  if (error === undefined || error === null) return undefined
  if (typeof error === 'string') return error
  return readably(() => {
    if (isError(error)) {
      const cause = isError(error.cause) ? ` (caused by ${String(error.cause)})` : ''
      return `${String(error)}${cause}`
    }
    return (typeof error === 'object' ? JSON.stringify(error) : undefined) ?? String(error)
  })
}
