import type { StepwellClient } from '../../client.js'
import { mustBeFunction } from '../../errors.js'
import type { PlatformFetch } from '../../platform.js'
import { normalBy } from '../comparing/normal.js'
import type { RunFixture } from '../fixtures/fixture.js'
import { type RecordedRun, readFixture } from '../fixtures/read-fixture.js'
import { type RecordInMemoryOptions, type Recording, recordingOf } from '../record-in-memory.js'
import { inputsOf } from './inputs.js'
import { ModelAnswers } from './model-answers.js'
import { play } from './play.js'
import { Problems } from './problem.js'
import { replayClient } from './replay-client.js'
import { ToolAnswers } from './tool-answers.js'

/** The options of a recording, and of answers from a record. */
export interface ReplayInMemoryOptions extends Omit<RecordInMemoryOptions, 'disabled'> {
  /** The names of tools that work as they are, instead of being answered; true for all. Default: none. */
  live?: readonly string[] | true | undefined
  /** Parts of texts that may differ from the record, such as dates and ids that the application makes. Default: none. */
  ignore?: readonly RegExp[] | undefined
}

/** The application of a test: is called with each recorded input, in their order. */
export type Replayed = (input: unknown, stepwell: StepwellClient) => unknown

/** A client that records into memory, and whose model calls and tools are answered by a record. */
export interface Replaying extends Recording {
  /** Answers calls of models without recording them: for clients that a framework's hook records. Opens no socket. */
  readonly fetch: PlatformFetch
  /**
   * Forgets what was recorded, and runs the application against a fixture: once for each recorded input. Without an application,
   * the record itself is done once more.
   *
   * @returns the results of the application, in the order of the inputs.
   * @throws `NOT_FOUND` when a request or a call of a tool has no recorded answer, also where the application caught that
   *   error: the message names the first one, and the nearest that is recorded.
   * @throws `INVALID_ARGUMENT` when the fixture is invalid; whatever the application throws, unless the recorded run failed too.
   * @example
   * import { fixtureOf, recordInMemory, replayInMemory } from 'stepwell/testing'
   * const recording = recordInMemory()
   * await recording.stepwell.trace('answer', () => agent(question))
   * const { replay, steps } = replayInMemory()
   * await replay(fixtureOf(recording.steps))
   * console.log(steps.length)
   */
  replay(fixture: RunFixture, application?: Replayed): Promise<unknown[]>
}

/** Answers before the first fixture. */
const NOTHING: RecordedRun = { name: '', scores: [], roots: [], all: [] }

/**
 * Makes a client that records into memory, and whose model calls and tools are answered by a recorded run: tests of an application
 * need neither a model nor the network.
 *
 * @returns the client, what it recorded, and `replay`.
 * @throws `INVALID_ARGUMENT` when an option is invalid.
 * @example
 * import type { StepwellClient } from 'stepwell'
 * import { assertSameRun, fixtureOf, recordInMemory, replayInMemory } from 'stepwell/testing'
 * const answer = (stepwell: StepwellClient) => stepwell.trace('answer', () => agent(question))
 * const recording = recordInMemory()
 * await answer(recording.stepwell)
 * const fixture = fixtureOf(recording.steps)
 * const { replay, steps } = replayInMemory()
 * await replay(fixture, (input, stepwell) => answer(stepwell))
 * assertSameRun(steps, fixture)
 */
export const replayInMemory = ({
  live = [],
  ignore = [],
  ...options
}: ReplayInMemoryOptions = {}): Replaying => {
  const normal = normalBy(ignore)
  const loaded = ({ all }: RecordedRun) => {
    const problems = new Problems()
    return {
      problems,
      models: new ModelAnswers(all, normal, problems),
      tools: new ToolAnswers(all, live, normal, problems),
    }
  }
  let record = loaded(NOTHING)
  const fetch = ((input: unknown, init: RequestInit | undefined) =>
    record.models.fetch(input, init)) as PlatformFetch
  const recording = recordingOf(options, (given, createDelivery) =>
    replayClient(
      {
        fetch,
        answers: (type, name) => record.tools.answers(type, name),
        take: (name, input) => record.tools.take(name, input),
      },
      given,
      createDelivery,
    ),
  )
  const { stepwell } = recording

  const replay = async (fixture: RunFixture, application?: Replayed): Promise<unknown[]> => {
    if (application !== undefined) mustBeFunction('application', application)
    const run = readFixture(fixture)
    record = loaded(run)
    recording.clear()
    const results: unknown[] = []
    try {
      if (application === undefined) await play(stepwell, run, fixture.threadId)
      else for (const input of inputsOf(run)) results.push(await application(input, stepwell))
    } catch (error) {
      // An application that failed when it was recorded fails again: the comparison tells if it did as it should.
      const hasFailed = run.roots.some(({ step }) => step.error !== undefined)
      if (record.problems.first === undefined && !hasFailed) throw error
    }
    if (record.problems.first !== undefined) throw record.problems.first
    return results
  }
  return { ...recording, fetch, replay }
}
