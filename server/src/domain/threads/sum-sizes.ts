import type { PortionSize } from '../erasure/portion-size.js'

/** Amounts that are summed up at once. Others wait for each statement, on the embedded engine all of them. */
export interface SumSizes {
  /** Threads that are read together. */
  threads: number
  /** The steps of these. A thread with more of them is large, and read in portions. */
  steps: number
  /** Steps of a large thread that are read together. */
  portion: ConstructorParameters<typeof PortionSize>[0]
  /** Time that a large thread rests in the background, as a multiple of the time that its sums took. */
  restFactor: number
}

export const SUM_SIZES: SumSizes = {
  threads: 100,
  steps: 2000,
  portion: { most: 2000, least: 250, shortMs: 0, longMs: 60 },
  restFactor: 9,
}

/** Times that a thread is looked at whose prices and notes others change meanwhile. Then it keeps its mark. */
export const MAX_ROUNDS = 4
