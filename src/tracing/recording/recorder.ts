import type { AttachmentPayloadInput } from '../../../generated/schema.js'
import type { StepRecord } from '../../outbox/records.js'
import { reasonOf } from '../../values/capture.js'
import { type Watch, watchFor } from '../results/bound.js'
import { HeldThreads } from '../sampling/held-threads.js'
import { Sampler } from '../sampling/sampler.js'
import type { Sample, Trace } from '../sampling/trace.js'
import type { Step, StepRecorder } from '../step.js'
import type { ScoreData, StepData, Update } from '../step-data.js'
import type { ThreadRecorder } from '../thread.js'
import { Contexts, type OwnContext } from './contexts.js'
import { fill, set } from './fields.js'
import { OpenSteps } from './open-steps.js'
import { Runner, type RunnerOptions } from './runner.js'
import { Serializer, type SerializerOptions } from './serializer.js'
import type { Sink } from './sink.js'

export interface RecorderOptions extends SerializerOptions, RunnerOptions {
  sample: Sample | undefined
}

/** Records steps and threads, in their context. Nothing here throws into the application. */
export class Recorder implements StepRecorder, ThreadRecorder {
  readonly contexts = new Contexts()
  /** Milliseconds of silence after which a stream's step ends. */
  readonly idleMs: number
  readonly #outbox: Sink | undefined
  readonly report: (message: string) => void
  readonly #serializer: Serializer
  readonly #sampler: Sampler
  readonly #runner: Runner
  readonly #open = new OpenSteps<Step>()
  readonly #threads = new HeldThreads()
  readonly #listeners = new Set<(record: StepRecord) => void>()

  /** Without an outbox nothing is recorded, and the application runs as usual. */
  constructor(
    outbox: Sink | undefined,
    options: RecorderOptions,
    report: (message: string) => void,
  ) {
    this.#outbox = outbox
    this.report = report
    this.idleMs = options.streamTimeoutMs
    this.#serializer = new Serializer(options, report)
    this.#sampler = new Sampler(options.sample)
    this.#runner = new Runner(options, report, (step) => this.record(step))
  }

