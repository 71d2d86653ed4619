import { capture } from '../values/capture.js'
import { isPlain } from '../values/fit.js'
import { silenceRejection } from '../values/silence-rejection.js'
import type { Step } from './step.js'
import type { StepData } from './step-data.js'

export interface TracedOptions<Parameters extends unknown[]>
  extends Pick<StepData, 'name' | 'type' | 'tags' | 'metadata'> {
  /** Returns the input to record, or `false` to record none. Default: a single plain object as it is, else `{ arguments }`. */
  input?: false | ((...parameters: Parameters) => unknown)
  /** `false` records no output. */
  output?: false
}

interface Tracing {
  trace<Result>(data: StepData, work: (step: Step) => Result): Result
}

/**
 * Characters of arguments that are copied at the call, as the function may change them. The end of the step cuts them to
 * its own limit.
 */
const MAX = 10_000_000

/** Wraps a function so that each call is a step. The wrapper keeps the function's name, length, members and `this`. */
export const traced = <Work extends (...parameters: never[]) => unknown>(
  tracing: Tracing,
  work: Work,
  options: TracedOptions<Parameters<Work>> | null,
): Work => {
  const { input, output, ...data } = options ?? {}
  const name = data.name ?? (work.name || 'anonymous')
  const call = function (this: unknown, ...parameters: Parameters<Work>): unknown {
    return tracing.trace({ ...data, name }, (step) => {
      if (input !== false) step.input = inputOf(input, parameters)
      // Any value but undefined stops the output from being recorded, and null is not sent.
      if (output === false) step.output = null
      return Reflect.apply(work, this, parameters)
    })
  }
  // Members of old functions that new ones do not have, and the prototype, would not be theirs.
  const {
    prototype: _,
    arguments: __,
    caller: ___,
    ...own
  } = Object.getOwnPropertyDescriptors(work) as PropertyDescriptorMap
  Object.defineProperties(call, own)
  return call as unknown as Work
}

const inputOf = <Parameters extends unknown[]>(
  input: ((...parameters: Parameters) => unknown) | undefined,
  parameters: Parameters,
): unknown => {
  try {
    if (input !== undefined) {
      const given = input(...parameters)
      return silenceRejection(given) ? undefined : given
    }
    const [only] = parameters
    const isOne = parameters.length === 1 && typeof only === 'object' && only !== null
    const captured = capture(isOne ? only : parameters, MAX)
    if (!isOne) return { arguments: captured }
    return isPlain(captured) ? captured : { arguments: [captured] }
  } catch {
    return undefined
  }
}
