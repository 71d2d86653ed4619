import { silenceRejection } from '../../values/silence-rejection.js'
import type { StepData } from '../step-data.js'

/** The part of a step that a sampling function sees: the first step of a trace, as it begins. */
export type SampledStep = Readonly<
  Pick<StepData, 'name' | 'type' | 'threadId' | 'tags' | 'metadata'>
>

/** A share from 0 to 1, or a function that gives one (or yes or no) for the first step of each trace. */
export type Sample = number | ((step: SampledStep) => number | boolean)

/** Limit of the steps of a dropped trace that are held until its end, in case one fails. */
const MAX_HELD = 1000

/**
 * @internal Keeps or drops a trace, as decided when its first step began. The steps of a dropped one are held until its
 * end: if one fails, the trace is kept after all, with the steps before it.
 */
export class Trace {
  #kept: boolean
  #held: (() => void)[] = []
  #hasEnded = false
  readonly #letGo: (count: number) => void
  /** The step whose end is the end of the trace. */
  readonly first: object

  /** `letGo` counts steps that are not recorded. */
  constructor(kept: boolean, first: object, letGo: (count: number) => void) {
    this.#kept = kept
    this.first = first
    this.#letGo = letGo
  }

  get kept(): boolean {
    return this.#kept
  }

  /** Records a step now, later when the trace is kept after all, or never. */
  offer(record: () => void, failed: boolean): void {
    if (failed) this.#keep()
    if (this.#kept) record()
    else if (this.#hasEnded) this.#letGo(1)
    else {
      this.#held.push(record)
      // The last steps before a failure explain it.
      if (this.#held.length <= MAX_HELD) return
      this.#held.shift()
      this.#letGo(1)
    }
  }

  /** Ends the trace, as its first step has ended. */
  end(): void {
    this.#hasEnded = true
    this.#letGo(this.#held.length)
    this.#held = []
  }

  #keep(): void {
    this.#kept = true
    const held = this.#held
    this.#held = []
    for (const record of held) record()
  }
}

/** @internal Decides by a rate or function. Keeps if the function throws, or returns neither a boolean nor a rate. */
export const isSampled = (sample: Sample, step: SampledStep): boolean => {
  try {
    const decided: unknown = typeof sample === 'function' ? sample(step) : sample
    silenceRejection(decided)
    if (typeof decided === 'boolean') return decided
    const isShare = typeof decided === 'number' && decided >= 0 && decided <= 1
    return !isShare || Math.random() < decided
  } catch {
    return true
  }
}
