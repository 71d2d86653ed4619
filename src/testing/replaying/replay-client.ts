import { StepwellClient } from '../../client.js'
import type { StepwellClientOptions } from '../../client-options.js'
import { mustBeFunction } from '../../errors.js'
import type { PlatformFetch } from '../../platform.js'
import { givenFields } from '../../tracing/given-fields.js'
import type { CreateDelivery } from '../../tracing/recording/sink.js'
import { FIELDS, type Step } from '../../tracing/step.js'
import type { StepData } from '../../tracing/step-data.js'
import { type TracedOptions, traced } from '../../tracing/traced.js'
import { ANSWERED } from '../comparing/run-nodes.js'
import type { RecordedNode } from '../fixtures/read-fixture.js'
import { asGiven } from '../tree.js'
import { errorOf } from './model-answers.js'

/** The record that answers at present. */
export interface Answering {
  fetch: PlatformFetch
  /** Returns true for work that the record answers. */
  answers(type: StepData['type'], name: string | undefined, input: unknown): boolean
  /** Takes the recorded call of a tool. */
  take(name: string | undefined, input: unknown): RecordedNode
}

// biome-ignore lint/suspicious/noExplicitAny: any function
type Work = (...parameters: any[]) => unknown

/** The ways of a client that run work, with the record in its place. */
interface Instead {
  traced<Wrapped extends Work>(
    client: Client,
    work: Wrapped,
    options: TracedOptions<unknown[]>,
  ): Wrapped
  run(run: Run, step: Step, work: Work, update: unknown): unknown
}

/** The part of a client that is needed: it may be of another copy of the package. */
type Client = Pick<StepwellClient, 'trace' | 'currentStep'>
type Run = (step: Step, work: Work, update: never) => unknown

/** Lets a record answer in the place of work. */
export const insteadBy = (answering: Omit<Answering, 'fetch'>): Instead => {
  /** Functions that note arguments first, and are answered inside. */
  const noting = new WeakSet<Work>()

  /** Returns a function that asks the record instead of doing the work, where the record answers. */
  const instead = (client: Client, work: Work): Work => {
    const made = function (this: unknown, ...parameters: unknown[]): unknown {
      const step = client.currentStep
      return step !== undefined && answering.answers(step.type, step.name, step.input)
        ? answered(answering, step, work)
        : work.apply(this, parameters)
    }
    Object.defineProperties(made, {
      name: { value: work.name, configurable: true },
      length: { value: work.length, configurable: true },
    })
    return made
  }

  return {
    traced(client, work, options) {
      mustBeFunction('work', work)
      const tracing = {
        trace: <Result>(data: StepData, note: (step: Step) => Result): Result => {
          noting.add(note)
          return client.trace(data, note)
        },
      }
      // Leaves out what throws, as every client does.
      const given = givenFields(options as StepData, FIELDS, () => undefined)
      return traced(tracing, instead(client, work), { name: work.name, ...given } as never) as never
    },
    // The one way of `trace` and `wrap`, those of steps too.
    run: (run, step, work, update) =>
      run(
        step,
        answering.answers(step.type, step.name, step.input) && !noting.has(work)
          ? (ran: Step) => answered(answering, ran, work)
          : work,
        update as never,
      ),
  }
}

/** Makes a client whose model calls and tools are answered by a record. All else is that of every client. */
export const replayClient = (
  answering: Answering,
  options: StepwellClientOptions,
  createDelivery: CreateDelivery,
): StepwellClient => {
  const instead = insteadBy(answering)

  class ReplayClient extends StepwellClient {
    // Called by the constructor of the client too, for `fetch`.
    override fetchThrough<Fetch extends (...given: never[]) => Promise<unknown>>(
      _inner: Fetch,
    ): Fetch {
      return super.fetchThrough(answering.fetch as unknown as Fetch)
    }

    override traced<Wrapped extends (...parameters: never[]) => unknown>(
      work: Wrapped,
      options: TracedOptions<Parameters<Wrapped>> = {},
    ): Wrapped {
      return instead.traced(this, work as Work, options as never) as Wrapped
    }
  }

  const client = new ReplayClient(options, createDelivery)
  const { recorder } = client
  const run = recorder.run.bind(recorder) as Run
  recorder.run = ((step: Step, work: Work, update: unknown) =>
    instead.run(run, step, work, update)) as typeof recorder.run
  return client
}

/** Answers in place of work, in the same way: at once, or as a promise. */
const answered = (answering: Pick<Answering, 'take'>, step: Step, work: Work): unknown => {
  const isAsync = work.constructor.name === 'AsyncFunction'
  try {
    const { step: recorded } = answering.take(step.name, step.input)
    step.metadata = { ...step.metadata, [ANSWERED]: recorded.id }
    if (recorded.output !== undefined) step.output = recorded.output
    if (recorded.error !== undefined) throw errorOf(recorded.error)
    const output = asGiven(recorded.output, 'output')
    return isAsync ? Promise.resolve(output) : output
  } catch (error) {
    if (isAsync) return Promise.reject(error)
    throw error
  }
}
