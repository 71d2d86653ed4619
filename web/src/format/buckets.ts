const DAY_SECONDS = 86_400

/** Lengths of buckets that have a name, in seconds. */
const LENGTHS = [
  1,
  5,
  10,
  30,
  60,
  300,
  600,
  900,
  1800,
  3600,
  7200,
  10_800,
  21_600,
  43_200,
  DAY_SECONDS,
  2 * DAY_SECONDS,
  7 * DAY_SECONDS,
]

const MOST_BUCKETS = 60
const FEWEST_BUCKETS = 20
const BUCKETS = 48

/** Returns the number of buckets that makes each as long as a unit of time, if one divides the range. */
export const bucketsOf = (seconds: number): number => {
  const counts = LENGTHS.map((length) => seconds / length)
  return (
    counts.find(
      (count) => Number.isInteger(count) && count <= MOST_BUCKETS && count >= FEWEST_BUCKETS,
    ) ??
    // A bucket has a millisecond at least.
    Math.max(1, Math.min(BUCKETS, Math.floor(seconds * 1000)))
  )
}

/** Above this number a larger unit says more, even if only about. */
const MOST_OF_A_UNIT = 120

const UNITS = [
  ['year', 365.25 * DAY_SECONDS],
  ['week', 7 * DAY_SECONDS],
  ['day', DAY_SECONDS],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
  ['millisecond', 0.001],
] as const

/** Names the length of a bucket: `hour`, `3 hours`; about so long when no unit fits. */
export const lengthName = (seconds: number): string => {
  for (const [unit, size] of UNITS) {
    const count = seconds / size
    if (Number.isInteger(count) && count <= MOST_OF_A_UNIT)
      return count === 1 ? unit : `${count} ${unit}s`
  }
  const [unit, size] = UNITS.find(([, length]) => seconds >= 2 * length) ?? ['millisecond', 0.001]
  return `≈ ${Number((seconds / size).toPrecision(2))} ${unit}s`
}
