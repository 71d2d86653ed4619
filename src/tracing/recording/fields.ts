import { reasonOf } from '../../values/capture.js'
import type { Step } from '../step.js'
import type { Update } from '../step-data.js'

/** Sets a field of a step. Returns false when that fails: the application may have frozen the step. */
export const set = <Field extends 'error' | 'output' | 'attachments'>(
  step: Step,
  field: Field,
  value: Step[Field],
): boolean => {
  try {
    step[field] = value
    return true
  } catch {
    return false
  }
}

/** Sets a field that the application has not set itself. */
export const fill = (step: Step, field: 'error' | 'output', value: unknown): void => {
  if (step[field] === undefined) set(step, field, value)
}

/** Applies the changes that a wrapper was given. If getting them fails, nothing changes. */
export const applyUpdate = async <Data, Output>(
  target: { assign(changes: Partial<Data>): void },
  update: Update<Data, Output> | undefined,
  output: Output,
  report: (message: string) => void,
): Promise<void> => {
  if (update === undefined) return
  try {
    const changes = typeof update === 'function' ? await update(output) : update
    if (changes) target.assign(changes)
  } catch (error) {
    report(`an update function failed, and its step stays as it is: ${reasonOf(error)}`)
  }
}
