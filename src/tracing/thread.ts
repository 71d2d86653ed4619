import { mustBeFunction } from '../errors.js'
import { newId } from '../values/id.js'
import type { Context } from './context.js'
import { applyUpdate } from './recording/fields.js'
import { Step, type StepRecorder } from './step.js'
import type { StepData, Update } from './step-data.js'

/** The fields that a thread is made from. */
export interface ThreadData {
  /** A UUID when absent. */
  id?: string | null | undefined
  name?: string | null | undefined
  /** The user's id or identifier; a user that is not known yet is created. */
  participantId?: string | null | undefined
  environment?: string | null | undefined
  metadata?: Record<string, unknown> | null | undefined
  tags?: readonly string[] | null | undefined
}

/** @internal The part of a recorder that threads know. */
export interface ThreadRecorder extends StepRecorder {
  readonly contexts: {
    current(): Context | undefined
    enter<Result>(changes: { thread: Thread }, work: () => Result): Result
  }
  report(message: string): void
  recordThread(id: string, fields: object, before: string | undefined): string
  leaveThread(id: string): void
}

/** A conversation that is being recorded. Steps made inside `wrap` belong to it. */
export class Thread {
  id: string
  name: string | undefined
  participantId: string | undefined
  environment: string | undefined
  metadata: Record<string, unknown> | undefined
  tags: string[] | undefined
  readonly #recorder: ThreadRecorder
  /** The text that was recorded of it last, to tell changes by. */
  #recorded = '{}'

  /** @internal Made by a client. */
  constructor(recorder: ThreadRecorder, data: ThreadData) {
    this.#recorder = recorder
    this.id = data.id || newId()
    this.assign(data)
  }

  /** Makes a step of this thread. */
  step(data: Omit<StepData, 'threadId'>): Step {
    return new Step(
      this.#recorder,
      { ...data, threadId: this.id },
      this.#recorder.contexts.current(),
    )
  }

  /** Makes a step of type `run` of this thread. */
  run(data: Omit<StepData, 'threadId' | 'type'>): Step {
    return this.step({ ...data, type: 'run' })
  }

  /**
   * Creates the thread or changes the stored one by what is set here. Resolves once the service has it, or when it can't
   * be reached now: then the client keeps the change and goes on trying. Never rejects.
   */
  async upsert(): Promise<this> {
    this.record(true)
    await this.#recorder.flushLast()
    return this
  }

  /**
   * Runs something in the context of this thread. The thread is recorded when it begins, and again at its end where it
   * has changed. Errors are thrown on as they were.
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

  /** Takes over the given fields. */
  assign(given: Partial<ThreadData>): void {
    const { name, participantId, environment, metadata, tags } = given ?? {}
    if (name != null) this.name = name
    if (participantId != null) this.participantId = participantId
    if (environment != null) this.environment = environment
    if (metadata != null) this.metadata = metadata
    if (Array.isArray(tags)) this.tags = [...tags]
  }

  /** Returns the fields as a plain object. */
  serialize(): ThreadData & { id: string } {
    return { ...this }
  }

  toJSON(): ThreadData {
    return this.serialize()
  }

  /** @internal Records the thread, unless it is as it was recorded before; `always` in any case. */
  record(always = false): void {
    const { id, ...fields } = this
    const said = this.#recorder.recordThread(id, fields, always ? undefined : this.#recorded)
    this.#recorded = said
  }
}
