import { StepwellClient } from '../client.js'
import type { StepwellClientOptions } from '../client-options.js'
import { StepwellError } from '../errors.js'
import { type Fetch, readConnection } from '../settings.js'
import { Serializer } from '../tracing/recording/serializer.js'
import type { CreateDelivery } from '../tracing/recording/sink.js'
import { readTracerOptions } from '../tracing/tracer-options.js'
import { reporter } from '../values/reporter.js'
import { Memory } from './memory.js'
import type { RecordedStep, RecordedThread } from './recorded.js'
import { treeOf } from './tree.js'

/** The options of a client, without those of delivery. Nothing is read from the environment's variables. */
export interface RecordInMemoryOptions
  extends Omit<
    StepwellClientOptions,
    | 'apiKey'
    | 'apiUrl'
    | 'disabled'
    | 'fetch'
    | 'exporters'
    | 'spool'
    | 'waitUntil'
    | 'flushAtExit'
    | 'exitTimeoutMs'
    | 'delivery'
  > {
  /** Answers the calls of `api`, such as the `fetch` of a service in this process. Without it they reject. */
  fetch?: Fetch | undefined
  /** The API key that `fetch` gets. */
  apiKey?: string | undefined
  /** The address that `fetch` gets. */
  apiUrl?: string | undefined
  /** Records nothing: for tests of an application that is not observed. Default: false. */
  disabled?: boolean | undefined
}

/** A client that records into memory, and its records. */
export interface Recording {
  /** The client to give to the application. */
  readonly stepwell: StepwellClient
  /** All steps in order of start, those that are still open too. The list changes as steps begin and end. */
  readonly steps: readonly RecordedStep[]
  /** All threads in order of appearance. The list changes too. */
  readonly threads: readonly RecordedThread[]
  /**
   * Finds a thread.
   *
   * @returns the thread with an id; `undefined` when none was recorded.
   * @example
   * import { recordInMemory } from 'stepwell/testing'
   * const { stepwell, thread } = recordInMemory()
   * await stepwell.thread({ id: 'order-1815', name: 'Order 1815' }).wrap(() => agent(question))
   * console.log(thread('order-1815')?.name)
   */
  thread(id: string): RecordedThread | undefined
  /**
   * Writes the steps as a text, a line for each, indented by their parents.
   *
   * @returns the text.
   * @example
   * import { recordInMemory } from 'stepwell/testing'
   * const { stepwell, tree } = recordInMemory()
   * await stepwell.trace('agent', () => stepwell.trace('search', () => search(question)))
   * console.log(tree())
   */
  tree(): string
  /**
   * Forgets all steps and threads, between tests. Steps that are still open appear when they end.
   *
   * @example
   * import { recordInMemory } from 'stepwell/testing'
   * const { stepwell, steps, clear } = recordInMemory()
   * await stepwell.trace('agent', () => agent(question))
   * clear()
   * console.log(steps.length)
   */
  clear(): void
}

const API_KEY = 'in-memory'
const API_URL = 'http://in-memory.invalid'

/**
 * Makes a client that records into memory, without a service, a key or the network. Steps are there as soon as they end.
 * Everything before delivery is that of every client: capture, mask, sampling, context.
 *
 * @returns the client, and what it recorded.
 * @throws `INVALID_ARGUMENT` when an option is invalid.
 * @example
 * import { recordInMemory } from 'stepwell/testing'
 * const { stepwell, steps } = recordInMemory()
 * await stepwell.trace('agent', () => agent(question))
 * console.log(steps.map(({ name, output }) => [name, output]))
 */
export const recordInMemory = (options: RecordInMemoryOptions = {}): Recording =>
  recordingOf(options, (given, createDelivery) => new StepwellClient(given, createDelivery))

/** @internal Makes the client of a recording. */
type MakeClient = (options: StepwellClientOptions, createDelivery: CreateDelivery) => StepwellClient

/** @internal Makes a recording with a client of one's own. */
export const recordingOf = (options: RecordInMemoryOptions, makeClient: MakeClient): Recording => {
  const given = {
    ...options,
    apiKey: options.apiKey ?? API_KEY,
    apiUrl: options.apiUrl ?? API_URL,
    disabled: options.disabled ?? false,
    fetch: options.fetch ?? withoutService,
  }
  const recorderOptions = readTracerOptions(given, readConnection(given).environment)
  // Open steps are shown by a serializer whose reports would repeat those of the recorder.
  const memory = new Memory(new Serializer(recorderOptions, () => {}), reporter(options.onReport))
  const stepwell = makeClient(given, () => ({ outbox: memory, deliverNow: () => {} }))
  const { steps, threads } = memory
  return {
    stepwell,
    steps,
    threads,
    thread: (id) => threads.find((thread) => thread.id === id),
    tree: () => treeOf(steps),
    clear: () => memory.clear(),
  }
}

/** Rejects as if no service could be reached: prompts of a snapshot are still found. */
const withoutService = async (): Promise<never> => {
  throw new StepwellError(
    'recordInMemory: calls of stepwell.api need a service; replace the call in the test, or give `fetch` (and `apiKey`) of createService() of @stepwell/server',
    { code: 'NETWORK', retryable: false },
  )
}
