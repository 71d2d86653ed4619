import type { LineageRow, Rollout, Segment } from '../../storage/prompts.js'

/** Returns the weights of versions. Until a split is stored, version 0 gets all calls. */
export const rolloutsOf = (lineage: LineageRow): Rollout[] =>
  lineage.rollouts ?? [{ version: 0, rollout: 100 }]

/** Number of equal parts that the calls of a prompt are divided into. */
export const PARTS = 1_000_000

/** Returns the segments of a prompt in order; they cover all parts. */
export const segmentsOf = (lineage: LineageRow): Segment[] =>
  lineage.segments ?? resplit([], rolloutsOf(lineage))

/** Returns the version that has a part. */
export const versionAt = (segments: readonly Segment[], part: number): number =>
  segments.find(({ to }) => part < to)?.version ?? 0

/** Draws a version; its probability is its share of the sum of all weights. */
export const draw = (segments: readonly Segment[], random: () => number = Math.random): number =>
  versionAt(segments, Math.floor(random() * PARTS))

/**
 * Splits the parts again. A version that keeps or gains weight keeps all its parts; one that loses weight gives up
 * parts at its end, and no more than it has to: a caller who stays with a part seldom changes versions.
 */
export const resplit = (before: readonly Segment[], rollouts: readonly Rollout[]): Segment[] => {
  const wanted = partsOf(rollouts)
  const kept: Segment[] = []
  const free: Segment[] = before.length === 0 ? [{ version: 0, from: 0, to: PARTS }] : []
  for (const { version, from, to } of before) {
    const end = from + Math.min(to - from, wanted.get(version) ?? 0)
    wanted.set(version, (wanted.get(version) ?? 0) - (end - from))
    if (end > from) kept.push({ version, from, to: end })
    if (to > end) free.push({ version, from: end, to })
  }
  for (const [version, count] of wanted)
    for (let left = count; left > 0; ) {
      const piece = free.shift() as Segment
      const end = Math.min(piece.to, piece.from + left)
      kept.push({ version, from: piece.from, to: end })
      left -= end - piece.from
      if (end < piece.to) free.unshift({ ...piece, from: end })
    }
  return joined(kept.sort((a, b) => a.from - b.from))
}

/** Returns the number of parts of each version; the parts left by rounding go to the versions that lost most by it. */
const partsOf = (rollouts: readonly Rollout[]): Map<number, number> => {
  const total = rollouts.reduce((sum, { rollout }) => sum + rollout, 0)
  const shares = rollouts
    .map(({ version, rollout }) => ({ version, exact: (rollout / total) * PARTS }))
    .sort((a, b) => a.version - b.version)
  const parts = new Map(shares.map(({ version, exact }) => [version, Math.floor(exact)]))
  const left = PARTS - [...parts.values()].reduce((sum, count) => sum + count, 0)
  const byLoss = shares.toSorted((a, b) => (b.exact % 1) - (a.exact % 1))
  for (const { version } of byLoss.slice(0, left)) parts.set(version, (parts.get(version) ?? 0) + 1)
  return parts
}

/** Joins adjacent segments of one version. */
const joined = (segments: readonly Segment[]): Segment[] => {
  const result: Segment[] = []
  for (const segment of segments) {
    const last = result.at(-1)
    if (last !== undefined && last.version === segment.version) last.to = segment.to
    else result.push({ ...segment })
  }
  return result
}

/** Returns the reason against a split; null for a valid one. */
export const splitProblem = (
  rollouts: readonly Rollout[],
  versions: ReadonlySet<number>,
): { errorCode: string; message: string } | null => {
  const seen = new Set<number>()
  for (const [index, { version, rollout }] of rollouts.entries()) {
    if (!versions.has(version))
      return {
        errorCode: 'UNKNOWN_VERSION',
        message: `rollouts[${index}].version: the prompt has no version ${version}`,
      }
    if (seen.has(version))
      return {
        errorCode: 'DUPLICATE_VERSION',
        message: `rollouts[${index}].version: ${version} is given twice`,
      }
    if (!(rollout >= 0 && Number.isFinite(rollout)))
      return {
        errorCode: 'INVALID_ROLLOUT',
        message: `rollouts[${index}].rollout: expected 0 or more, got ${rollout}`,
      }
    seen.add(version)
  }
  if (!Number.isFinite(rollouts.reduce((sum, { rollout }) => sum + rollout, 0)))
    return { errorCode: 'INVALID_ROLLOUT', message: 'rollouts: expected weights with a finite sum' }
  return rollouts.some(({ rollout }) => rollout > 0)
    ? null
    : { errorCode: 'INVALID_ROLLOUT', message: 'rollouts: expected at least one weight above 0' }
}
