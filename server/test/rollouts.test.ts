import fc from 'fast-check'
import { expect, test } from 'vitest'
import { PARTS, resplit, versionAt } from '../src/domain/prompts/rollouts.js'
import type { Segment } from '../src/storage/prompts.js'

const weights = fc
  .uniqueArray(fc.integer({ min: 0, max: 6 }), { minLength: 1, maxLength: 6 })
  .chain((versions) =>
    fc
      .array(
        fc.oneof(fc.integer({ min: 0, max: 100 }), fc.double({ min: 0, max: 1, noNaN: true })),
        {
          minLength: versions.length,
          maxLength: versions.length,
        },
      )
      .filter((list) => list.some((weight) => weight > 1e-3))
      .map((list) =>
        versions.map((version, index) => ({ version, rollout: list[index] as number })),
      ),
  )

const owned = (segments: readonly Segment[]): Map<number, number> => {
  const parts = new Map<number, number>()
  for (const { version, from, to } of segments)
    parts.set(version, (parts.get(version) ?? 0) + to - from)
  return parts
}

/** Counts the parts that have another version in one split than in the other. */
const moved = (before: readonly Segment[], after: readonly Segment[]): number => {
  const borders = [...new Set([...before, ...after].flatMap(({ from, to }) => [from, to]))].sort(
    (a, b) => a - b,
  )
  return borders
    .slice(0, -1)
    .map((from, index) =>
      versionAt(before, from) === versionAt(after, from)
        ? 0
        : (borders[index + 1] as number) - from,
    )
    .reduce((sum, count) => sum + count, 0)
}

test('after any earlier splits, segments cover all parts once and give each version its share', () => {
  fc.assert(
    fc.property(fc.array(weights, { minLength: 1, maxLength: 8 }), (splits) => {
      let segments: Segment[] = []
      for (const split of splits) {
        segments = resplit(segments, split)
        expect(segments[0]?.from).toBe(0)
        expect(segments.at(-1)?.to).toBe(PARTS)
        for (const [index, { from, to }] of segments.entries()) {
          expect(to).toBeGreaterThan(from)
          if (index > 0) expect(from).toBe(segments[index - 1]?.to)
        }
        const total = split.reduce((sum, { rollout }) => sum + rollout, 0)
        const parts = owned(segments)
        for (const { version, rollout } of split)
          expect(Math.abs((parts.get(version) ?? 0) - (rollout / total) * PARTS)).toBeLessThan(
            1.001,
          )
      }
    }),
  )
})

test('a new split moves exactly the parts that some version loses', () => {
  fc.assert(
    fc.property(fc.array(weights, { minLength: 2, maxLength: 8 }), (splits) => {
      let before = resplit([], splits[0] as (typeof splits)[0])
      for (const split of splits.slice(1)) {
        const after = resplit(before, split)
        const had = owned(before)
        const has = owned(after)
        const lost = [...had].map(([version, parts]) =>
          Math.max(0, parts - (has.get(version) ?? 0)),
        )
        expect(moved(before, after)).toBe(lost.reduce((sum, count) => sum + count, 0))
        before = after
      }
    }),
  )
})

test('repeating a split moves nothing', () => {
  fc.assert(
    fc.property(weights, (split) => {
      const segments = resplit([], split)
      expect(resplit(segments, split)).toEqual(segments)
    }),
  )
})
