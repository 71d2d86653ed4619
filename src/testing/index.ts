// The entry point for tests of applications: a client that records into memory, and expectations of its steps.
export type * from '../index.js'
export { assertSameRun, assertStep, assertStepBefore, assertSteps } from './assertions.js'
export type { SameRunOptions } from './comparing/options.js'
export type {
  AsymmetricMatcher,
  Expected,
  ExpectedFields,
  StepExpectation,
  TokenExpectation,
} from './expectation.js'
export type {
  FixtureGeneration,
  FixtureScore,
  FixtureStep,
  RunFixture,
} from './fixtures/fixture.js'
export { type FixtureOptions, fixtureOf } from './fixtures/fixture-of.js'
export type { CountOptions, MatchResult, OrderOptions } from './match.js'
export { type StepwellMatchers, stepwellMatchers } from './matchers.js'
export {
  type RecordInMemoryOptions,
  type Recording,
  recordInMemory,
} from './record-in-memory.js'
export type { RecordedStep, RecordedThread } from './recorded.js'
export {
  type Replayed,
  type ReplayInMemoryOptions,
  type Replaying,
  replayInMemory,
} from './replaying/replay-in-memory.js'
export type { StepLike, StepLikeThread, Steps, WithSteps } from './step-like.js'
