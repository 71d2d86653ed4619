import type { Context } from '../context.js'
import type { Step } from '../step.js'
import { isSampled, type Sample, Trace } from './trace.js'

/** Decides for each trace if it is kept, and counts the dropped steps. */
export class Sampler {
  readonly #sample: Sample | undefined
  /** The number of steps that sampling dropped. */
  sampledOut = 0
  /** True while the function that decides runs. */
  isDeciding = false

  /** Without a sample everything is kept, except in traces that their callers do not sample. */
  constructor(sample: Sample | undefined) {
    this.#sample = sample
  }

  /** Returns true in a context whose steps may be dropped. */
  isSampling(context: Context | undefined): boolean {
    if (context?.trace?.kept) return false
    return this.#sample !== undefined || context?.setting.remote?.sampled === false
  }

  /**
   * Returns the trace of a step that was created in a context; undefined when everything is kept. The first step of a
   * trace starts a new one.
   */
  traceOf(step: Step, { trace, setting: { remote } }: Context): Trace | undefined {
    if (trace !== undefined) return trace
    const { recording } = step
    if (recording.trace !== undefined) return recording.trace
    const sample = this.#sample
    if (sample === undefined && remote?.sampled !== false) return undefined
    this.isDeciding = true
    const kept = remote?.sampled ?? (sample === undefined || isSampled(sample, step))
    this.isDeciding = false
    recording.trace = new Trace(kept, step, (count) => {
      this.sampledOut += count
    })
    return recording.trace
  }
}
