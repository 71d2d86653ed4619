import { matchRun } from './comparing/match-run.js'
import type { SameRunOptions } from './comparing/options.js'
import type { StepExpectation } from './expectation.js'
import type { RunFixture } from './fixtures/fixture.js'
import { type CountOptions, matchOrder, matchStep, matchSteps, type OrderOptions } from './match.js'

/** The matchers, as `expect(steps)` has them. `Result` is that of the library's own matchers. */
export interface StepwellMatchers<Result = void> {
  /** Expects a step, or `times` of them: by its name, or by some of its fields. */
  toHaveStep(expected: string | StepExpectation, options?: CountOptions): Result
  /** Expects these steps in their order of start; `{ only: true }`: and no others. */
  toHaveSteps(expected: readonly (string | StepExpectation)[], options?: OrderOptions): Result
  /** Expects that the first step like `first` began before the first one like `second`. */
  toHaveStepBefore(first: string | StepExpectation, second: string | StepExpectation): Result
  /** Expects the run of a fixture: its steps in their order, with arguments, structure of outputs, tokens and scores. */
  toBeSameRun(fixture: RunFixture, options?: SameRunOptions): Result
}

/**
 * Matchers for `expect.extend` of vitest and jest. The set-up file `stepwell/testing/vitest` adds them, with their types.
 *
 * @example
 * import { recordInMemory, stepwellMatchers } from 'stepwell/testing'
 * const { stepwell, steps } = recordInMemory()
 * await stepwell.trace('agent', () => agent(question))
 * const { pass, message } = stepwellMatchers.toHaveStep(steps, { name: 'agent', error: null })
 * if (!pass) throw new Error(message())
 */
export const stepwellMatchers = {
  toHaveStep: matchStep,
  toHaveSteps: matchSteps,
  toHaveStepBefore: matchOrder,
  toBeSameRun: matchRun,
}
