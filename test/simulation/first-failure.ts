import { newSchedule } from './schedule.js'
import { failureOf } from './shrink.js'

/** Runs schedules from the first seed on until one fails; undefined when none does. */
export const firstFailure = async (
  most: number,
): Promise<{ schedules: number; failure: string } | undefined> => {
  for (let seed = 1; seed <= most; seed++) {
    const failure = await failureOf(newSchedule(seed))
    if (failure !== undefined) return { schedules: seed, failure }
  }
  return undefined
}
