import { invalidArgument, mustBeFunction } from '../errors.js'
import type { Ambient } from '../transport/ambient.js'
import { anyContext, withContext } from './context.js'
import { type HeadersLike, readHeaders, writeHeaders } from './propagation.js'
import type { Recorder } from './recording/recorder.js'
import type { Step } from './step.js'
import type { Thread } from './thread.js'

/** The context around a call: shows it, and takes it to other services and other functions. */
export abstract class Surroundings {
  /** @internal The part of the client that hooks of frameworks use. */
  abstract get recorder(): Recorder

  get #context() {
    return this.recorder.contexts.current()
  }

  /**
   * Returns the headers that make the steps of another service part of this trace: `traceparent` and `baggage` (W3C).
   *
   * @returns the headers; an empty object outside of every step and thread.
   * @example
   * await stepwell.trace('ask', () => fetch('data:,ok', { headers: stepwell.traceHeaders() }))
   */
  traceHeaders(): Record<string, string> {
    return writeHeaders(this.#context)
  }

  /**
   * Runs a function as part of the trace that a request belongs to, by its headers: steps get the caller's step as their
   * parent, and its root run and thread. Headers without a trace change nothing.
   *
   * @returns the result of `work`, as it is.
   * @throws `INVALID_ARGUMENT` when `work` is no function; whatever `work` throws, as it is.
   * @example
   * const answer = await stepwell.continueTrace(request.headers, () => stepwell.trace('answer', () => agent(question)))
   */
  continueTrace<Result>(headers: HeadersLike, work: () => Result): Result {
    mustBeFunction('work', work)
    const remote = readHeaders(headers)
    return remote === undefined ? work() : this.recorder.contexts.enterRemote(remote, work)
  }

  /** The entries of the `baggage` header that the current trace came with, besides Stepwell's own; empty when there are none. */
  get baggage(): ReadonlyMap<string, string> {
    return this.#context?.setting.remote?.baggage ?? new Map()
  }

  /**
   * Returns a function that runs in the context of now, wherever it is called: for events and queues of other libraries.
   *
   * @returns the function, bound to the context.
   * @throws `INVALID_ARGUMENT` when `work` is no function.
   * @example
   * await stepwell.trace('wait', (step) => {
   *   const note = stepwell.bind(() => console.log(stepwell.currentStep === step))
   *   setTimeout(note, 10)
   * })
   */
  bind<Work extends (...parameters: never[]) => unknown>(work: Work): Work {
    mustBeFunction('work', work)
    const context = anyContext()
    const bound = function (this: unknown, ...parameters: Parameters<Work>): unknown {
      return withContext(context, () => work.apply(this, parameters))
    }
    return bound as unknown as Work
  }

  /** The step around the call; `undefined` outside of all. */
  get currentStep(): Step | undefined {
    return this.#context?.step
  }

  /** The thread around the call; `undefined` outside of all. */
  get currentThread(): Thread | undefined {
    return this.#context?.thread
  }

  /** The outermost run around the call; `undefined` outside of all. */
  get currentRootRun(): Step | undefined {
    return this.#context?.rootRun
  }

  /**
   * Returns the step around the call. `currentStep` is `undefined` where this throws.
   *
   * @returns the step.
   * @throws `INVALID_ARGUMENT` outside of all steps.
   * @example
   * await stepwell.trace('answer', () => {
   *   stepwell.getCurrentStep().tags = ['reviewed']
   * })
   */
  getCurrentStep(): Step {
    return this.currentStep ?? outside('step')
  }

  /**
   * Returns the thread around the call. `currentThread` is `undefined` where this throws.
   *
   * @returns the thread.
   * @throws `INVALID_ARGUMENT` outside of all threads.
   * @example
   * await stepwell.thread({ name: 'Order 1815' }).wrap(() => {
   *   stepwell.getCurrentThread().tags = ['urgent']
   * })
   */
  getCurrentThread(): Thread {
    return this.currentThread ?? outside('thread')
  }

  /**
   * Returns the outermost run around the call. `currentRootRun` is `undefined` where this throws.
   *
   * @returns the run.
   * @throws `INVALID_ARGUMENT` outside of all runs.
   * @example
   * await stepwell.run({ name: 'agent' }).wrap(() => console.log(stepwell.getRootRun().name))
   */
  getRootRun(): Step {
    return this.currentRootRun ?? outside('run')
  }

  /**
   * Returns the id of the experiment item's run around the call.
   *
   * @returns the id of the run.
   * @throws `INVALID_ARGUMENT` outside of all `experimentItemRun`.
   * @example
   * await stepwell.experimentItemRun().wrap(() => console.log(stepwell.getCurrentExperimentItemRunId()))
   */
  getCurrentExperimentItemRunId(): string {
    return this.#context?.setting.experimentItemRunId ?? outside('experimentItemRun')
  }

  /** @internal Returns the part of the context that operations of the API use. */
  get ambient(): Ambient {
    const context = this.#context
    return {
      step: context?.step,
      threadId: context?.step?.threadId ?? context?.thread?.id,
      experimentItemRunId: context?.setting.experimentItemRunId,
      environment: context?.setting.environment,
    }
  }
}

const outside = (what: string): never => {
  throw invalidArgument(`expected a call inside a ${what}, got one outside`)
}
