/** The share of cases that a property is tried on: a fifth in CI, all in a run at night. A cluster takes several times as long. */
const share = Number(process.env.STEPWELL_RUNS ?? (process.env.STEPWELL_TEST_WORKERS ? 0.03 : 0.1))

/**
 * Returns how many cases a property whose cases are dear is tried on, of so many. Cases are new in every run, so that all
 * runs together try as many as before, and each takes less time.
 */
export const runs = (count: number): number => Math.max(3, Math.ceil(count * share))
