import type { Instant } from '../../kernel/instant.js'
import type { Range } from '../../storage/metrics.js'
import { after, type Span } from '../../storage/rollups/spans.js'

/** Returns the range of a span, with everything that is in it. */
export const rangeOfSpan = (start: Instant, seconds: number): Range => ({
  from: start,
  to: after(start, seconds),
  bucketSeconds: seconds,
  environment: null,
  participantId: null,
  excludeExperiments: false,
})

/**
 * Adds up the shorter spans of a longer one, by each property whose spans leave the same gaps as those of the first, which is that
 * of all rows.
 */
export const sumShorter = async <Dimension, Item, Sums extends { add(item: Item): unknown }>(
  dimensions: Iterable<Dimension>,
  findParts: (dimension: Dimension) => Promise<{ parts: readonly { item: Item }[]; gaps: Span[] }>,
  nothing: () => Sums,
): Promise<{ sums: Map<Dimension, Sums>; gaps: Span[] }> => {
  const sums = new Map<Dimension, Sums>()
  let common: Span[] | undefined
  for (const dimension of dimensions) {
    const { parts, gaps } = await findParts(dimension)
    common ??= gaps
    if (JSON.stringify(gaps) !== JSON.stringify(common)) continue
    const own = nothing()
    for (const { item } of parts) own.add(item)
    sums.set(dimension, own)
  }
  return { sums, gaps: common ?? [] }
}
