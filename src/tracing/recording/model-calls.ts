import type { CallHost, CallStep, CallValues, Opening, Place } from '../../model-calls/host.js'
import { Tap } from '../../model-calls/tap.js'
import { toIso } from '../../values/clock.js'
import { asObject } from '../../values/fit.js'
import type { Watch } from '../results/bound.js'
import { errorText, Step } from '../step.js'
import type { OwnContext } from './contexts.js'
import { fill } from './fields.js'
import { permitted } from './permitted.js'
import type { Recorder } from './recorder.js'
import type { OpenSource } from './recording.js'

interface OwnPlace extends Place {
  readonly context: OwnContext | undefined
}

/**
 * Records model calls as steps. A step of the application, or of a framework's hook, that stands for a model call is
 * filled in; every other call gets a step of its own.
 */
export class ModelCalls implements CallHost {
  readonly tap: Tap
  readonly idleMs: number
  readonly #recorder: Recorder
  #hasReported = false

  constructor(recorder: Recorder, idleMs: number) {
    this.#recorder = recorder
    this.idleMs = idleMs
    this.tap = new Tap(this)
  }

  here(): OwnPlace {
    const context = this.#recorder.contexts.current()
    const around = context?.step ?? context?.thread?.id ?? context?.setting
    return { around, context }
  }

  open(place: Place, { name, type, startedAt }: Opening): CallStep {
    const { context } = place as OwnPlace
    const around = context?.step
    if (around !== undefined && isFree(around, type)) return new FilledStep(this.#recorder, around)
    const step = new Step(this.#recorder, { name, type, startTime: toIso(startedAt) }, context)
    // Inside the step of a call that was filled in already, as by the request of another model in its place.
    step.recording.recordsInputs = around?.recording.recordsInputs ?? true
    step.recording.recordsOutputs = around?.recording.recordsOutputs ?? true
    return new OwnStep(this.#recorder, step)
  }

  watch(idleMs: number, onSilence: (lastMoment: number) => void): Watch {
    return this.#recorder.watch(idleMs, onSilence)
  }

  countAbandoned(): void {
    this.#recorder.countAbandoned()
  }

  report(message: string): void {
    if (this.#hasReported) return
    this.#hasReported = true
    this.#recorder.report(`${message}. The application is not affected; this is reported once`)
  }
}

/** Returns true for a step that stands for a model call, runs, and has not been filled in, or by a call that failed. */
const isFree = ({ type, generation, recording }: Step, wanted: Opening['type']): boolean =>
  type === wanted &&
  !recording.isRecorded &&
  (recording.hasFailedCall || (generation === undefined && !recording.hasCall))

/** A step that was made for a model call, and ends with it. */
class OwnStep implements CallStep {
  readonly isShared = false
  readonly #recorder: Recorder
  readonly #step: Step

  constructor(recorder: Recorder, step: Step) {
    this.#recorder = recorder
    this.#step = step
    step.recording.hasCall = true
  }

  begin(write: () => void): void {
    const { recording } = this.#step
    if (recording.isRecorded) {
      this.#step.endTime = undefined
      recording.clearsError = true
      recording.isRecorded = false
    }
    recording.writeCall = write
    this.#recorder.begin(this.#step)
  }

  write(given: CallValues): void {
    const values = permitted(this.#step, given)
    writeValues(this.#step, values)
    this.#step.error = values.error
  }

  end(moment: number): void {
    this.#step.recording.writeCall = undefined
    this.#step.stop(moment)
    this.#recorder.record(this.#step)
  }
}

/** A step of somebody else, who also ends it: it stays open until the answer was read. */
class FilledStep implements CallStep {
  readonly isShared = true
  readonly #recorder: Recorder
  readonly #step: Step
  #source: OpenSource | undefined
  /** The calls before it that failed, as the metadata show them. */
  readonly #before: unknown[]
  #error: unknown
  #isLeft = false

  constructor(recorder: Recorder, step: Step) {
    this.#recorder = recorder
    this.#step = step
    const { recording } = step
    this.#before = recording.hasFailedCall ? failedCallsOf(step) : []
    recording.hasCall = true
    recording.hasFailedCall = false
  }

  begin(write: () => void): void {
    const { recording } = this.#step
    recording.writeCall = write
    recording.hasFailedCall = false
    this.#source = { isOver: false, finish: undefined }
    recording.source ??= this.#source
  }

  write(given: CallValues): void {
    const values = permitted(this.#step, given)
    const failedBefore = this.#before
    if (failedBefore.length > 0) values.details = { ...values.details, failedBefore }
    writeValues(this.#step, values)
    this.#error = values.error
    this.#isLeft = values.details.ended === 'cancelled'
  }

  end(): void {
    const { recording } = this.#step
    const source = this.#source
    recording.writeCall = undefined
    recording.hasFailedCall = this.#error !== undefined
    if (source === undefined) return
    source.isOver = true
    if (source.finish !== undefined) {
      // The function that ran the step has returned: nobody else will note the error.
      if (this.#error !== undefined) fill(this.#step, 'error', this.#error)
      source.finish()
      return
    }
    if (recording.source === source) recording.source = undefined
    // It was ended by hand, before the answer was read.
    if (recording.isRecorded) this.#recorder.record(this.#step)
    else if (this.#isLeft) recording.onLeft?.()
  }
}

const writeValues = (step: Step, { generation, error, input, output, details }: CallValues) => {
  const text = errorText(error)
  step.generation = text === undefined ? generation : { ...generation, error: text }
  if (input !== undefined) step.input ??= input
  if (output !== undefined) step.output ??= output
  step.metadata = { ...asObject(step.metadata, 'value'), modelCall: details }
}

/** Returns the calls that filled in a step and failed, without what they asked. */
const failedCallsOf = ({ metadata, generation }: Step): unknown[] => {
  const { failedBefore, ...last } = asObject(metadata?.modelCall, 'value') ?? {}
  const before = Array.isArray(failedBefore) ? failedBefore : []
  return [...before, { ...last, model: generation?.model, error: generation?.error }]
}
