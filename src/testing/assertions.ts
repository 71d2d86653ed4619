import { matchRun } from './comparing/match-run.js'
import type { SameRunOptions } from './comparing/options.js'
import type { StepExpectation } from './expectation.js'
import type { RunFixture } from './fixtures/fixture.js'
import {
  type CountOptions,
  type MatchResult,
  matchOrder,
  matchStep,
  matchSteps,
  type OrderOptions,
} from './match.js'
import type { Steps } from './step-like.js'

/** The error of an assertion: test runners take it for a failure, not for a fault. */
class StepAssertionError extends Error {
  override readonly name = 'AssertionError'
  readonly code = 'ERR_ASSERTION'
}

/** Throws unless the result is a pass. The stack begins at the caller of `assertion`. */
const assertPass = ({ pass, message }: MatchResult, assertion: (...values: never[]) => void) => {
  if (pass) return
  const error = new StepAssertionError(message())
  // Not in every runtime.
  ;(Error as { captureStackTrace?: (error: Error, below: unknown) => void }).captureStackTrace?.(
    error,
    assertion,
  )
  throw error
}

/**
 * Asserts that there is a step like this, or `times` of them; 0 for none. For node:test, and wherever there is no `expect`.
 *
 * @throws an `AssertionError` that shows the steps, and the nearest one with its differences.
 * @example
 * import { assertStep, recordInMemory } from 'stepwell/testing'
 * const { stepwell, steps } = recordInMemory()
 * await stepwell.trace('agent', () => agent(question))
 * assertStep(steps, { name: 'agent', parent: null, error: null })
 */
export const assertStep = (
  steps: Steps,
  expected: string | StepExpectation,
  options?: CountOptions,
): void => assertPass(matchStep(steps, expected, options), assertStep)

/**
 * Asserts that there are these steps in their order of start; with `{ only: true }`, and no others.
 *
 * @throws an `AssertionError` that shows the steps.
 * @example
 * import { assertSteps, recordInMemory } from 'stepwell/testing'
 * const { stepwell, steps } = recordInMemory()
 * await stepwell.trace('agent', () => stepwell.trace('search', () => search(question)))
 * assertSteps(steps, ['agent', { name: 'search', parent: 'agent' }], { only: true })
 */
export const assertSteps = (
  steps: Steps,
  expected: readonly (string | StepExpectation)[],
  options?: OrderOptions,
): void => assertPass(matchSteps(steps, expected, options), assertSteps)

/**
 * Asserts that the first step like `first` began before the first one like `second`.
 *
 * @throws an `AssertionError` that shows the steps.
 * @example
 * import { assertStepBefore, recordInMemory } from 'stepwell/testing'
 * const { stepwell, steps } = recordInMemory()
 * await stepwell.trace('search', () => search(question))
 * await stepwell.trace('answer', () => agent(question))
 * assertStepBefore(steps, 'search', 'answer')
 */
export const assertStepBefore = (
  steps: Steps,
  first: string | StepExpectation,
  second: string | StepExpectation,
): void => assertPass(matchOrder(steps, first, second), assertStepBefore)

/**
 * Asserts that a run did what a fixture has: the same steps in the same order, with their arguments, structure of outputs, tokens and
 * scores.
 *
 * @throws an `AssertionError` that lists the differences and shows the steps.
 * @example
 * import { assertSameRun, fixtureOf, recordInMemory } from 'stepwell/testing'
 * const { stepwell, steps, clear } = recordInMemory()
 * await stepwell.trace('agent', () => agent(question))
 * const fixture = fixtureOf(steps)
 * clear()
 * await stepwell.trace('agent', () => agent(question))
 * assertSameRun(steps, fixture, { outputs: 'exact' })
 */
export const assertSameRun = (steps: Steps, fixture: RunFixture, options?: SameRunOptions): void =>
  assertPass(matchRun(steps, fixture, options), assertSameRun)
