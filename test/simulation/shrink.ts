import type { Schedule } from './schedule.js'
import { Simulation } from './simulation.js'

/** What is wrong with a schedule; undefined when nothing is. */
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

/** Leaves actions out as long as something is still wrong. */
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
      if (found === undefined) index += size
      else {
        smallest = candidate
        failure = found
      }
    }
  return { schedule: smallest, failure }
}
