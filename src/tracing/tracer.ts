import { invalidArgument, mustBeFunction } from '../errors.js'
import { NO_STATS, type Stats } from '../outbox/account.js'
import { createOutbox, type Platform } from '../outbox/create-outbox.js'
import { type FlushOptions, timeLimit } from '../outbox/limits.js'
import type { OpenSpool } from '../outbox/spool/open.js'
import type { PlatformFetch } from '../platform.js'
import { type Connection, readConnection } from '../settings.js'
import { merged } from '../values/capture.js'
import { newId } from '../values/id.js'
import { reporter } from '../values/reporter.js'
import type { Context, Decoration } from './context.js'
import { givenFields } from './given-fields.js'
import { withExporters } from './recording/exporters.js'
import { ModelCalls } from './recording/model-calls.js'
import { Recorder } from './recording/recorder.js'
import type { CreateDelivery, SinkDelivery } from './recording/sink.js'
import { FIELDS, listOf, Step } from './step.js'
import type { StepData } from './step-data.js'
import { Surroundings } from './surroundings.js'
import { Thread, type ThreadData } from './thread.js'
import { type TracedOptions, traced } from './traced.js'
import { readTracerOptions, reportUnknown, type TracerOptions } from './tracer-options.js'

const DECORATION = ['stepId', 'environment', 'tags', 'metadata'] as const
const CLOSED = 'unfinished: the client was closed'

/**
 * Records the work of an application, in the context in which it happens, and delivers it in the background. The key needs
 * the scope `ingest` or `write`. Only a wrong argument throws: failures of delivery are in `stats()`, and reported.
 */
export class Tracer extends Surroundings {
  /** The release of the application; `undefined` when none was named. */
  readonly release: string | undefined
  /**
   * Fetches as the platform does, and records the calls of models among the requests as steps, with their messages, tokens
   * and times: for clients that have an option `fetch`. Requests and answers are passed on as they are, byte for byte.
   *
   * @returns the answer, which is recorded as the application reads it.
   * @throws the errors of the platform's `fetch`, as they are.
   * @example
   * const answer = await stepwell.fetch('data:application/json,[1]')
   * console.log(await answer.json())
   */
  readonly fetch: PlatformFetch
  readonly #calls: ModelCalls | undefined
  readonly #recorder: Recorder
  readonly #delivery: SinkDelivery | undefined

