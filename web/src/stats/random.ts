import { random } from '../../../src/statistics/numbers/random.js'

/** Shuffles items: the same order for the same seed. */
export const shuffled = <T>(items: readonly T[], seed: number): T[] => {
  const next = random(seed)
  return items
    .map((item) => ({ item, place: next() }))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item)
}
