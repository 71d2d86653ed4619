// Student's t distribution by the incomplete beta function: its continued fraction (NIST Digital Library of Mathematical
// Functions, 8.17.22) by Lentz's method, and log Γ by Stirling's series (5.11.1) after a shift upwards.

/** Returns log Γ(x) for x above 0, to 13 digits. */
export const logGamma = (x: number): number => {
  let shift = 0
  let at = x
  for (; at < 16; at++) shift += Math.log(at)
  const square = 1 / (at * at)
  const series =
    1 / 12 - square * (1 / 360 - square * (1 / 1260 - square * (1 / 1680 - square / 1188)))
  return (at - 0.5) * Math.log(at) - at + 0.5 * Math.log(2 * Math.PI) + series / at - shift
}

const TINY = 1e-300

/** Returns the share of a beta distribution below x. */
export const betaBelow = (x: number, a: number, b: number): number => {
  if (x <= 0) return 0
  if (x >= 1) return 1
  // The fraction converges fast below the mean alone.
  return x > (a + 1) / (a + b + 2) ? 1 - betaByFraction(1 - x, b, a) : betaByFraction(x, a, b)
}

const betaByFraction = (x: number, a: number, b: number): number => {
  const front = Math.exp(
    logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x),
  )
  let c = 1
  let d = 1 / nonZero(1 - ((a + b) * x) / (a + 1))
  let fraction = d
  for (let step = 1; step < 500; step++) {
    const even = (step * (b - step) * x) / ((a + 2 * step - 1) * (a + 2 * step))
    d = 1 / nonZero(1 + even * d)
    c = nonZero(1 + even / c)
    fraction *= d * c
    const odd = (-(a + step) * (a + b + step) * x) / ((a + 2 * step) * (a + 2 * step + 1))
    d = 1 / nonZero(1 + odd * d)
    c = nonZero(1 + odd / c)
    fraction *= d * c
    if (Math.abs(d * c - 1) < 1e-14) break
  }
  return (front * fraction) / a
}

const nonZero = (value: number): number => (Math.abs(value) < TINY ? TINY : value)

// The normal distribution is as near as 7 digits here, and log Γ has no more of them beyond.
const MAX_DEGREES = 1e7

/** Returns the share of Student's t distribution above t. */
export const studentAbove = (t: number, degrees: number): number => {
  if (t < 0) return 1 - studentAbove(-t, degrees)
  if (t === Number.POSITIVE_INFINITY) return 0
  const most = Math.min(degrees, MAX_DEGREES)
  return betaBelow(most / (most + t * t), most / 2, 0.5) / 2
}

/** Returns the t that a share of Student's t distribution is above; for shares up to a half. */
export const studentQuantile = (above: number, degrees: number): number => {
  let low = 0
  let high = 2
  while (studentAbove(high, degrees) > above && high < 1e12) high *= 2
  for (let step = 0; step < 100 && high - low > 1e-13 * high; step++) {
    const middle = (low + high) / 2
    if (studentAbove(middle, degrees) > above) low = middle
    else high = middle
  }
  return (low + high) / 2
}

/** Returns the share of the normal distribution above a value. */
export const normalAbove = (value: number): number => studentAbove(value, MAX_DEGREES)
