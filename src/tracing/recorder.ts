import type { Outbox } from '../outbox/outbox.js'
import { withPrompt } from '../prompts/link.js'
import type { Environment } from '../settings.js'
import { capture, captureMembers, reasonOf, sizeOfLast } from './capture.js'
import { anyFrame, currentFrame, type Frame, type Remote, runIn, type Setting } from './context.js'
import { followResult, followSource } from './follow.js'
import { type Mask, type MaskedField, masked } from './masking.js'
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
}

/** A step as it is handed on: what it held when it ended. */
export interface StepRecord {
  /** Where it belongs in the session, which the outbox knows. */
  sessionId: string
  sequence: number
  id: string
  threadId: string | undefined
  rootRunId: string | undefined
  parentId: string | undefined
  type: string | undefined
  name: string | undefined
  /** Milliseconds since 1970, written only when they are sent, or ISO 8601. */
  startTime: number | string | undefined
  endTime: number | string | undefined
  environment: string | undefined
  error: string | undefined
  tags: unknown
  input: unknown
  output: unknown
  metadata: unknown
  generation: unknown
  scores: unknown
  attachments: unknown
}

export interface ThreadRecord {
  id: string
  name?: unknown
  participantId?: string | undefined
  environment?: string | undefined
  metadata?: unknown
  tags?: unknown
}

/** Turns steps and threads into records, in the context that they are in. Nothing here throws into the application. */
export class Recorder {
  readonly #outbox: Outbox | undefined
  readonly #options: RecorderOptions
  readonly #report: (message: string) => void
  readonly #open = new OpenSteps()
  #sampledOut = 0
  #size = 0
  readonly #empty: Frame

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

  /** The frame around the code that runs. */
  frame(): Frame | undefined {
    return currentFrame(this)
  }

  /** The frame around the code that runs, or an empty one. */
  frameAround(): Frame {
    return this.frame() ?? this.#empty
  }

  /** Runs something in the current frame, with some of it changed. */
  enter<Result>({ thread, ...setting }: Setting & { thread?: Thread }, work: () => Result): Result {
    const frame = this.frameAround()
    return runIn(
      {
        ...frame,
        outer: this.#outer(),
        thread: thread ?? frame.thread,
        setting: { ...frame.setting, ...setting },
      },
      work,
    )
  }

