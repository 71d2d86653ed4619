import { expect, test } from 'vitest'
import { createClock } from '../src/kernel/instant.js'

test('moments are each later than the one before, also while the time is put back by moments', () => {
  let time = Date.parse('2026-11-23T12:00:00Z')
  const clock = createClock(() => time)
  const first = [clock(), clock()]
  time -= 5000
  const moments = [...first, clock(), clock()]
  expect(moments).toEqual(moments.toSorted())
  expect(new Set(moments).size).toBe(4)
  expect(first[0]).toBe('2026-11-23T12:00:00.000000Z')
})

test('a time that was days ahead and is put right is followed, and nothing more is dated or judged by the wrong one', () => {
  let time = Date.parse('2026-11-23T12:00:00Z')
  const clock = createClock(() => time)
  time += 10 * 86_400_000
  expect(clock()).toBe('2026-12-03T12:00:00.000000Z')
  time -= 10 * 86_400_000
  expect(clock()).toBe('2026-11-23T12:00:00.000000Z')
})
