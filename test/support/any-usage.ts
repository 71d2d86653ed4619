import fc from 'fast-check'
import { PARTS, type Part, usageOf } from '../../src/model-calls/usage/usage.js'

const parts = fc.record(
  Object.fromEntries(PARTS.map((part) => [part, fc.nat({ max: 50 })])) as Record<
    Part,
    fc.Arbitrary<number>
  >,
  { requiredKeys: [] },
)

/** Any usage of the algebra: each part known or not, and perhaps a total beyond them. */
export const anyUsage = fc
  .tuple(parts, fc.option(fc.nat({ max: 700 }), { nil: undefined }))
  .map(([known, total]) => usageOf(known, total))
  .filter((usage) => usage !== undefined)
