import { toIso } from '../values/clock.js'
import type { Json } from './json.js'

/** One attempt at a model call. */
export interface Attempt {
  /** Milliseconds since 1970. */
  startedAt: number
  endedAt?: number
  status?: number
  error?: unknown
}

/** Returns attempts as the step's metadata show them. */
export const attemptsShown = (attempts: readonly Attempt[]): Json[] =>
  attempts.map(({ startedAt, endedAt, status, error }) => ({
    startTime: toIso(startedAt),
    ...(endedAt === undefined ? {} : { endTime: toIso(endedAt) }),
    ...(status === undefined ? {} : { status }),
    ...(error === undefined ? {} : { error: String(error) }),
  }))
