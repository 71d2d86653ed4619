import type { Tracer } from '../../tracing/tracer.js'
import { Host } from '../shared/host.js'
import { isJson, type Json } from '../shared/json.js'
import type { StepwellTracer } from './open-telemetry.js'
import { type RecordedParts, tracersOf } from './tracer.js'

const known = new WeakMap<Tracer, (parts: RecordedParts) => StepwellTracer>()

/**
 * Returns settings for the AI SDK 5 and 6 that record a call as steps: itself, its calls of models, and its tools. Nothing
 * global is set, so that other users of OpenTelemetry see nothing of it.
 *
 * @param settings - Other settings of telemetry. `recordInputs: false` and `recordOutputs: false` hold for `stepwell.fetch`
 * too, if they are given here.
 * @example
 * await generateText({ model, prompt, experimental_telemetry: stepwellTelemetry(stepwell) })
 */
export const stepwellTelemetry = <Settings extends object = object>(
  stepwell: Tracer,
  settings?: Settings,
): { isEnabled: true; tracer: StepwellTracer } & Settings => {
  const tracerOf = known.get(stepwell) ?? tracersOf(new Host(stepwell, 'the AI SDK'))
  known.set(stepwell, tracerOf)
  const given: Json = isJson(settings) ? settings : {}
  const tracer = tracerOf({
    recordsInputs: given.recordInputs !== false,
    recordsOutputs: given.recordOutputs !== false,
  })
  return { ...(settings as Settings), isEnabled: true, tracer }
}
