import type { AttachmentPayloadInput } from '../../generated/schema.js'
import type { Outbox } from '../outbox/outbox.js'
import type { StepRecord, ThreadRecord } from '../outbox/records.js'
import { withPrompt } from '../prompts/link.js'
import type { Environment } from '../settings.js'
import { capture, captureMembers, reasonOf, sizeOfLast } from '../values/capture.js'
import {
  asObject,
  fitAttachments,
  fitGeneration,
  fitScores,
  textOf,
  textsOf,
  type Withheld,
} from '../values/fit.js'
import { type Watch, watchFor } from './bound.js'
import {
  anyContext,
  type Context,
  currentContext,
  LOSES_CONTEXT,
  type Remote,
  type Setting,
  withContext,
} from './context.js'
import { HeldThreads } from './held-threads.js'
import { type Mask, type MaskedField, masked } from './masking.js'
import { type Endings, followSource, isFollowed, observeResult } from './observe-result.js'
import { OpenSteps } from './open-steps.js'
import { isSampled, type Sample, Trace } from './sampling.js'
import { errorText, type OpenSource, type Step, type StepData, type Update } from './step.js'
import type { Thread } from './thread.js'

export interface RecorderOptions {
  environment: Environment | undefined
  release: string | undefined
  sample: Sample | undefined
  mask: Mask | undefined
  /** The most characters that are kept of a value. */
  maxValueLength: number
  /** How long nothing may come of a stream before its step ends. */
  streamTimeoutMs: number
}

/** Turns steps and threads into records, in the context that they are in. Nothing here throws into the application. */
export class Recorder {
  readonly #outbox: Outbox | undefined
  readonly #options: RecorderOptions
  readonly #report: (message: string) => void
  readonly #open = new OpenSteps()
  readonly #threads = new HeldThreads()
  #sampledOut = 0
  #timedOut = 0
  #hasWithheld = false
  #hasToldOfContext = false
  #size = 0
  readonly #empty: Context

