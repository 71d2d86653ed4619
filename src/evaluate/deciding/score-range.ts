import { invalidArgument } from '../../errors.js'
import type { DecideOptions } from './decide-options.js'
import type { EvalResult } from './results.js'

/** Returns the error of a score outside the range of the one that decides; `undefined` when there is none. */
export const outOfRange = (
  decide: DecideOptions | undefined,
  scores: readonly { name: string; value: number }[],
): string | undefined => {
  if (decide?.range === undefined) return undefined
  const { low, high } = decide.range
  const isOutside = scores.some(
    ({ name, value }) => name === decide.metric && (value < low || value > high),
  )
  return isOutside
    ? `${decide.metric}: expected a score from ${low} to ${high}, the range of decide`
    : undefined
}

/** Checks stored scores. @throws `INVALID_ARGUMENT` when one is outside the range. */
export const checkRange = (decide: DecideOptions, results: readonly EvalResult[]): void => {
  for (const { key, scores } of results) {
    const problem = outOfRange(decide, scores)
    if (problem !== undefined) throw invalidArgument(`${problem}; the stored one of ${key} is not`)
  }
}
