/**
 * Returns where a function crosses 0 between two places, at which its values have different signs.
 *
 * Source: Chandrupatla, "A new hybrid quadratic/bisection algorithm", Advances in Engineering Software 28 (1997).
 */
export const crossing = (
  valueAt: (place: number) => number,
  from: number,
  to: number,
  tolerance: number,
): number => {
  let newest = to
  let other = from
  let oldest = from
  let newestValue = valueAt(newest)
  let otherValue = valueAt(other)
  let oldestValue = otherValue
  let share = 0.5
  for (let step = 0; step < 100; step++) {
    const place = newest + share * (other - newest)
    const value = valueAt(place)
    oldest = newest
    oldestValue = newestValue
    if (Math.sign(value) !== Math.sign(newestValue)) {
      oldest = other
      oldestValue = otherValue
      other = newest
      otherValue = newestValue
    }
    newest = place
    newestValue = value
    const nearest = Math.abs(newestValue) < Math.abs(otherValue) ? newest : other
    const least = tolerance / Math.abs(other - newest)
    if (newestValue === 0 || otherValue === 0 || least > 0.5) return nearest
    const x = (newest - other) / (oldest - other)
    const y = (newestValue - otherValue) / (oldestValue - otherValue)
    share = 0.5
    if (1 - Math.sqrt(1 - x) < y && y < Math.sqrt(x))
      share =
        (newestValue / (otherValue - newestValue)) * (oldestValue / (otherValue - oldestValue)) +
        (((oldest - newest) / (other - newest)) *
          (newestValue / (oldestValue - newestValue)) *
          otherValue) /
          (oldestValue - otherValue)
    share = Math.min(1 - least, Math.max(least, share))
  }
  return newest
}