  /** Runs something in a trace of another service, and in nothing that is around the call. */
  enterRemote<Result>(remote: Remote, work: () => Result): Result {
    const { setting } = this.frameAround()
    return runIn({ ...this.#empty, outer: this.#outer(), setting: { ...setting, remote } }, work)
  }

  /** The frame inside a step. */
  frameOf(step: Step): Frame {
    const frame = step.frame ?? this.#empty
    return {
      owner: this,
      outer: this.#outer(),
      thread: frame.thread,
      step,
      rootRun: frame.rootRun ?? (step.type === 'run' ? step : undefined),
      trace: this.#traceOf(step),
      setting: frame.setting,
    }
  }

  /** Runs something inside a step, and records the step when it is through. Gives what the work gives, as it gives it. */
  run<Result>(
    step: Step,
    work: (step: Step) => Result,
    update?: Update<StepData, Awaited<Result>>,
  ): Result {
    const frame = this.frameOf(step)
    if (this.#outbox !== undefined) {
      this.#open.add(step)
      // From here on an end of the process has something to record.
      this.#outbox.start()
    }
    let result: Result
    try {
      result = runIn(frame, work, step)
    } catch (error) {
      this.#failed(step, error)
      throw error
    }
    if (typeof result === 'object' && result !== null)
      return followResult(frame, result, {
        done: (output) => this.#done(step, output as Awaited<Result>, update),
        failed: (error) => this.#failed(step, error),
        most: this.#options.maxValueLength,
      }) as Result
    void this.#done(step, result as Awaited<Result>, update)
    return result
  }

  #failed(step: Step, error: unknown): void {
    this.#set(step, 'error', error ?? 'failed without saying why')
    this.#finish(step)
  }

  #done<Output>(
    step: Step,
    output: Output,
    update: Update<StepData, Output> | undefined,
  ): Promise<void> | undefined {
    const { source } = step
    if (source === undefined) {
      if (output !== null) this.#set(step, 'output', output)
      if (update === undefined) return this.#finish(step)
      return this.update(step, update, output).then(() => this.#finish(step))
    }
    source.finish = () => void this.update(step, update, output).then(() => this.#finish(step))
    if (source.isOver) source.finish()
    return undefined
  }

  /** Sets what the application has not set itself, on a step that it may have frozen. */
  #set(step: Step, field: 'error' | 'output', value: unknown): void {
    try {
      if (step[field] === undefined) step[field] = value
    } catch {
      // Then it stays as the application wants it.
    }
  }

  /** Keeps a step open until a source of values is through. Gives the source. */
  until<Source extends object>(step: Step, source: Source): Source {
    const state: OpenSource = { isOver: false, finish: undefined }
    const over = (field: 'error' | 'output', value: unknown) => {
      if (state.isOver) return
      state.isOver = true
      this.#set(step, field, value)
      state.finish?.()
    }
    try {
      const followed = followSource(this.frameOf(step), source, {
        done: (output) => {
          over('output', output)
          return undefined
        },
        failed: (error) => over('error', error ?? 'failed without saying why'),
        most: this.#options.maxValueLength,
      })
      step.source = state
      return followed
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
      if (text !== before) this.#outbox?.addThread(record, text.length)
      return text
    } catch (error) {
      this.#report(`a thread could not be recorded: ${reasonOf(error)}`)
      return before ?? '{}'
    }
  }

  /** Records the steps that have not ended, as the process is about to. */
  recordOpen(reason: string): void {
    for (const step of this.#open.takeAll()) {
      this.#set(step, 'error', reason)
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
    const trace = this.#traceOf(step)
    const { value, size } = this.#stepRecord(step)
    if (trace === undefined) outbox.add(value, size)
    else {
      const failed = step.error !== undefined && step.error !== null
      trace.offer(() => outbox.add(value, size), failed)
    }
    return trace
  }

  /** The trace of a step; undefined when everything is kept. The first step of a trace has one of its own. */
  #traceOf(step: Step): Trace | undefined {
    const { frame = this.#empty } = step
    if (frame.trace !== undefined) return frame.trace
    if (step.ownTrace !== undefined) return step.ownTrace
    const { sample } = this.#options
    const { remote } = frame.setting
    if (sample === undefined && remote?.sampled !== false) return undefined
    const kept = remote?.sampled ?? (sample === undefined || isSampled(sample, step as StepData))
    step.ownTrace = new Trace(kept, step, (count) => {
      this.#sampledOut += count
    })
    return step.ownTrace
  }

  /** The frame that other clients have around the code that runs. */
  #outer(): Frame | undefined {
    const frame = anyFrame()
    return frame?.owner === this ? frame.outer : frame
  }

  #stepRecord(step: Step): { value: StepRecord; size: number } {
    const [startTime, endTime] = step.moments
    const { release, environment } = this.#options
    this.#size = STEP_SIZE
    const value: StepRecord = {
      sessionId: '',
      sequence: 0,
      id: String(step.id),
      threadId: textOf(step.threadId),
      rootRunId: textOf(step.rootRunId),
      parentId: textOf(step.parentId),
      type: step.type === 'undefined' ? undefined : textOf(step.type),
      name: textOf(step.name),
      startTime: momentOf(startTime),
      endTime: momentOf(endTime),
      environment: textOf(step.environment ?? environment),
      error: textOf(this.#measured(errorText(step.error), 'error')),
      tags: step.tags === undefined ? undefined : tagsOf(step.tags),
      input: this.#measured(payloadOf(step.input, 'input'), 'input'),
      output: this.#measured(payloadOf(step.output, 'output'), 'output'),
      metadata: this.#metadata(step.metadata, release),
      generation: this.#measured(step.generation && withPrompt(step.generation), 'generation'),
      scores: this.#measured(step.scores, 'scores'),
      attachments: this.#measured(step.attachments, 'attachments'),
    }
    return { value, size: this.#size }
  }

  /** What is kept of a value of the step that is being recorded; its size is added up. */
  #measured(value: unknown, field: MaskedField): unknown {
    if (value === undefined || value === null) return undefined
    const kept = this.#keep(value, field)
    this.#size += sizeOfLast()
    return kept
  }

  #metadata(value: unknown, release: string | undefined): unknown {
    return withRelease(this.#measured(value, 'metadata'), release)
  }

  #threadRecord(id: string, fields: object): ThreadRecord {
    const { name, participantId, environment, metadata, tags } = fields as ThreadRecord
    const { release } = this.#options
    const keep = (value: unknown, field: MaskedField) =>
      value === undefined ? undefined : this.#keep(value, field)
    return {
      id: String(id),
      name: textOf(keep(name, 'threadName')),
      participantId: textOf(participantId),
      environment: environment ?? this.#options.environment,
      metadata: withRelease(keep(metadata, 'threadMetadata'), release),
      tags: tagsOf(tags),
    }
  }

  #keep(value: unknown, field: MaskedField): unknown {
    const { mask, maxValueLength } = this.#options
    const copy = field === 'generation' ? captureMembers : capture
    const captured = copy(value, maxValueLength)
    // What the mask gives is captured again: it may be anything.
    return mask === undefined ? captured : copy(masked(mask, captured, field), maxValueLength)
  }
}

/** What a step takes beside its values, in characters. */
const STEP_SIZE = 512

const textOf = (value: unknown): string | undefined =>
  value === undefined || value === null ? undefined : String(value)

const tagsOf = (tags: unknown): string[] | undefined =>
  Array.isArray(tags)
    ? tags.filter((tag) => tag !== undefined && tag !== null).map(String)
    : undefined

/** Inputs and outputs are objects: anything else is put into one under the name of the field. */
const payloadOf = (value: unknown, field: 'input' | 'output'): unknown =>
  value === undefined || value === null || (typeof value === 'object' && !Array.isArray(value))
    ? value
    : { [field]: value }

const isPlain = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const withRelease = (metadata: unknown, release: string | undefined): unknown => {
  if (release === undefined) return metadata
  if (metadata === undefined || metadata === null) return { release }
  return isPlain(metadata) ? { release, ...metadata } : { release, value: metadata }
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
