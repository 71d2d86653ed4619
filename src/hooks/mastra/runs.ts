import type { Step } from '../../tracing/step.js'
import type { StepData } from '../../tracing/step-data.js'
import { now, toIso } from '../../values/clock.js'
import type { Host } from '../shared/host.js'
import { isJson, textOf } from '../shared/json.js'
import { Runs } from '../shared/runs.js'
import { Dialog, ModelCall } from './model-call.js'
import { AROUND_CALLS, isTool, type MastraEvent, type MastraSpan, nameOf } from './spans.js'

/** Spans that run at once. Streams that are left never end. */
const MAX_RUNNING = 10_000

/** Records the spans of Mastra as steps. */
export class MastraRuns {
  /** True when Mastra runs work in the steps by itself, which it does for its bridge alone. */
  isBridge = false
  readonly #host: Host
  readonly #runs: Runs
  /** Messages of running generations, by the ids of their spans and of those of their steps. */
  readonly #dialogs = new Map<string, Dialog>()
  /** Running calls, by the spans around them: requests are sent inside those. */
  readonly #calls = new Map<string, { id: string; call: ModelCall }>()
  /** The shown spans around those that are not shown. */
  readonly #shown = new Map<string, string | undefined>()
  /** Calls that failed, by the run around them, which alone is told the reason. */
  readonly #failed = new Map<string, { id: string; moment: number }[]>()

  /** Traces whose values are kept out, by their ids. */
  readonly #hidden = new Map<string, { hideInput?: unknown; hideOutput?: unknown }>()

  constructor(host: Host) {
    this.#host = host
    this.#runs = new Runs(host)
  }

  /** Returns the step inside which work of a span runs. */
  inside(spanId: string): Step | undefined {
    return this.#runs.step(this.#calls.get(spanId)?.id ?? spanId)
  }

  /** Takes the options of a span that is being made: the values that they keep out are kept out of its calls too. */
  creates(options: unknown): void {
    this.isBridge = true
    const { traceState, parent } = isJson(options) ? options : {}
    const traceId = isJson(parent) ? textOf(parent.traceId) : undefined
    if (
      traceId !== undefined &&
      isJson(traceState) &&
      (traceState.hideInput || traceState.hideOutput)
    )
      keep(this.#hidden, traceId, traceState)
  }

  event({ type, exportedSpan: span }: MastraEvent): void {
    if (span.type === 'model_chunk') this.#chunk(span)
    else if (type === 'span_started') this.#start(span)
    else if (type === 'span_updated') this.#update(span)
    else if (type === 'span_ended') {
      // An event has no start.
      if (span.isEvent) this.#start(span)
      if (span.type === 'model_inference') this.#endCall(span)
      else this.#end(span)
    }
  }

  #start(span: MastraSpan): void {
    const { id, parentSpanId: around, type } = span
    if (this.#runs.has(id)) return
    if (AROUND_CALLS.has(type) && this.#runs.hide(id, around)) {
      const dialog = (around && this.#dialogs.get(around)) || new Dialog()
      keep(this.#dialogs, id, dialog)
      keep(this.#shown, id, (around && this.#shown.get(around)) || around)
      dialog.begin(span)
      return
    }
    if (type === 'model_inference') this.#startCall(span)
    else this.#runs.open(id, around, { ...beginOf(span), ...factsOf(span) })
  }

  #startCall(span: MastraSpan): void {
    const { id, parentSpanId: around = '' } = span
    const step = this.#runs.open(id, around, { type: 'llm', name: 'chat', ...factsOf(span) })
    const dialog = this.#dialogs.get(around)
    const hidden = this.#hidden.get(span.traceId)
    // An exporter is not told what is kept out.
    const isWithoutInput = !this.isBridge && dialog?.isWithoutInput === true
    step.recording.recordsInputs = !hidden?.hideInput && !isWithoutInput
    step.recording.recordsOutputs = !hidden?.hideOutput
    const call = new ModelCall(step, dialog ?? new Dialog(), span)
    keep(this.#calls, around, { id, call })
    if (!this.isBridge) this.#host.enter(step)
  }

  /** Notes a piece of an answer, which comes when it is whole. */
  #chunk({ parentSpanId: around = '', output }: MastraSpan): void {
    this.#runs.touch(around)
    for (const { id, call } of this.#calls.values())
      if (id === around && isJson(output)) call.piece(output)
  }

  #update(span: MastraSpan): void {
    const step = this.#runs.touch(span.id)
    if (AROUND_CALLS.has(span.type)) this.#dialogs.get(span.id)?.begin(span)
    else if (step !== undefined) step.input ??= span.input
  }

  #end(span: MastraSpan): void {
    const { id, type, parentSpanId: around = '' } = span
    if (isTool(type)) this.#dialogs.get(around)?.result(span)
    this.#dialogs.delete(id)
    this.#shown.delete(id)
    for (const failed of this.#failed.get(id) ?? [])
      this.#runs.close(failed.id, (step) => {
        step.error ??= errorOf(span) ?? 'the call of the model failed'
        step.stop(failed.moment)
      })
    this.#failed.delete(id)
    this.#runs.close(id, (step) => {
      if (type === 'rag_embedding') step.metadata = { ...step.metadata, ...span.attributes }
      step.input ??= span.input
      step.output ??= outputOf(span.output)
      step.error ??= errorOf(span)
      step.stop(momentOf(span.endTime))
    })
  }

  #endCall(span: MastraSpan): void {
    const { id, parentSpanId: around = '', endTime } = span
    const call = this.#calls.get(around)?.call
    if (call === undefined) return
    this.#calls.delete(around)
    call.end(span)
    const outer = this.#shown.get(around)
    if (call.hasFailed && span.errorInfo === undefined && outer !== undefined) {
      const moment = momentOf(endTime)
      keep(this.#failed, outer, [...(this.#failed.get(outer) ?? []), { id, moment }])
      return
    }
    this.#runs.close(id, (step) => {
      step.error ??= errorOf(span)
      step.stop(momentOf(endTime))
    })
  }
}

/** Keeps a value until its span ends, or until so many others came that it never will. */
const keep = <Value>(values: Map<string, Value>, id: string, value: Value): void => {
  values.set(id, value)
  for (const oldest of values.keys())
    if (values.size <= MAX_RUNNING) break
    else values.delete(oldest)
}

/** Returns the step that a span begins. */
const beginOf = (span: MastraSpan): StepData => {
  const { type, input } = span
  const name = nameOf(span)
  if (isTool(type)) return { type: 'tool', name, input }
  if (type === 'agent_run' || type === 'workflow_run') return { type: 'run', name, input }
  if (type === 'rag_embedding') return { type: 'embedding', name, input }
  return { name, input }
}

const factsOf = ({ metadata, tags, startTime }: MastraSpan): StepData => ({
  startTime: toIso(startTime.getTime()),
  metadata: metadata && Object.keys(metadata).length > 0 ? { ...metadata } : undefined,
  tags,
})

const momentOf = (time: Date | undefined): number => time?.getTime() ?? now()

/** Returns the output of a span; undefined for the mark of one that was interrupted. */
const outputOf = (output: unknown): unknown =>
  isJson(output) && (output.status === 'aborted' || output.status === 'suspended')
    ? undefined
    : output

const errorOf = ({ errorInfo, output }: MastraSpan): string | undefined => {
  if (errorInfo !== undefined)
    return errorInfo.name === undefined
      ? errorInfo.message
      : `${errorInfo.name}: ${errorInfo.message}`
  return isJson(output) && output.status === 'aborted'
    ? (textOf(output.reason) ?? 'aborted')
    : undefined
}
