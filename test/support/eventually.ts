import { vi } from 'vitest'

/** Resolves once a check no longer throws. Waits far longer than an idle machine needs: a busy one must not fail a test. */
export const eventually = <Result>(check: () => Result | Promise<Result>): Promise<Result> =>
  vi.waitFor(check, { timeout: 120_000, interval: 20 })
