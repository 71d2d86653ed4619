/** The share of a prompt's calls that a version gets, in percent: in hundredths of it where a split has parts of one. */
export interface Share {
  version: number
  percent: number
  isLocked?: boolean
}

const WHOLE = 100
const HUNDREDTH = 0.01

/** Returns percentages of weights, which always sum to 100: the largest remainders are rounded up. */
export const shares = (rollouts: readonly { version: number; rollout: number }[]): Share[] => {
  const sum = rollouts.reduce((all, { rollout }) => all + rollout, 0)
  if (!(sum > 0)) return rollouts.map(({ version }) => ({ version, percent: 0 }))
  return rounded(
    rollouts.map(({ version, rollout }) => ({ version, percent: (rollout / sum) * WHOLE })),
    WHOLE,
    HUNDREDTH,
  )
}

/** Rounds to whole units. A version with calls keeps one at least while there is one: 0 would say that it gets none. */
const rounded = (exact: readonly Share[], whole: number, unit: number): Share[] => {
  const wanted = exact.map(({ percent }) => percent / unit)
  const units = wanted.map((one) => (one > 0 ? Math.max(1, Math.floor(one + 1e-6)) : 0))
  let left = inUnits(whole, unit) - units.reduce((sum, one) => sum + one, 0)
  const byRemainder = wanted
    .map((one, index) => ({ index, remainder: one - (units[index] ?? 0) }))
    .sort((a, b) => b.remainder - a.remainder || a.index - b.index)
  for (const { index } of byRemainder) {
    if (left <= 0) break
    units[index] = (units[index] ?? 0) + 1
    left--
  }
  for (; left < 0; left++) {
    const most = units.indexOf(Math.max(...units))
    units[most] = (units[most] ?? 0) - 1
  }
  return exact.map((share, index) => ({ ...share, percent: ofUnits(units[index] ?? 0, unit) }))
}

const inUnits = (percent: number, unit: number): number => Math.round(percent / unit)

/** Divides, as a product of hundredths would show digits of its own. */
const ofUnits = (units: number, unit: number): number => units / Math.round(1 / unit)

/** Returns the sum of percentages, without the digits that adding them makes up. */
export const sumOf = (all: readonly Share[]): number =>
  ofUnits(
    all.reduce((sum, { percent }) => sum + inUnits(percent, HUNDREDTH), 0),
    HUNDREDTH,
  )

/**
 * Changes the share of a version. The other unlocked ones change in proportion to their shares, evenly when they
 * had nothing; the sum stays 100, so that a version never gets more than the locked ones leave.
 */
export const moved = (all: readonly Share[], version: number, wanted: number): Share[] => {
  const locked = all.filter((share) => share.isLocked && share.version !== version)
  const free = all.filter((share) => !share.isLocked && share.version !== version)
  const isWhole = [wanted, ...all.map(({ percent }) => percent)].every(Number.isInteger)
  const unit = isWhole ? 1 : HUNDREDTH
  const room = inUnits(WHOLE - sumOf(locked), unit)
  const units = free.length === 0 ? room : Math.max(0, Math.min(room, inUnits(wanted, unit)))
  const mine = ofUnits(units, unit)
  const rest = ofUnits(room - units, unit)
  const had = sumOf(free)
  const others = rounded(
    free.map((share) => ({
      ...share,
      percent: had > 0 ? (share.percent / had) * rest : rest / free.length,
    })),
    rest,
    unit,
  )
  return all.map((share) =>
    share.version === version
      ? { ...share, percent: mine }
      : (others.find((other) => other.version === share.version) ?? share),
  )
}
