import type { GenerationPayloadInput } from '../../generated/schema.js'
import { type Counts, countsOf, type Usage } from './usage/usage.js'

/** The tokens of a generation: in parts, and in sums. */
export type Tokens = Counts & Pick<GenerationPayloadInput, 'usage'>

/** Returns the tokens of a model call; none where nobody told any. */
export const tokensOf = (usage: Usage | undefined): Tokens =>
  usage === undefined ? {} : Object.assign(countsOf(usage), { usage })

/** The moments of a model call, in milliseconds since 1970. */
export interface CallTimes {
  startedAt: number
  /** When the first content came; undefined when nothing came bit by bit. */
  firstAt?: number | undefined
  endedAt: number
}

interface Times {
  /** Seconds. */
  duration: number
  /** Milliseconds. */
  ttFirstToken?: number
  tokenThroughputInSeconds?: number
}

/** Returns the times of a generation. */
export const timesOf = (
  { startedAt, firstAt, endedAt }: CallTimes,
  outputTokenCount: number | null | undefined,
): Times => {
  const times: Times = { duration: Math.max(0, endedAt - startedAt) / 1000 }
  if (firstAt !== undefined) times.ttFirstToken = Math.max(0, firstAt - startedAt)
  if (outputTokenCount != null && times.duration > 0)
    times.tokenThroughputInSeconds = outputTokenCount / times.duration
  return times
}
