import type { GenerationPayloadInput } from '../../../generated/schema.js'
import type { CallValues } from '../../model-calls/host.js'
import { isJson, type Json } from '../../model-calls/json.js'
import { isError } from '../../values/is-error.js'
import { errorText, type Step } from '../step.js'

/** The members of a generation that hold what a model was asked. Settings hold schemas, and texts to stop at. */
const INPUTS = ['messages', 'prompt', 'tools', 'settings']
/** The members of a generation that hold what a model answered. */
const OUTPUTS = ['messageCompletion', 'completion']

/** Returns the values of a model call that its step may record, as the settings of a framework say. */
export const permitted = (step: Step, values: CallValues): CallValues => {
  const { recordsInputs, recordsOutputs } = step.recording
  if (recordsInputs && recordsOutputs) return values
  return {
    generation: permittedGeneration(step, values.generation),
    // Providers repeat parts of requests in their errors.
    error: permittedError(step, values.error),
    input: recordsInputs ? values.input : undefined,
    output: recordsOutputs ? values.output : undefined,
    details: withoutTexts(values.details),
  }
}

/** Takes inputs and outputs out of the step of a model call, those that come later too. */
export const withhold = (step: Step): void => {
  const { recording, generation, metadata } = step
  recording.recordsInputs = false
  recording.recordsOutputs = false
  step.input = undefined
  step.output = undefined
  if (generation !== undefined) step.generation = permittedGeneration(step, generation)
  const call = metadata?.modelCall
  if (isJson(call)) step.metadata = { ...metadata, modelCall: withoutTexts(call) }
}

const permittedGeneration = (step: Step, given: GenerationPayloadInput): GenerationPayloadInput => {
  const { recordsInputs, recordsOutputs } = step.recording
  const generation: Json = { ...given }
  if (!recordsInputs) for (const name of INPUTS) delete generation[name]
  if (!recordsOutputs) for (const name of OUTPUTS) delete generation[name]
  if (given.error != null) generation.error = permittedError(step, given.error)
  return generation
}

/** Returns the text of an error that a step may record; undefined when there is no error. */
export const permittedError = (step: Step, error: unknown): string | undefined => {
  const { recordsInputs, recordsOutputs } = step.recording
  return recordsInputs && recordsOutputs ? errorText(error) : withoutText(error)
}

/** Returns an error without its message: by its status, or by its name. */
const withoutText = (error: unknown): string | undefined => {
  const text = errorText(error)
  if (text === undefined) return undefined
  const [status] = /^HTTP \d+/.exec(text) ?? []
  return status ?? (isError(error) ? error.name : 'failed')
}

const withoutTexts = (details: Json): Json => {
  const kept: Json = { ...details }
  for (const name of ['attempts', 'failedBefore'])
    if (Array.isArray(kept[name]))
      kept[name] = kept[name].map(({ error: _, ...attempt }: Json) => attempt)
  return kept
}
