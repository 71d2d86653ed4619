import { reasonOf } from '../../values/capture.js'
import { LOSES_CONTEXT, withContext } from '../context.js'
import { type Watch, watchFor } from '../results/bound.js'
import type { Endings } from '../results/endings.js'
import { isFollowed, observeResult } from '../results/observe-result.js'
import { observeSource } from '../results/source.js'
import type { Step } from '../step.js'
import type { StepData, Update } from '../step-data.js'
import type { OwnContext } from './contexts.js'
import { applyUpdate, fill } from './fields.js'
import type { OpenSource } from './recording.js'

export interface RunnerOptions {
  /** Characters of a value that are kept. */
  maxValueLength: number
  /** Time without a value after which a stream's step ends. */
  streamTimeoutMs: number
}

/** Runs work as steps, and ends each with its result, which may come later or bit by bit. */
export class Runner {
  readonly #options: RunnerOptions
  readonly #report: (message: string) => void
  readonly #finish: (step: Step) => undefined
  /** The number of steps that ended because their stream was silent for too long. */
  timedOut = 0
  #hasToldOfContext = false

  /** `finish` ends a step and records it. */
  constructor(
    options: RunnerOptions,
    report: (message: string) => void,
    finish: (step: Step) => undefined,
  ) {
    this.#options = options
    this.#report = report
    this.#finish = finish
  }

  /** Runs work in the context inside a step, and finishes the step at its end. Returns the work's result unchanged. */
  run<Result>(
    step: Step,
    context: OwnContext,
    work: (step: Step) => Result,
    update: Update<StepData, Awaited<Result>> | undefined,
  ): Result {
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

  /** Keeps a step open until a source of values ends. Returns the source, or a replacement. */
  until<Source extends object>(step: Step, context: OwnContext, source: Source): Source {
    const state: OpenSource = { isOver: false, finish: undefined }
    // A stream that is read in branches has one for each.
    const watches: Watch[] = []
    const { watch, ...followed } = this.#followed(step)
    const over = (output: unknown, error?: unknown) => {
      if (state.isOver) return
      state.isOver = true
      for (const one of watches) one.stop()
      if (error !== undefined) fill(step, 'error', error)
      if (output !== undefined) fill(step, 'output', output)
      state.finish?.()
    }
    try {
      const given = observeSource(context, source, {
        done: (output) => {
          over(output)
          return undefined
        },
        failed: (error, output) => over(output, error ?? 'failed without a reason'),
        ...followed,
        watch: (onEnd) => {
          const made = watch(onEnd)
          watches.push(made)
          return made
        },
      })
      step.recording.source = state
      return given
    } catch (error) {
      this.#report(`until can't follow its argument: ${reasonOf(error)}`)
      return source
    }
  }

  #tellOfContext(): void {
    if (this.#hasToldOfContext) return
    this.#hasToldOfContext = true
    this.#report(
      'steps lose their context after the first await, as this Worker has no AsyncLocalStorage: set the compatibility flag nodejs_compat, with a compatibility date of 2024-09-23 or later',
    )
  }

  /** Returns the common part of observing a step's result, for all kinds of results. */
  #followed(step: Step): Pick<Endings, 'most' | 'begun' | 'watch'> {
    return {
      most: this.#options.maxValueLength,
      begun: (soFar) => {
        step.recording.soFar = soFar
      },
      watch: (onEnd) =>
        watchFor(this.#options.streamTimeoutMs, (lastMoment) => {
          this.timedOut++
          if (this.timedOut === 1)
            this.#report(
              `nothing came of a stream or promise for ${this.#options.streamTimeoutMs} ms, and its step ends without the rest. Such steps are counted in stats() as timedOut; this is reported once`,
            )
          step.stop(lastMoment)
          onEnd()
        }),
    }
  }

  #failed(step: Step, error: unknown, output?: unknown): void {
    fill(step, 'error', error ?? 'failed without a reason')
    if (output !== undefined) fill(step, 'output', output)
    this.#finish(step)
  }

  #done<Output>(
    step: Step,
    output: Output,
    update: Update<StepData, Output> | undefined,
  ): Promise<void> | undefined {
    const { source } = step.recording
    if (source === undefined) {
      if (output !== null) fill(step, 'output', output)
      if (update === undefined) return this.#finish(step)
      return applyUpdate(step, update, output, this.#report).then(() => this.#finish(step))
    }
    source.finish = () =>
      void applyUpdate(step, update, output, this.#report).then(() => this.#finish(step))
    if (source.isOver) source.finish()
    return undefined
  }
}
