import { newId } from '../values/id.js'
import type { Recorder } from './recorder.js'
import { Step, type StepData, type Update } from './step.js'

/** What a thread is made from. */
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

/** A conversation that is being recorded. Steps made inside `wrap` belong to it. */
export class Thread {
  id: string
  name: string | undefined
  participantId: string | undefined
  environment: string | undefined
  metadata: Record<string, unknown> | undefined
  tags: string[] | undefined
  readonly #recorder: Recorder
  /** What was recorded of it last, to tell whether there is anything new. */
  #recorded = '{}'

  /** @internal Made by a client. */
  constructor(recorder: Recorder, data: ThreadData) {
    this.#recorder = recorder
    this.id = data.id || newId()
    this.assign(data)
  }

  /** Makes a step of this thread. */
  step(data: Omit<StepData, 'threadId'>): Step {
    return new Step(this.#recorder, { ...data, threadId: this.id }, this.#recorder.context())
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
   * Runs something in the context of this thread. What is set of the thread is recorded when it begins, and what has
   * changed when it ends. Errors are thrown on as they were.
   */
  async wrap<Output>(
    work: (thread: this) => Output | Promise<Output>,
    update?: Update<ThreadData, Output>,
  ): Promise<Output> {
    this.record()
    try {
      const output = await this.#recorder.enter({ thread: this }, async () => work(this))
      await this.#recorder.update(this, update, output)
      return output
    } finally {
      this.record()
      this.#recorder.leaveThread(this.id)
    }
  }

  /** Takes over what is given. */
  assign(given: Partial<ThreadData>): void {
    const { name, participantId, environment, metadata, tags } = given ?? {}
    if (name != null) this.name = name
    if (participantId != null) this.participantId = participantId
    if (environment != null) this.environment = environment
    if (metadata != null) this.metadata = metadata
    if (Array.isArray(tags)) this.tags = [...tags]
  }

  /** The fields as a plain object. */
  serialize(): ThreadData & { id: string } {
    return { ...this }
  }

  toJSON(): ThreadData {
    return this.serialize()
  }

  /** @internal Records what is set, unless it was recorded before; always when asked to. */
  record(always = false): void {
    const { id, ...fields } = this
    const said = this.#recorder.recordThread(id, fields, always ? undefined : this.#recorded)
    this.#recorded = said
  }
}
