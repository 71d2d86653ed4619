import { expect, test } from 'vitest'
import { newSchedule } from './simulation/schedule.js'
import { failureOf } from './simulation/shrink.js'

/** `.ci/run` tries a hundred thousand more: `node scripts/run.js test/simulation/run.ts --schedules 100000`. */
const SCHEDULES = 1500

test('whatever happens to clients, service and disk, the invariants of recording hold', async () => {
  for (let seed = 1; seed <= SCHEDULES; seed++)
    expect(await failureOf(newSchedule(seed)), `seed ${seed}`).toBeUndefined()
})

test('a schedule runs the same way each time', async () => {
  const texts = Array.from({ length: 20 }, (_, seed) => JSON.stringify(newSchedule(seed)))
  expect(Array.from({ length: 20 }, (_, seed) => JSON.stringify(newSchedule(seed)))).toEqual(texts)
})
