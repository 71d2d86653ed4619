import type { Json } from '../shared/json.js'
import type { AgentsSpan } from './spans.js'

/** The message of the error in the span of a response whose values are kept out. */
const WITHOUT_DATA = 'Error getting response'

/**
 * Returns true for the span of a model call whose values are kept out of traces (`traceIncludeSensitiveData: false`): it has
 * no input. That of a response in one piece has none before its end either, nor if it failed.
 */
export const isWithheld = ({ spanData, error }: AgentsSpan, hasEnded: boolean): boolean => {
  const data = spanData as Json
  if (data.type === 'generation') return data.input === undefined
  if (data.type !== 'response' || data._input !== undefined || !hasEnded) return false
  return error === null || error.message === WITHOUT_DATA
}
