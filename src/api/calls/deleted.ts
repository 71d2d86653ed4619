import { StepwellError } from '../../errors.js'

/** Resolves to null instead of `NOT_FOUND`. The wire has an error for users, datasets and items, as old clients can't take null there. */
export const nullWhenMissing = (error: unknown): null => {
  if (StepwellError.is(error) && error.code === 'NOT_FOUND') return null
  throw error
}
