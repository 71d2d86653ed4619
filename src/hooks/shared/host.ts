import { enterContext, withContext } from '../../tracing/context.js'
import { innerOf, type OwnContext } from '../../tracing/recording/contexts.js'
import type { Recorder } from '../../tracing/recording/recorder.js'
import type { Watch } from '../../tracing/results/bound.js'
import { Step } from '../../tracing/step.js'
import type { StepData } from '../../tracing/step-data.js'
import type { Tracer } from '../../tracing/tracer.js'
import { reasonOf } from '../../values/capture.js'

/** Time in which frameworks tell of the end of a call whose answer was left, if they do. */
const LEFT_MS = 1000

/** Records for the hook of one framework. A fault of the hook costs steps, and never reaches the application. */
export class Host {
  readonly #recorder: Recorder
  readonly #framework: string
  #hasReported = false

  constructor(tracer: Tracer, framework: string) {
    this.#recorder = tracer.recorder
    this.#framework = framework
  }

  /**
   * Opens a step, inside a step of the framework or inside the running code's one, whichever is the inner of the two.
   * Outside of both, a step without a type is a run. `isLeft` tells steps that the new one is not inside, although the
   * running code may be.
   */
  open(data: StepData, around: Step | undefined, isLeft?: (step: Step) => boolean): Step {
    const { contexts } = this.#recorder
    let current = contexts.current()
    while (current?.step !== undefined && isLeft?.(current.step))
      current = contexts.of(current.step)
    const context = innerOf(current, around && this.#recorder.contextOf(around))
    const step = new Step(this.#recorder, data, context)
    if (context?.step === undefined && step.type === 'undefined') step.type = 'run'
    this.#recorder.begin(step)
    return step
  }

  /** Returns the innermost step around the running code that passes a test; undefined outside of all. */
  around(isFound: (step: Step) => boolean): Step | undefined {
    let step = this.#recorder.contexts.current()?.step
    while (step !== undefined && !isFound(step)) step = this.#recorder.contexts.of(step).step
    return step
  }

  /** Runs a function inside a step, which does not end with it. */
  inside<Result>(step: Step, work: () => Result): Result {
    return withContext(this.#recorder.contextOf(step), work)
  }

  /** Makes a step the current one for the rest of the running asynchronous function. */
  enter(step: Step): void {
    enterContext(this.#recorder.contextOf(step))
  }

  /** Finds the current step in a context that the framework keeps, wherever it is the inner one. */
  find(find: () => Step | undefined): void {
    this.#recorder.contexts.addFinder((): OwnContext | undefined => {
      const step = this.guarded(find)
      return step && this.#recorder.contextOf(step)
    })
  }

  /** Watches runs that may never end; they are given up after the time that streams have. */
  watch(onSilence: (lastMoment: number) => void): Watch {
    return this.#recorder.watch(this.#recorder.idleMs, (lastMoment) => {
      this.#recorder.countAbandoned()
      onSilence(lastMoment)
    })
  }

  /** Waits for the end of a call whose answer the application left. */
  watchLeft(onSilence: (lastMoment: number) => void): Watch {
    return this.#recorder.watch(Math.min(LEFT_MS, this.#recorder.idleMs), onSilence)
  }

  /** Runs a part of the hook. Returns undefined when it fails, which is reported once. */
  guarded<Result>(work: () => Result): Result | undefined {
    try {
      return work()
    } catch (error) {
      this.report(`an event of ${this.#framework} could not be recorded: ${reasonOf(error)}`)
      return undefined
    }
  }

  report(message: string): void {
    if (this.#hasReported) return
    this.#hasReported = true
    this.#recorder.report(`${message}. The application is not affected; this is reported once`)
  }
}