  /**
   * Makes a client. Without an API key, it records nothing, and reports so once.
   *
   * @throws `INVALID_ARGUMENT` when an option is invalid.
   */
  constructor(options?: TracerOptions)
  /** @internal Takes values that only a client of this package, or a test, replaces. */
  constructor(
    options: TracerOptions | undefined,
    connection: Connection | undefined,
    openSpool?: OpenSpool,
    platform?: Platform,
    createDelivery?: CreateDelivery,
  )
  constructor(
    options: TracerOptions = {},
    connection: Connection = readConnection(options),
    openSpool?: OpenSpool,
    platform?: Platform,
    createDelivery: CreateDelivery = createOutbox,
  ) {
    super()
    const report = reporter(options.onReport)
    reportUnknown(options, report)
    const settings = readTracerOptions(options, connection.environment)
    this.release = settings.release
    let recorder: Recorder | undefined
    const hasKey = connection.apiKey !== undefined
    const { exporters = [] } = options
    if (!hasKey && !connection.disabled && exporters.length === 0)
      report(
        'nothing is recorded, as there is no API key: set STEPWELL_API_KEY, or STEPWELL_DISABLED=1 where that is meant to be',
      )
    const recordOpen = (reason: string): void => recorder?.recordOpen(reason)
    const own =
      hasKey && !connection.disabled
        ? createDelivery(connection, options, report, recordOpen, this.release, openSpool, platform)
        : undefined
    this.#delivery = connection.disabled
      ? undefined
      : withExporters(own, exporters, {
          connection,
          options,
          report,
          recordOpen,
          release: this.release,
        })
    recorder = new Recorder(this.#delivery?.outbox, settings, report)
    this.#recorder = recorder
    if (this.#delivery !== undefined)
      this.#calls = new ModelCalls(recorder, settings.streamTimeoutMs)
    // Looked up at each call, so that tools that replace it later are seen.
    const before = globalThis.fetch
    const ofPlatform = ((input, init) => {
      const { fetch } = globalThis
      // It may be this function itself, where an application replaces that of the platform.
      return (fetch === this.fetch ? before : fetch)(input, init)
    }) as PlatformFetch
    this.fetch = this.fetchThrough(ofPlatform)
  }

  /**
   * Makes a thread. It is recorded by its `wrap` or `upsert`, or by the steps made inside it.
   *
   * @returns the thread, which the service does not have yet.
   * @example
   * const thread = stepwell.thread({ name: 'Order 1815', participantId: 'ada@example.org' })
   * await thread.wrap(() => agent(question))
   */
  thread(data: ThreadData = {}): Thread {
    return new Thread(this.#recorder, data)
  }

  /**
   * Makes a step, in the thread, run and step around the call. It is recorded by its `wrap`, `send` or `end`.
   *
   * @returns the step, which is running from now on.
   * @example
   * const step = stepwell.step({ name: 'search', type: 'retrieval', input: { question } })
   * step.end({ output: { found: await search(question) } })
   */
  step(data: StepData = {}): Step {
    return new Step(this.#recorder, data, this.#recorder.contexts.current())
  }

  /**
   * Makes a step of type `run`. The outermost one is the root run of the steps inside it.
   *
   * @returns the step, which is running from now on.
   * @example
   * const answer = await stepwell.run({ name: 'agent', input: { question } }).wrap(() => agent(question))
   */
  run(data: Omit<StepData, 'type'> = {}): Step {
    return new Step(this.#recorder, data, this.#recorder.contexts.current(), { type: 'run' })
  }

  /**
   * Makes a run whose steps are all recorded in the environment `experiment`. Results of an experiment that are created
   * inside its `wrap` refer to it.
   *
   * @returns the run, which is running from now on.
   * @example
   * await stepwell.experimentItemRun().wrap(async () => {
   *   const output = { content: await agent(question) }
   *   await stepwell.api.createExperimentItem({ datasetExperimentId: experimentId, datasetItemId, output })
   * })
   */
  experimentItemRun(data: Omit<StepData, 'type'> = {}): Step {
    const given = givenFields(data, ['id', 'name'], this.#recorder.report)
    const id = given.id || newId()
    const around = this.#recorder.contexts.around()
    const setting = {
      ...around.setting,
      environment: 'experiment' as const,
      experimentItemRunId: id,
    }
    const context: Context = { ...around, setting }
    return new Step(this.#recorder, data, context, {
      name: given.name ?? 'Experiment Run',
      id,
      type: 'run',
      environment: 'experiment',
    })
  }

  /**
   * Adds to the steps that are made inside `wrap`: tags and metadata to each of them, `stepId` as the id of the first.
   *
   * @returns an object whose `wrap` runs a function and resolves to its result.
   * @throws `INVALID_ARGUMENT` by `wrap`, when it is given no function.
   * @example
   * await stepwell.decorate({ tags: ['nightly'] }).wrap(() => agent(question))
   */
  decorate(decoration: Decoration): {
    wrap<Result>(work: () => Result | Promise<Result>): Promise<Result>
  } {
    return {
      wrap: async (work) => {
        mustBeFunction('work', work)
        const around = this.#recorder.contexts.current()?.setting.decoration
        const { stepId, environment, tags, metadata } = givenFields(
          decoration,
          DECORATION,
          this.#recorder.report,
        )
        const inner: Decoration = {
          environment: environment ?? around?.environment,
          firstId: stepId ? { value: stepId } : around?.firstId,
          tags: [...(around?.tags ?? []), ...(listOf(tags) ?? [])],
          metadata: merged(around?.metadata, metadata),
        }
        return await this.#recorder.contexts.enter({ decoration: inner }, work)
      },
    }
  }

  /**
   * Runs a function as a step and returns its result: at once, or as a promise. The step is recorded at its end, with the
   * result as its output, unless it set one. An error is recorded and rethrown unchanged. Outside of every step the type
   * is `run`.
   *
   * @returns the result of `work`, as it is.
   * @throws `INVALID_ARGUMENT` when `work` is no function; whatever `work` throws, as it is.
   * @example
   * const answer = await stepwell.trace('answer', async (step) => {
   *   step.input = { question }
   *   return stepwell.trace({ name: 'search', type: 'retrieval' }, () => search(question))
   * })
   */
  trace<Result>(step: string | StepData, work: (step: Step) => Result): Result {
    mustBeFunction('work', work)
    const context = this.#recorder.contexts.current()
    const made = new Step(this.#recorder, typeof step === 'string' ? { name: step } : step, context)
    if (context?.step === undefined && made.type === 'undefined') made.type = 'run'
    return this.#recorder.run(made, work)
  }

  /**
   * Returns a function that does the same and is recorded as a step each time: its arguments as input, the values that it
   * returns or yields as output. A generator is a step until its end.
   *
   * @returns the function, with the name, length, `this` and members of the original.
   * @throws `INVALID_ARGUMENT` when `work` is no function.
   * @example
   * const find = stepwell.traced(search, { name: 'find', type: 'retrieval' })
   * const found = await find('orders of May')
   */
  traced<Work extends (...parameters: never[]) => unknown>(
    work: Work,
    options: TracedOptions<Parameters<Work>> = {},
  ): Work {
    mustBeFunction('work', work)
    return traced(this, work, this.#given(options))
  }

  /**
   * Makes a decorator that records each call of a method as a step, by the method's name.
   *
   * @returns the decorator, standard or of `experimentalDecorators`. There, write it below decorators that read the method.
   * @example
   * ```class Shop { @stepwell.tracedMethod({ type: 'tool' }) ship(order: string) { return { order } } }```
   */
  tracedMethod(options: TracedOptions<unknown[]> = {}): {
    // biome-ignore lint/suspicious/noExplicitAny: what the type of method decorators asks for
    <This, Work extends (this: This, ...parameters: any[]) => unknown>(
      method: Work,
      context: ClassMethodDecoratorContext<This, Work>,
    ): Work
    // biome-ignore lint/suspicious/noExplicitAny: the same
    <This extends object, Work extends (this: This, ...parameters: any[]) => unknown>(
      target: This,
      name: string | symbol,
      descriptor: TypedPropertyDescriptor<Work>,
    ): TypedPropertyDescriptor<Work>
  } {
    // biome-ignore lint/suspicious/noExplicitAny: the two kinds of decorators have nothing in common
    return (target: any, context: any, descriptor?: PropertyDescriptor): any => {
      const value = this.traced(descriptor ? descriptor.value : target, {
        name: String(context.name ?? context),
        ...this.#given(options),
      })
      return descriptor ? { ...descriptor, value } : value
    }
  }

  /** Reads options one by one: a getter of the application may throw. */
  #given<Options extends object>(options: Options): Options {
    return givenFields(options, FIELDS as never, this.#recorder.report) as Options
  }

  /**
   * Returns a function that does the same as another `fetch`, with its model calls recorded as by `stepwell.fetch`: for a
   * client that has a `fetch` of its own. Returns the given one where nothing is recorded.
   *
   * @returns the function, to be given to a client of models.
   * @throws `INVALID_ARGUMENT` when `inner` is no function.
   * @example
   * const patient: typeof fetch = (input, init) => fetch(input, { ...init, signal: AbortSignal.timeout(60_000) })
   * const recorded = stepwell.fetchThrough(patient)
   * console.log((await recorded('data:,ok')).status)
   */
  fetchThrough<Fetch extends (...given: never[]) => Promise<unknown>>(inner: Fetch): Fetch {
    mustBeFunction('inner', inner)
    return this.#calls === undefined
      ? inner
      : (this.#calls.tap.through(inner as never) as unknown as Fetch)
  }

  /**
   * Returns a copy of a client of OpenAI or Anthropic whose calls are recorded: `client.withOptions({ fetch })` with
   * `stepwell.fetch`, or with the client's own `fetch` by `fetchThrough`, and nothing more.
   *
   * @returns the copy, of the same class.
   * @throws `INVALID_ARGUMENT` when the client has no `withOptions`.
   * @example
   * class Client { constructor(readonly options = {}) {} withOptions(options: object) { return new Client(options) } }
   * const client = stepwell.wrapClient(new Client())
   */
  wrapClient<Client extends { withOptions(options: { fetch: PlatformFetch }): unknown }>(
    client: Client,
  ): Client {
    if (typeof client?.withOptions !== 'function')
      throw invalidArgument(
        'client: expected one with withOptions, as OpenAI and Anthropic have from version 5 and 0.50 on; give others { fetch: stepwell.fetch } when they are made',
      )
    const { fetch } = client as { fetch?: unknown }
    const isOwn = typeof fetch === 'function' && fetch !== globalThis.fetch
    return client.withOptions({
      fetch: isOwn ? this.fetchThrough(fetch as PlatformFetch) : this.fetch,
    }) as Client
  }

  /**
   * Counts the steps that were recorded so far: `recorded = delivered + pending + dropped`, always. Never throws.
   *
   * @returns the counts; zeros while the client records nothing.
   * @example
   * const { delivered, pending, dropped } = stepwell.stats()
   * console.log(delivered, pending, dropped)
   */
  stats(): Stats {
    return this.#delivery?.outbox.stats(...this.#recorder.counts) ?? NO_STATS
  }

  /**
   * Delivers the steps that were recorded before the call. Resolves once the service has them, or after `timeoutMs`
   * (default: 30 s). Keeps the process open meanwhile. Never rejects.
   *
   * @returns the counts of all steps; `pending` counts those that the service does not have yet.
   * @scope `ingest` or `write`
   * @example
   * const { pending, lastProblem } = await stepwell.flush({ timeoutMs: 5000 })
   * if (pending > 0) console.warn(lastProblem)
   */
  async flush(options: FlushOptions = {}): Promise<Stats> {
    await this.#delivery?.outbox.flush(options)
    return this.stats()
  }

  /**
   * Delivers the recorded steps and ends the session. Steps that are still open are recorded as they are, with an error.
   * Steps that are recorded afterwards are dropped. Steps that are not delivered within `timeoutMs` (default: 30 s) are
   * dropped too, or stay in the spool. Never rejects.
   *
   * @returns the counts of all steps.
   * @scope `ingest` or `write`
   * @example
   * const { dropped } = await stepwell.close()
   * if (dropped > 0) console.warn(`${dropped} steps were lost`)
   */
  async close(options: FlushOptions = {}): Promise<Stats> {
    this.#recorder.recordOpen(CLOSED)
    await this.#delivery?.outbox.close(options)
    return this.stats()
  }

  /** @internal Delivers the recorded steps while nothing else can run; with `isEnd`, for the last time. */
  deliverNow(isEnd: boolean, options: FlushOptions): Stats {
    const { outbox, deliverNow } = this.#delivery ?? {}
    if (isEnd) this.#recorder.recordOpen(CLOSED)
    // They would continue after it, and undo later changes of their threads.
    outbox?.cutOff()
    deliverNow?.(timeLimit(options), isEnd ? 'close' : 'flush')
    if (isEnd) outbox?.end()
    return this.stats()
  }

  /** @internal */
  override get recorder(): Recorder {
    return this.#recorder
  }
}
