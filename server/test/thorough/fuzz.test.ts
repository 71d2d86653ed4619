import { expect, test } from 'vitest'
import { Dice } from '../support/fuzz.js'
import { fuzz } from '../support/fuzzed.js'

// The seed is different each time; a failure names it, so that it can be repeated. bench/fuzz.ts sends 200,000.
// Requests are processed alike on every engine, so a server gets a sample.
const REQUESTS = process.env.STEPWELL_TEST_DATABASE ? 1000 : 3000
const seed = Number(process.env.STEPWELL_FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 31))

test(`${REQUESTS} generated requests (seed ${seed}) cause no fault, no hang and return no foreign data`, async () => {
  const { faults, answers } = await fuzz(seed, REQUESTS)
  expect(faults.slice(0, 3)).toEqual([])
  // At least some of each kind are accepted. An upload is accepted only if it was announced before.
  for (const kind of ['document', 'list', 'ingestion', 'rest'])
    expect(answers.get(`${kind} 200`), kind).toBeGreaterThan(0)
})

test('the same seed gives the same numbers', () => {
  const numbers = (from: number) => {
    const dice = new Dice(from)
    return Array.from({ length: 5 }, () => dice.next())
  }
  expect(numbers(7)).toEqual(numbers(7))
  expect(numbers(7)).not.toEqual(numbers(8))
})
