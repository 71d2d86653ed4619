import type { LineageRow, Rollout } from '../storage/prompts.js'

/** Until somebody splits the calls, version 0 gets them all. */
export const rolloutsOf = (lineage: LineageRow): Rollout[] =>
  lineage.rollouts ?? [{ version: 0, rollout: 100 }]

/** Draws a version; its probability is its part of the sum of all weights. */
export const draw = (rollouts: readonly Rollout[], random: () => number = Math.random): number => {
  const total = rollouts.reduce((sum, { rollout }) => sum + rollout, 0)
  let rest = random() * total
  for (const { version, rollout } of rollouts) {
    if (rest < rollout) return version
    rest -= rollout
  }
  // Rounding may leave a trace at the end: the last version that has a weight.
  return rollouts.findLast(({ rollout }) => rollout > 0)?.version ?? 0
}

/** Why calls can't be split like this; null when they can. */
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
