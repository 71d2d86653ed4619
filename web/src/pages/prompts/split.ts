/** The share of a prompt's calls that a version gets, in whole percent. */
export interface Share {
  version: number
  percent: number
  isLocked?: boolean
}

const WHOLE = 100

/** Returns whole percentages of weights, which always sum to 100: the largest remainders are rounded up. */
export const shares = (rollouts: readonly { version: number; rollout: number }[]): Share[] => {
  const sum = rollouts.reduce((all, { rollout }) => all + rollout, 0)
  if (!(sum > 0)) return rollouts.map(({ version }) => ({ version, percent: 0 }))
  return rounded(
    rollouts.map(({ version, rollout }) => ({ version, percent: (rollout / sum) * WHOLE })),
    WHOLE,
  )
}

const rounded = (exact: readonly Share[], whole: number): Share[] => {
  const floors = exact.map((share) => ({ ...share, percent: Math.floor(share.percent + 1e-9) }))
  let left = whole - floors.reduce((sum, { percent }) => sum + percent, 0)
  const byRemainder = exact
    .map(({ percent }, index) => ({ index, remainder: percent - Math.floor(percent + 1e-9) }))
    .sort((a, b) => b.remainder - a.remainder || a.index - b.index)
  for (const { index } of byRemainder) {
    if (left <= 0) break
    const share = floors[index]
    if (share !== undefined) share.percent++
    left--
  }
  return floors
}

/**
 * Changes the share of a version. The other unlocked ones change in proportion to their shares, evenly when they
 * had nothing; the sum stays 100, so that a version never gets more than the locked ones leave.
 */
export const moved = (all: readonly Share[], version: number, wanted: number): Share[] => {
  const locked = all.filter((share) => share.isLocked && share.version !== version)
  const free = all.filter((share) => !share.isLocked && share.version !== version)
  const room = WHOLE - locked.reduce((sum, { percent }) => sum + percent, 0)
  const mine = free.length === 0 ? room : Math.max(0, Math.min(room, Math.round(wanted)))
  const rest = room - mine
  const had = free.reduce((sum, { percent }) => sum + percent, 0)
  const others = rounded(
    free.map((share) => ({
      ...share,
      percent: had > 0 ? (share.percent / had) * rest : rest / free.length,
    })),
    rest,
  )
  return all.map((share) =>
    share.version === version
      ? { ...share, percent: mine }
      : (others.find((other) => other.version === share.version) ?? share),
  )
}
