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

/** Failures are of one kind where they differ in numbers alone. */
const kindOf = (failure: string | undefined): string | undefined => failure?.replace(/[\d.,]+/g, '')

/** Leaves actions out as long as the same is still wrong. */
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
