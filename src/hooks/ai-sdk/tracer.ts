import type { Step } from '../../tracing/step.js'
import { newId } from '../../values/id.js'
import type { Host } from '../shared/host.js'
import { isJson } from '../shared/json.js'
import { Runs } from '../shared/runs.js'
import { followAnswer } from './answer-stream.js'
import { beginOf, hasInputs } from './attributes.js'
import { OpenSpan } from './open-span.js'
import type { StepwellSpan, StepwellTracer } from './open-telemetry.js'
import { SilentSpan } from './silent-span.js'

/** The parts of model calls that may be recorded. */
export interface RecordedParts {
  recordsInputs: boolean
  recordsOutputs: boolean
}

/** Returns a function that makes tracers, which record the spans of the AI SDK as steps. */
export const tracersOf = (host: Host): ((parts: RecordedParts) => StepwellTracer) => {
  const runs = new Runs(host)
  const spans = new WeakMap<Step, OpenSpan>()
  return (parts) => tracerOf(host, runs, spans, parts)
}

const tracerOf = (
  host: Host,
  runs: Runs,
  spans: WeakMap<Step, OpenSpan>,
  parts: RecordedParts,
): StepwellTracer => {
  const begin = (name: string, options: unknown): OpenSpan | undefined =>
    host.guarded(() => {
      const given = isJson(options) && isJson(options.attributes) ? options.attributes : {}
      const id = newId()
      const around = host.around((step) => spans.has(step) && !runs.isCall(step))
      const operation = around && spans.get(around)
      const step = runs.open(id, operation?.id, beginOf(name, given))
      if (runs.isCall(step)) {
        // Settings that were added to those of the hook are not known, but inputs that are missing are.
        step.recording.recordsInputs = parts.recordsInputs && hasInputs(given)
        step.recording.recordsOutputs = parts.recordsOutputs
      }
      // The AI SDK counts them as outputs: the model said them.
      if (step.type === 'tool' && !parts.recordsInputs) step.input = undefined
      const span = new OpenSpan(host, runs, { id, step, operation, attributes: given })
      spans.set(step, span)
      return span
    })

  const startActiveSpan = (name: string, ...values: unknown[]): unknown => {
    const work = values.at(-1) as (span: StepwellSpan) => unknown
    const span = begin(name, values.length > 1 ? values[0] : undefined)
    if (span === undefined) return work(new SilentSpan())
    const result = host.inside(span.step, () => work(span))
    // It is listened to before the AI SDK has it.
    if (runs.isCall(span.step) && result instanceof Promise)
      result.then(
        (given) => host.guarded(() => followAnswer(isJson(given) ? given.result : undefined, span)),
        () => {},
      )
    return result
  }
  return {
    startSpan: (name, options) => begin(name, options) ?? new SilentSpan(),
    startActiveSpan: startActiveSpan as StepwellTracer['startActiveSpan'],
  }
}
