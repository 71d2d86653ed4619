import { silenceRejection } from './silence-rejection.js'

/** Takes messages to people; whoever fails at that breaks nothing. */
export const reporter =
  (
    onReport: (message: string) => unknown = (message) => console.warn(`stepwell: ${message}`),
  ): ((message: string) => void) =>
  (message) => {
    try {
      silenceRejection(onReport(message))
    } catch {
      // There is nobody left to tell.
    }
  }
