import { day, hourAndMinute, year } from '../format/time.js'

const DAY_SECONDS = 86_400
const MAX_LINES = 4

/**
 * Returns the labels of a time axis: days as days, and hours with their day where a new one begins. A year that is not
 * the present one is named where it begins.
 */
export const timeLabels = (
  ticks: readonly number[],
  stepSeconds: number,
  now = new Date(),
): string[] => {
  let before = ''
  let yearBefore = year(now.toISOString())
  return ticks.map((tick) => {
    const iso = new Date(tick * 1000).toISOString()
    const date = day(iso)
    const isNewYear = year(iso) !== yearBefore
    yearBefore = year(iso)
    if (stepSeconds >= DAY_SECONDS) return isNewYear ? `${date}\n${year(iso)}` : date
    const isNew = date !== before
    before = date
    if (!isNew) return hourAndMinute(iso)
    return `${hourAndMinute(iso)}\n${date}${isNewYear ? ` ${year(iso)}` : ''}`
  })
}

/** Returns the lines of a logarithmic axis, four at most: powers of ten, and fives between them if there is room. */
export const logTicks = (least: number, most: number): number[] => {
  const [from, to] = [Math.floor(Math.log10(least)), Math.ceil(Math.log10(most))]
  const powers = Array.from({ length: to - from + 1 }, (_, index) => 10 ** (from + index))
  const inside = (ticks: readonly number[]) =>
    ticks.filter((tick) => tick >= least * 0.999 && tick <= most * 1.001)
  const fine = inside(powers.flatMap((power) => [power, 5 * power]))
  if (fine.length <= MAX_LINES) return fine
  const coarse = inside(powers)
  const every = Math.ceil(coarse.length / MAX_LINES)
  return coarse.filter((_, index) => index % every === 0)
}
