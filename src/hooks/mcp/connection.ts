import type { Step } from '../../tracing/step.js'
import type { Tracer } from '../../tracing/tracer.js'
import type { Host } from '../shared/host.js'
import { isJson, type Json } from '../shared/json.js'
import { answeredId, beginOf, cancelledOf, requestOf, write } from './exchange.js'

type Steps = Map<string | number, Step>

/** Records the requests of one connection as steps: those that this side sends, and those that it answers. */
export class Connection {
  readonly #stepwell: Tracer
  readonly #host: Host
  readonly #sent: Steps = new Map()
  readonly #received: Steps = new Map()
  /** Messages that handlers pass on to those that were set before them. */
  readonly #seen = new WeakSet<object>()

  constructor(stepwell: Tracer, host: Host) {
    this.#stepwell = stepwell
    this.#host = host
  }

  /** Takes a message that is sent. Returns it, or a copy that tells the other side of the trace. */
  send(message: unknown): unknown {
    return this.#host.guarded(() => this.#sending(message)) ?? message
  }

  #sending(message: unknown): unknown {
    const id = answeredId(message)
    const cancelled = cancelledOf(message)
    if (id !== undefined) close(this.#received, id, (step) => write(step, message as Json))
    if (cancelled !== undefined) close(this.#sent, cancelled.id, cancel(cancelled.reason))
    const request = requestOf(message)
    const begun = request && beginOf(request)
    if (request === undefined || begun === undefined) return message
    const step = this.#host.open(begun, undefined)
    this.#sent.set(request.id, step)
    const headers = this.#host.inside(step, () => this.#stepwell.traceHeaders())
    const meta = isJson(request.params._meta) ? request.params._meta : {}
    return { ...(message as Json), params: { ...request.params, _meta: { ...headers, ...meta } } }
  }

  /** Takes a message that was received, and runs the function that handles it, inside the step of a request. */
  receive(message: unknown, handle: () => void): void {
    const isNew = isJson(message) && !this.#seen.has(message)
    if (isNew) this.#seen.add(message)
    const step = isNew ? this.#host.guarded(() => this.#receiving(message)) : undefined
    if (step === undefined) handle()
    else this.#host.inside(step, handle)
  }

  #receiving(message: unknown): Step | undefined {
    const id = answeredId(message)
    const cancelled = cancelledOf(message)
    if (id !== undefined) close(this.#sent, id, (step) => write(step, message as Json))
    if (cancelled !== undefined) close(this.#received, cancelled.id, cancel(cancelled.reason))
    const request = requestOf(message)
    const begun = request && beginOf(request)
    if (request === undefined || begun === undefined) return undefined
    const meta = isJson(request.params._meta) ? request.params._meta : {}
    const step = this.#stepwell.continueTrace(headersIn(meta), () =>
      this.#host.open(begun, undefined),
    )
    // The step around it stands for the call of the tool already, on the side that called it.
    if (step.parentId !== undefined && step.type === 'tool') step.type = 'undefined'
    this.#received.set(request.id, step)
    return step
  }

  /** Ends everything that no answer can come for any more. */
  close(): void {
    this.#host.guarded(() => {
      for (const steps of [this.#sent, this.#received])
        for (const id of [...steps.keys()]) close(steps, id, cancel('the connection was closed'))
    })
  }
}

const close = (steps: Steps, id: string | number, change: (step: Step) => void): void => {
  const step = steps.get(id)
  if (step === undefined) return
  steps.delete(id)
  change(step)
  step.end()
}

const cancel =
  (reason: unknown) =>
  (step: Step): void => {
    step.error ??= typeof reason === 'string' && reason !== '' ? reason : 'cancelled'
  }

/** Returns the headers in the metadata of a request. */
const headersIn = (meta: Json): Record<string, string> => {
  const headers: Record<string, string> = {}
  for (const name of ['traceparent', 'baggage']) {
    const value = meta[name]
    if (typeof value === 'string') headers[name] = value
  }
  return headers
}
