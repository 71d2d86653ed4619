import { newSchedule } from './schedule.js'
import { failureOf } from './shrink.js'

export const failureOfSeed = (seed: number): Promise<string | undefined> =>
  failureOf(newSchedule(seed))

/** Runs schedules from the first seed on until one fails; returns undefined when none does. */
export const firstFailure = async (
  most: number,
): Promise<{ seed: number; failure: string } | undefined> => {
  for (let seed = 1; seed <= most; seed++) {
    const failure = await failureOfSeed(seed)
    if (failure !== undefined) return { seed, failure }
  }
  return undefined
}
