import type { Schedule } from './schedule.js'
import { Simulation } from './simulation.js'

/** Returns the failure of a schedule; undefined when it succeeds. */
export const failureOf = async (schedule: Schedule): Promise<string | undefined> => {
  try {
    await new Simulation(schedule).run()
    return undefined
  } catch (error) {
    return error instanceof Error && error.constructor.name !== 'Violation'
      ? String(error.stack)
      : String(error)
  }
}

/** Failures are of one kind when they differ in numbers only. */
const kindOf = (failure: string | undefined): string | undefined => failure?.replace(/[\d.,]+/g, '')

/** Removes actions as long as the same failure remains. */
export const shrunk = async (
  schedule: Schedule,
): Promise<{ schedule: Schedule; failure: string | undefined }> => {
  let smallest = schedule
  let failure = await failureOf(schedule)
  for (let size = schedule.actions.length >> 1; size >= 1; size = size === 1 ? 0 : size >> 1)
    for (let index = 0; index < smallest.actions.length; ) {
      const actions = smallest.actions.toSpliced(index, size)
      const candidate = { ...smallest, actions }
      const found = await failureOf(candidate)
      if (kindOf(found) !== kindOf(failure)) index += size
      else {
        smallest = candidate
        failure = found
      }
    }
  return { schedule: smallest, failure }
}