  /** Without an outbox nothing is recorded, and the application runs as it would. */
  constructor(
    outbox: Outbox | undefined,
    options: RecorderOptions,
    report: (message: string) => void,
  ) {
    this.#outbox = outbox
    this.#options = options
    this.#report = report
    this.#empty = {
      owner: this,
      outer: undefined,
      thread: undefined,
      step: undefined,
      rootRun: undefined,
      trace: undefined,
      setting: {},
    }
  }

  /** How many steps sampling let go. */
  get sampledOut(): number {
    return this.#sampledOut
  }

  /** How many steps ended because nothing came of their stream for too long. */
  get timedOut(): number {
    return this.#timedOut
  }

  /** The frame around the code that runs. */
  context(): Context | undefined {
    return currentContext(this)
  }

  /** The frame around the code that runs, or an empty one. */
  contextAround(): Context {
    return this.context() ?? this.#empty
  }

  /** Runs something in the current frame, with some of it changed. */
  enter<Result>({ thread, ...setting }: Setting & { thread?: Thread }, work: () => Result): Result {
    const context = this.contextAround()
    return withContext(
      {
        ...context,
        outer: this.#outer(),
        thread: thread ?? context.thread,
        setting: { ...context.setting, ...setting },
      },
      work,
    )
  }

  /** Runs something in a trace of another service, and in nothing that is around the call. */
  enterRemote<Result>(remote: Remote, work: () => Result): Result {
    const { setting } = this.contextAround()
    return withContext(
      { ...this.#empty, outer: this.#outer(), setting: { ...setting, remote } },
      work,
    )
  }

  /** The frame inside a step. */
  contextOf(step: Step): Context {
    const context = step.context ?? this.#empty
    return {
      owner: this,
      outer: this.#outer(),
      thread: context.thread,
      step,
      rootRun: context.rootRun ?? (step.type === 'run' ? step : undefined),
      trace: this.#traceOf(step),
      setting: context.setting,
    }
  }

  /** Runs something inside a step, and records the step when it is through. Gives what the work gives, as it gives it. */
  run<Result>(
    step: Step,
    work: (step: Step) => Result,
    update?: Update<StepData, Awaited<Result>>,
  ): Result {
    const context = this.contextOf(step)
    if (this.#outbox !== undefined) {
      this.#open.add(step)
      // From here on an end of the process has something to record.
      this.#outbox.start()
    }
    let result: Result
    try {
      result = withContext(context, work, step)
    } catch (error) {
      this.#failed(step, error)
      throw error
    }
    if (typeof result === 'object' && result !== null && isFollowed(result)) {
      if (LOSES_CONTEXT && result instanceof Promise) this.#tellOfContext()
      return observeResult(context, result, {
        done: (output) => this.#done(step, output as Awaited<Result>, update),
        failed: (error, output) => this.#failed(step, error, output),
        ...this.#followed(step),
      }) as Result
    }
    void this.#done(step, result as Awaited<Result>, update)
    return result
  }

  #tellOfContext(): void {
    if (this.#hasToldOfContext) return
    this.#hasToldOfContext = true
    this.#report(
      'steps lose their context after the first await, as this Worker has no AsyncLocalStorage: set the compatibility flag nodejs_compat, with a compatibility date of 2024-09-23 or later',
    )
  }

  /** What following a result of a step needs to know, whatever the result is. */
  #followed(step: Step): Pick<Endings, 'most' | 'begun' | 'watch'> {
    return {
      most: this.#options.maxValueLength,
      begun: (soFar) => {
        step.soFar = soFar
      },
      watch: (onEnd) =>
        watchFor(this.#options.streamTimeoutMs, (lastMoment) => {
          this.#timedOut++
          if (this.#timedOut === 1)
            this.#report(
              `nothing came of a stream or promise for ${this.#options.streamTimeoutMs} ms, and its step ends without the rest. Such steps are counted in stats() as timedOut; this is said once`,
            )
          step.stop(lastMoment)
          onEnd()
        }),
    }
  }

  #failed(step: Step, error: unknown, output?: unknown): void {
    this.#fill(step, 'error', error ?? 'failed without saying why')
    if (output !== undefined) this.#fill(step, 'output', output)
    this.#finish(step)
  }

  #done<Output>(
    step: Step,
    output: Output,
    update: Update<StepData, Output> | undefined,
  ): Promise<void> | undefined {
    const { source } = step
    if (source === undefined) {
      if (output !== null) this.#fill(step, 'output', output)
      if (update === undefined) return this.#finish(step)
      return this.update(step, update, output).then(() => this.#finish(step))
    }
    source.finish = () => void this.update(step, update, output).then(() => this.#finish(step))
    if (source.isOver) source.finish()
    return undefined
  }

  /** Sets what the application has not set itself. */
  #fill(step: Step, field: 'error' | 'output', value: unknown): void {
    if (step[field] === undefined) this.#set(step, field, value)
  }

  /** Sets a field of a step, and tells whether it could: the application may have frozen it. */
  #set<Field extends 'error' | 'output' | 'attachments'>(
    step: Step,
    field: Field,
    value: Step[Field],
  ): boolean {
    try {
      step[field] = value
      return true
    } catch {
      return false
    }
  }

  /** Keeps a step open until a source of values is through. Gives the source. */
  until<Source extends object>(step: Step, source: Source): Source {
    const state: OpenSource = { isOver: false, finish: undefined }
    // A stream that is read in branches has one for each.
    const watches: Watch[] = []
    const { watch, ...followed } = this.#followed(step)
    const over = (output: unknown, error?: unknown) => {
      if (state.isOver) return
      state.isOver = true
      for (const one of watches) one.stop()
      if (error !== undefined) this.#fill(step, 'error', error)
      if (output !== undefined) this.#fill(step, 'output', output)
      state.finish?.()
    }
    try {
      const given = followSource(this.contextOf(step), source, {
        done: (output) => {
          over(output)
          return undefined
        },
        failed: (error, output) => over(output, error ?? 'failed without saying why'),
        ...followed,
        watch: (onEnd) => {
          const made = watch(onEnd)
          watches.push(made)
          return made
        },
      })
      step.source = state
      return given
    } catch (error) {
      this.#report(`until can't follow what it was given: ${reasonOf(error)}`)
      return source
    }
  }

  /** Takes over the changes that a wrapper was given. One that fails changes nothing. */
  async update<Data, Output>(
    target: { assign(changes: Partial<Data>): void },
    update: Update<Data, Output> | undefined,
    output: Output,
  ): Promise<void> {
    if (update === undefined) return
    try {
      const changes = typeof update === 'function' ? await update(output) : update
      if (changes) target.assign(changes)
    } catch (error) {
      this.#report(
        `an update function failed, and what it wraps stays as it is: ${reasonOf(error)}`,
      )
    }
  }

  /** Records a step as it is now. */
  record(step: Step): void {
    this.#finish(step)
  }

  /** Adds a file to a step, and to what was recorded of it. */
  attach(step: Step, attachment: AttachmentPayloadInput): void {
    const { attachments } = step
    const isSet = this.#set(step, 'attachments', [
      ...(Array.isArray(attachments) ? attachments : []),
      attachment,
    ])
    if (isSet && !step.isRecorded) return
    this.#guarded((outbox) => {
      const { value, size } = this.#attachmentRecord(step, attachment)
      this.#offer(outbox, step, value, size)
    })
  }

  /** Takes over changes of a step; what can't be taken over is left. */
  assign(step: Step, changes: Partial<StepData>): void {
    try {
      step.assign(changes)
    } catch (error) {
      this.#report(`changes of a step can't be read: ${reasonOf(error)}`)
    }
  }

  /** Records what is set of a thread, and gives it as text; nothing when it is the text that was recorded before. */
  recordThread(id: string, fields: object, before: string | undefined): string {
    try {
      const record = this.#threadRecord(id, fields)
      const { id: _, ...said } = record
      const text = JSON.stringify(said)
      const isAsked = before === undefined
      if (isAsked) {
        this.#keepThread(record.id)
        if (this.#isSampling) this.#threads.keep(record.id)
      }
      if (text !== before && (isAsked || !this.#isSampling || !this.#threads.hold(record)))
        this.#outbox?.addThread(record, text.length)
      return text
    } catch (error) {
      this.#report(`a thread could not be recorded: ${reasonOf(error)}`)
      return before ?? '{}'
    }
  }

  /** Notes that a step was made in a thread. */
  noteStep(threadId: string | undefined): void {
    this.#threads.noteStep(threadId)
  }

  /** Records a thread that is left without a step: there is nothing that could keep it later. */
  leaveThread(id: string): void {
    const record = this.#threads.takeEmpty(id)
    if (record !== undefined) this.#outbox?.addThread(record)
  }

  /** Records what was held back of a thread, as something of it is kept. */
  #keepThread(id: string | undefined): void {
    const record = this.#threads.take(id)
    if (record !== undefined) this.#outbox?.addThread(record)
  }

  /** Whether steps of the code that runs may be let go. */
  get #isSampling(): boolean {
    const context = this.context()
    if (context?.trace?.kept) return false
    return this.#options.sample !== undefined || context?.setting.remote?.sampled === false
  }

  /** Records the steps that have not ended, as the process is about to. */
  recordOpen(reason: string): void {
    for (const step of this.#open.takeAll()) {
      this.#fill(step, 'error', reason)
      const output = step.soFar?.()
      if (output !== undefined) this.#fill(step, 'output', output)
      this.#guarded((outbox) => this.#emit(outbox, step))
    }
  }

  /** Sends what was recorded last, without waiting for more. */
  async flushLast(): Promise<void> {
    await this.#outbox?.flushLast()
  }

  /** Ends a step and records it. */
  #finish(step: Step): undefined {
    this.#guarded((outbox) => {
      this.#open.delete(step)
      step.stop()
      const trace = this.#emit(outbox, step)
      if (trace?.first === step) trace.end()
    })
  }

  /** A fault of this SDK costs a step, and nothing of the application. */
  #guarded(work: (outbox: Outbox) => void): void {
    if (this.#outbox === undefined) return
    try {
      work(this.#outbox)
    } catch (error) {
      this.#outbox.lose('internal', `a step could not be recorded: ${reasonOf(error)}`)
    }
  }

  /** Records a step as it is now, or leaves it to its trace, which it gives, whether that is to be. */
  #emit(outbox: Outbox, step: Step): Trace | undefined {
    const { value, size } = this.#stepRecord(step)
    step.isRecorded = true
    return this.#offer(outbox, step, value, size)
  }

  #offer(outbox: Outbox, step: Step, value: StepRecord, size: number): Trace | undefined {
    const trace = this.#traceOf(step)
    if (trace === undefined) this.#add(outbox, value, size)
    else {
      const failed = step.error !== undefined && step.error !== null
      trace.offer(() => this.#add(outbox, value, size), failed)
    }
    return trace
  }

  #add(outbox: Outbox, value: StepRecord, size: number): void {
    this.#keepThread(value.threadId)
    outbox.add(value, size)
  }

  /** The trace of a step; undefined when everything is kept. The first step of a trace has one of its own. */
  #traceOf(step: Step): Trace | undefined {
    const { context = this.#empty } = step
    if (context.trace !== undefined) return context.trace
    if (step.ownTrace !== undefined) return step.ownTrace
    const { sample } = this.#options
    const { remote } = context.setting
    if (sample === undefined && remote?.sampled !== false) return undefined
    const kept = remote?.sampled ?? (sample === undefined || isSampled(sample, step as StepData))
    step.ownTrace = new Trace(kept, step, (count) => {
      this.#sampledOut += count
    })
    return step.ownTrace
  }

  /** The frame that other clients have around the code that runs. */
  #outer(): Context | undefined {
    const context = anyContext()
    return context?.owner === this ? context.outer : context
  }

  /** What is recorded of a step, with a reason for each field that could not be kept as it was given. */
  #stepRecord(step: Step): { value: StepRecord; size: number } {
    const [startTime, endTime] = step.moments
    const { release, environment } = this.#options
    const withheld: Withheld = {}
    this.#size = STEP_SIZE
    const value: StepRecord = {
      sessionId: '',
      sequence: 0,
      id: labelOf(step.id) ?? '',
      threadId: labelOf(step.threadId),
      rootRunId: labelOf(step.rootRunId),
      parentId: labelOf(step.parentId),
      type: step.type === 'undefined' ? undefined : labelOf(step.type),
      name: labelOf(step.name),
      startTime: momentOf(startTime),
      endTime: momentOf(endTime),
      environment: labelOf(step.environment ?? environment),
      error: textOf(this.#measured(errorText(step.error), 'error', withheld)),
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

  /** A file that came after what is recorded of its step, as a part that the service merges. */
  #attachmentRecord(step: Step, attachment: AttachmentPayloadInput) {
    const withheld: Withheld = {}
    this.#size = STEP_SIZE
    const captured = this.#measured([attachment], 'attachments', withheld)
    const attachments = fitAttachments(captured, withheld)
    const value: Partial<StepRecord> = {
      sessionId: '',
      sequence: 0,
      id: labelOf(step.id) ?? '',
      threadId: labelOf(step.threadId),
      environment: labelOf(step.environment ?? this.#options.environment),
      attachments,
    }
    this.#withReasons(undefined, withheld)
    return { value: value as StepRecord, size: this.#size }
  }

  /** Says once, and in the step's metadata, what was withheld and why. */
  #withReasons(metadata: unknown, withheld: Withheld): unknown {
    let first: string | undefined
    for (const field in withheld) first ??= field
    if (first === undefined) return metadata
    if (!this.#hasWithheld) {
      this.#hasWithheld = true
      this.#report(
        `${first} of a step are withheld: ${withheld[first]}. The metadata of each such step says so, this is said once`,
      )
    }
    return { withheld, ...asObject(metadata, 'value') }
  }

  /** An input or an output, which is an object: anything else is put into one under the name of the field. */
  #payload(value: unknown, field: 'input' | 'output', withheld: Withheld): unknown {
    if (value === undefined || value === null) return undefined
    const kept = this.#masked(asObject(this.#captured(value, field), field), field, withheld)
    this.#size += sizeOfLast()
    return asObject(kept, field)
  }

  /** What is kept of a value of the step that is being recorded; its size is added up. */
  #measured(value: unknown, field: MaskedField, withheld: Withheld): unknown {
    if (value === undefined || value === null) return undefined
    const kept = this.#masked(this.#captured(value, field), field, withheld)
    this.#size += sizeOfLast()
    return kept
  }

  #threadRecord(id: string, fields: object): ThreadRecord {
    const { name, participantId, environment, metadata, tags } = fields as ThreadRecord
    const { release } = this.#options
    const keep = (value: unknown, field: MaskedField) =>
      value === undefined ? undefined : this.#masked(this.#captured(value, field), field, {})
    return {
      id: labelOf(id) ?? '',
      name: textOf(keep(name, 'threadName')),
      participantId: labelOf(participantId),
      environment: environment ?? this.#options.environment,
      metadata: withRelease(asObject(keep(metadata, 'threadMetadata'), 'value'), release),
      tags: labelsOf(tags),
    }
  }

  #captured(value: unknown, field: MaskedField): unknown {
    const copy = field === 'generation' ? captureMembers : capture
    return copy(value, this.#options.maxValueLength)
  }

  #masked(captured: unknown, field: MaskedField, withheld: Withheld): unknown {
    const { mask } = this.#options
    // What the mask gives is captured again: it may be anything.
    return mask === undefined
      ? captured
      : this.#captured(masked(mask, captured, field, withheld), field)
  }
}

/** What a step takes beside its values, in characters. */
const STEP_SIZE = 512
/** The most characters of a label that is no text, and of all tags. */
const MAX_LABEL = 100_000

/** A text that the application chose as a label. */
const labelOf = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : textOf(capture(value, MAX_LABEL))

const labelsOf = (value: unknown): string[] | undefined =>
  value === undefined ? undefined : textsOf(capture(value, MAX_LABEL))

/** A generation that knows its prompt, unless it can't be read. */
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

/** The last moment that a date can name. */
const LAST_MOMENT = 8.64e15

/** A moment that can be written; what is none says nothing. */
const momentOf = (moment: unknown): number | string | undefined => {
  if (typeof moment === 'string') return moment
  if (moment instanceof Date)
    return Number.isNaN(moment.getTime()) ? undefined : moment.toISOString()
  return typeof moment === 'number' && Math.abs(moment) < LAST_MOMENT ? moment : undefined
}