  /**
   * The number of steps that sampling dropped, and of those that ended because their stream was silent for too long.
   */
  get counts(): [sampledOut: number, timedOut: number] {
    return [this.#sampler.sampledOut, this.#runner.timedOut]
  }

  /** Calls a function with each step that is recorded, before sampling. Returns a function that ends this. */
  listen(listener: (record: StepRecord) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Returns the context inside a step. */
  contextOf(step: Step): OwnContext {
    return this.contexts.inside(step, this.#traceOf(step))
  }

  /** Runs work inside a step, and records the step at its end. Returns the work's result unchanged. */
  run<Result>(
    step: Step,
    work: (step: Step) => Result,
    update?: Update<StepData, Awaited<Result>>,
  ): Result {
    const context = this.contextOf(step)
    this.begin(step)
    return this.#runner.run(step, context, work, update)
  }

  /** Notes that a step is running, so that it is recorded even if the process ends before it. */
  begin(step: Step): void {
    if (this.#outbox === undefined || step.recording.isSilent) return
    this.#open.add(step)
    // From here on there is something to record at the end of the process.
    this.#outbox.start()
  }

  /** Watches for values that may never come; the step whose values they are then ends. */
  watch(idleMs: number, onSilence: (lastMoment: number) => void): Watch {
    return watchFor(idleMs, onSilence)
  }

  /** Counts a stream that was given up. */
  countAbandoned(): void {
    this.#runner.timedOut++
  }

  /** Keeps a step open until a source of values ends. Returns the source, or a replacement. */
  until<Source extends object>(step: Step, source: Source): Source {
    return this.#runner.until(step, this.contextOf(step), source)
  }

  /** Adds a file to a step, even after it was recorded. */
  attach(step: Step, attachment: AttachmentPayloadInput): void {
    const { attachments } = step
    const isSet = set(step, 'attachments', [
      ...(Array.isArray(attachments) ? attachments : []),
      attachment,
    ])
    if (isSet && !step.recording.isRecorded) return
    this.#guarded((outbox) => {
      const { value, size } = this.#serializer.attachment(step, attachment)
      this.#offer(outbox, step, value, size)
    })
  }

  /** Records a thread, unless its text equals the last recorded one. Returns the text. */
  recordThread(id: string, fields: object, before: string | undefined): string {
    // A thread of a mask may end after it: the empty text marks it.
    if (before === '' || this.#isDeciding) return before === '{}' ? '' : (before ?? '')
    try {
      const record = this.#serializer.thread(id, fields)
      const { id: _, ...said } = record
      const text = JSON.stringify(said)
      const isAsked = before === undefined
      const isSampling = this.#sampler.isSampling(this.contexts.current())
      if (isAsked) {
        this.#keepThread(record.id)
        if (isSampling) this.#threads.keep(record.id)
      }
      if (text !== before && (isAsked || !isSampling || !this.#threads.hold(record)))
        this.#outbox?.addThread(record, text.length)
      return text
    } catch (error) {
      this.report(`a thread could not be recorded: ${reasonOf(error)}`)
      return before ?? '{}'
    }
  }

  /** Records a score of a thread, and the thread with it. */
  scoreThread(id: string, environment: string | undefined, score: ScoreData): void {
    if (this.#isDeciding) return
    try {
      const { record, size, wrong } = this.#serializer.threadScore(id, environment, score)
      if (wrong !== undefined) {
        this.report(`a score of a thread could not be recorded: ${wrong}`)
        return
      }
      this.#keepThread(record.id)
      if (this.#sampler.isSampling(this.contexts.current())) this.#threads.keep(record.id)
      this.#outbox?.addThread(record, size)
    } catch (error) {
      this.report(`a score of a thread could not be recorded: ${reasonOf(error)}`)
    }
  }

  /** Notes that a step was created. */
  noteStep(step: Step): void {
    const { recording } = step
    recording.isSilent =
      this.#isDeciding || this.contexts.of(step).step?.recording.isSilent === true
    if (recording.isSilent) return
    this.#threads.noteStep(step.threadId)
    this.#outbox?.noteStep?.(step)
  }

  /** Records a thread that ends without a step: none could cause it to be kept later. */
  leaveThread(id: string): void {
    for (const record of this.#threads.takeEmpty(id)) this.#outbox?.addThread(record)
  }

  /** Records the held changes of a thread, as a step of it is kept. */
  #keepThread(id: string | undefined): void {
    for (const record of this.#threads.take(id)) this.#outbox?.addThread(record)
  }

  /** Records the steps that have not ended, as the process, or the client, is about to. */
  recordOpen(reason: string): void {
    for (const step of this.#open.takeAll())
      this.#guarded((outbox) => {
        step.recording.writeCall?.()
        fill(step, 'error', reason)
        const output = step.recording.soFar?.()
        if (output !== undefined) fill(step, 'output', output)
        this.#emit(outbox, step)
      })
  }

  /** Sends the last records, without waiting for more. */
  async flushLast(): Promise<void> {
    await this.#outbox?.flushLast()
  }

  /** Ends a step and records it. */
  record(step: Step): undefined {
    if (step.recording.isSilent) return
    this.#guarded((outbox) => {
      this.#open.delete(step)
      step.stop()
      const trace = this.#emit(outbox, step)
      if (trace?.first === step) trace.end()
    })
  }

  /** Runs a function with the outbox. A bug in this SDK costs a step, but never the application. */
  #guarded(work: (outbox: Sink) => void): void {
    if (this.#outbox === undefined) return
    try {
      work(this.#outbox)
    } catch (error) {
      this.#outbox.lose('internal', `a step could not be recorded: ${reasonOf(error)}`)
    }
  }

  /** Records a step in its present state, or passes it to its trace, which is returned. */
  #emit(outbox: Sink, step: Step): Trace | undefined {
    const { value, size } = this.#serializer.step(step)
    step.recording.isRecorded = true
    outbox.noteEnd?.(step)
    for (const listener of this.#listeners) listener(value)
    return this.#offer(outbox, step, value, size)
  }

  #offer(outbox: Sink, step: Step, value: StepRecord, size: number): Trace | undefined {
    const trace = this.#traceOf(step)
    if (trace === undefined) this.#add(outbox, value, size)
    else {
      const failed = step.error !== undefined && step.error !== null
      trace.offer(() => this.#add(outbox, value, size), failed)
    }
    return trace
  }

  #add(outbox: Sink, value: StepRecord, size: number): void {
    this.#keepThread(value.threadId)
    outbox.add(value, size)
  }

  /** True while a mask or a sampling function of the application runs: recording its work would call it again. */
  get #isDeciding(): boolean {
    return this.#serializer.isMasking || this.#sampler.isDeciding
  }

  #traceOf(step: Step): Trace | undefined {
    if (step.recording.isSilent || this.#sampler.isDeciding) return undefined
    return this.#sampler.traceOf(step, this.contexts.of(step))
  }
}
