import { mustBeFunction } from '../errors.js'
import { silenceRejection } from './silence-rejection.js'

/** Creates a reporter of messages for people; a failure of its target has no effect. */
export const reporter = (
  onReport: (message: string) => unknown = (message) => console.warn(`stepwell: ${message}`),
): ((message: string) => void) => {
  // Null has always been silence.
  if (onReport !== null) mustBeFunction('onReport', onReport)
  return (message) => {
    try {
      silenceRejection(onReport(message))
    } catch {
      // No one is left to report to.
    }
  }
}
