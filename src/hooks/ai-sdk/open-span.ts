import { permittedError } from '../../tracing/recording/permitted.js'
import type { Step } from '../../tracing/step.js'
import { now } from '../../values/clock.js'
import type { Host } from '../shared/host.js'
import { isJson } from '../shared/json.js'
import type { Runs } from '../shared/runs.js'
import type { AnswerListener } from './answer-stream.js'
import { write } from './attributes.js'
import type { Attributes } from './open-telemetry.js'
import { SilentSpan } from './silent-span.js'

const ERROR = 2

/** Of a span, from its start on. */
interface Opened {
  id: string
  step: Step
  /** The operation that it is a part of; undefined for the outermost one. */
  operation: OpenSpan | undefined
  attributes: Attributes
}

/** A span of the AI SDK, and the step that it is recorded as. */
export class OpenSpan extends SilentSpan implements AnswerListener {
  readonly id: string
  readonly step: Step
  readonly #host: Host
  readonly #runs: Runs
  readonly #operation: OpenSpan | undefined
  readonly #attributes: Attributes
  readonly #startedAt = now()
  #firstAt: number | undefined
  #error: string | undefined
  /** The calls of models that an operation waits for. */
  readonly #calls = new Set<OpenSpan>()
  #isOver = false
  /** True for an operation that has failed, and may never be told to end. */
  #hasFailed = false

  constructor(host: Host, runs: Runs, { id, step, operation, attributes }: Opened) {
    super()
    this.#host = host
    this.#runs = runs
    this.id = id
    this.step = step
    this.#operation = operation
    this.#attributes = { ...attributes }
    if (operation !== undefined && runs.isCall(step)) operation.#calls.add(this)
    // For the end of the process, and for streams that nobody reads to their end.
    step.recording.soFar = () => {
      this.#host.guarded(() => this.#write())
      return undefined
    }
  }

  override spanContext() {
    const digits = this.step.id.replaceAll('-', '').padStart(32, '0').slice(-32)
    return { traceId: digits, spanId: digits.slice(-16), traceFlags: 1 }
  }

  override setAttribute(name: string, value: unknown): this {
    return this.setAttributes({ [name]: value })
  }

  override setAttributes(attributes: object): this {
    Object.assign(this.#attributes, attributes)
    this.#runs.touch(this.id)
    return this
  }

  override addEvent(name: string): this {
    if (name === 'ai.stream.firstChunk') this.#firstAt ??= now()
    this.#runs.touch(this.id)
    return this
  }

  override setStatus({ code, message }: { code: number; message?: string }): this {
    if (code === ERROR) this.#error ??= message ?? 'failed without a reason'
    return this
  }

  override updateName(name: string): this {
    this.step.name = name
    return this
  }

  override recordException(error: unknown): void {
    const { name, message } = isJson(error) ? error : { name: undefined, message: String(error) }
    this.#error = name === undefined ? String(message) : `${String(name)}: ${String(message)}`
    // Its end follows at once, or nobody tells it before the application reads the stream.
    queueMicrotask(() => this.#fail(this.#error))
  }

  override isRecording(): boolean {
    return true
  }

  override end(): void {
    this.#host.guarded(() => this.#close())
  }

  touch(): void {
    this.#runs.touch(this.id)
  }

  erred(error: unknown): void {
    this.#error ??= permittedError(this.step, error)
  }

  failed(error: unknown): void {
    this.#host.guarded(() => {
      if (this.#isOver) return
      this.#error ??= permittedError(this.step, error) ?? 'failed without a reason'
      this.#close()
      const operation = this.#operation
      if (operation !== undefined) operation.#fail(this.#error)
    })
  }

  cancelled(): void {
    this.step.recording.onLeft?.()
  }

  #close(): void {
    this.#isOver = true
    this.#runs.close(this.id, () => this.#write())
    // Nobody tells the end of a call whose operation was aborted.
    for (const call of this.#calls) call.cancelled()
    this.#calls.clear()
    const operation = this.#operation
    if (operation === undefined) return
    operation.#calls.delete(this)
    operation.#settle()
  }

  /** Notes that an operation has failed: with its stream, of whose end nobody tells. */
  #fail(error: string | undefined): void {
    if (this.#runs.isCall(this.step) || this.step.type === 'tool') return
    this.#error ??= error
    this.#hasFailed = true
    this.#host.guarded(() => this.#settle())
  }

  #settle(): void {
    if (!this.#hasFailed) return
    if (!this.#isOver) this.#runs.settle(this.id, this.#error)
    else if (this.step.error === undefined) {
      // It was told to end before its stream failed.
      this.step.error = this.#error
      this.step.end()
    }
  }

  #write(): void {
    if (this.#error !== undefined) this.step.error ??= this.#error
    write(this.step, this.#attributes, {
      startedAt: this.#startedAt,
      firstAt: this.#firstAt,
      endedAt: now(),
    })
  }
}
