import { mustBeFunction } from '../errors.js'
import { newId } from '../values/id.js'
import type { Context } from './context.js'
import { givenFields, setFields } from './given-fields.js'
import { applyUpdate } from './recording/fields.js'
import { listOf, Step, type StepRecorder } from './step.js'
import type { ScoreData, StepData, Update } from './step-data.js'

/** The fields that a thread is made from. */
export interface ThreadData {
  /** Unique in the project. Default: a new UUID. */
  id?: string | null | undefined
  /** Its title. */
  name?: string | null | undefined
  /** The user's id or identifier; a user that is not known yet is created. */
  participantId?: string | null | undefined
  /** `dev`, `staging`, `prod` or `experiment`. Default: that of the client. */
  environment?: string | null | undefined
  /** Merged into the stored metadata by key; a key whose value is null is removed. */
  metadata?: Record<string, unknown> | null | undefined
  /** Labels; they replace the stored ones. */
  tags?: readonly string[] | null | undefined
}

const FIELDS = ['name', 'participantId', 'environment', 'metadata', 'tags'] as const

/** @internal The part of a recorder that threads use. */
export interface ThreadRecorder extends StepRecorder {
  readonly contexts: {
    current(): Context | undefined
    enter<Result>(changes: { thread: Thread }, work: () => Result): Result
  }
  recordThread(id: string, fields: object, before: string | undefined): string
  scoreThread(id: string, environment: string | undefined, score: ScoreData): void
  leaveThread(id: string): void
}

/** A conversation that is being recorded. Steps made inside `wrap` belong to it. */
export class Thread {
  /** Unique in the project. */
  id: string
  /** Its title. */
  name: string | undefined
  /** The user's id or identifier; a user that is not known yet is created. */
  participantId: string | undefined
  /** `dev`, `staging`, `prod` or `experiment`; when `undefined`, that of the client. */
  environment: string | undefined
  /** Merged into the stored metadata by key. */
  metadata: Record<string, unknown> | undefined
  /** Labels; they replace the stored ones. */
  tags: string[] | undefined
  readonly #recorder: ThreadRecorder
  /** The text that was recorded of it last, to tell changes by. */
  #recorded = '{}'

  /** @internal Called by a client. */
  constructor(recorder: ThreadRecorder, data: ThreadData | null) {
    this.#recorder = recorder
    this.id = givenFields(data, ['id'], recorder.report).id || newId()
    this.assign(data ?? {})
  }

  /**
   * Makes a step of this thread. It is recorded by its `wrap`, `send` or `end`.
   *
   * @returns the step, which is running from now on.
   * @example
   * thread.step({ type: 'user_message', output: { content: question } }).end()
   */
  step(data: Omit<StepData, 'threadId'>): Step {
    return this.#step(data, {})
  }

  /**
   * Makes a step of type `run` of this thread. It is recorded by its `wrap`, `send` or `end`.
   *
   * @returns the step, which is running from now on.
   * @example
   * const answer = await thread.run({ name: 'agent' }).wrap(() => agent(question))
   */
  run(data: Omit<StepData, 'threadId' | 'type'>): Step {
    return this.#step(data, { type: 'run' })
  }

  #step(data: StepData, fixed: StepData): Step {
    const context = this.#recorder.contexts.current()
    return new Step(this.#recorder, data, context, { ...fixed, threadId: this.id })
  }

  /**
   * Creates the thread, or changes the stored one by the fields that are set here. Resolves once the service has it. When
   * the service can't be reached, resolves too: the client keeps the change and goes on trying. Never rejects.
   *
   * @returns the thread.
   * @scope `ingest` or `write`
   * @example
   * thread.tags = ['resolved']
   * await thread.upsert()
   */
  async upsert(): Promise<this> {
    this.record(true)
    await this.#recorder.flushLast()
    return this
  }

  /**
   * Runs a function in the context of this thread. The thread is recorded when it begins, and again at its end when it
   * has changed. Errors are rethrown unchanged.
   *
   * @param update - Changes of the thread after the work: values, or a function from the output to values.
   * @returns the result of `work`.
   * @throws `INVALID_ARGUMENT` when `work` is no function; whatever `work` throws, as it is.
   * @example
   * const answer = await thread.wrap(() => stepwell.trace('agent', () => agent(question)))
   */
  async wrap<Output>(
    work: (thread: this) => Output | Promise<Output>,
    update?: Update<ThreadData, Output>,
  ): Promise<Output> {
    mustBeFunction('work', work)
    this.record()
    try {
      const output = await this.#recorder.contexts.enter({ thread: this }, async () => work(this))
      await applyUpdate(this, update, output, this.#recorder.report)
      return output
    } finally {
      this.record()
      this.#recorder.leaveThread(this.id)
    }
  }

  /**
   * Scores the thread as a whole. The score is delivered in the background, as steps are, also when sampling drops the
   * steps. A second one of the same name, type and scorer replaces the first. Never throws.
   *
   * @example
   * thread.score({ name: 'resolved', type: 'HUMAN', value: true, comment: 'Refunded at once.' })
   */
  score(score: ScoreData): void {
    this.#recorder.scoreThread(this.id, this.environment, score)
  }

  /**
   * Sets the given fields. A field that is omitted, null or unreadable stays as it is. Never throws.
   *
   * @example
   * thread.assign({ name: 'Order 1815', tags: ['urgent'] })
   * await thread.upsert()
   */
  assign(given: Partial<ThreadData>): void {
    const { report } = this.#recorder
    const fields = givenFields(given, FIELDS, report)
    fields.tags = listOf(fields.tags)
    for (const name of FIELDS) if (fields[name] == null) delete fields[name]
    setFields(this, fields, report)
  }

  /**
   * Returns the fields as a plain object.
   *
   * @returns a copy of the fields.
   * @example
   * const { id, ...changes } = thread.serialize()
   * console.log(id, changes)
   */
  serialize(): ThreadData & { id: string } {
    return { ...this }
  }

  /**
   * Returns the fields as a plain object, for `JSON.stringify`.
   *
   * @returns the same as `serialize`.
   * @example
   * console.log(JSON.stringify(thread))
   */
  toJSON(): ThreadData {
    return this.serialize()
  }

  /** @internal Records the thread, unless it has not changed since; `always` in any case. */
  record(always = false): void {
    const { id, ...fields } = this
    const said = this.#recorder.recordThread(id, fields, always ? undefined : this.#recorded)
    this.#recorded = said
  }
}
