// Computes the fewest items that any design can take for a difference which a test of all items finds four times out of five,
// beside those of ours: for sums of very many items, looked at twenty times, with a risk of 2.5 in 100 on each side.
//
//   node scripts/run.js bench/decide-bounds.ts
import { boundariesOf, LOOKS } from '../src/statistics/sequential/boundaries.js'
import { chanceOfUpper } from '../src/statistics/sequential/walk.js'

const RISK = 0.025
/** The mean of the sum at the end, in its deviations: found four times out of five. */
const PLANNED = 1.959964 + 0.841621

interface Design {
  upper: number[]
  lower: number[]
}

/** The mean share of the items that a design takes, and its chance to find the difference. */
const measure = ({ upper, lower }: Design, drift: number) => {
  let items = 0
  for (let look = 0; look < LOOKS; look++) {
    // Both ends of the walk up to this look: it goes on otherwise.
    const so = { upper: upper.slice(0, look), lower: lower.slice(0, look) }
    items += look === 0 ? 1 : 1 - endsBy(so, drift)
  }
  return { items: items / LOOKS, found: stretched({ upper, lower }, drift) }
}

/** The chance that the walk has ended on either side. */
const endsBy = (design: Design, drift: number): number =>
  stretched(design, drift) +
  stretched(
    { upper: design.lower.map((one) => 0 - one), lower: design.upper.map((one) => 0 - one) },
    0 - drift,
  )

/** The chance above, of limits at the first looks alone: time is stretched so that they end at 1. */
const stretched = ({ upper, lower }: Design, drift: number): number => {
  const share = upper.length / LOOKS
  const scale = 1 / Math.sqrt(share)
  const limits = { upper: upper.map((one) => one * scale), lower: lower.map((one) => one * scale) }
  return chanceOfUpper(limits, drift * Math.sqrt(share))
}

/** The design with the fewest items for costs of a miss and of a false find: computed backwards from the end. */
const bestFor = (miss: number, falseFind: number): Design => {
  const step = 1 / LOOKS
  const width = 0.025
  const from = -5
  const places = 480
  const at = (place: number) => from + place * width
  const deviation = Math.sqrt(step)
  const reach = Math.ceil((7 * deviation) / width)
  const weights = Array.from({ length: 2 * reach + 1 }, (_, index) =>
    Math.exp(-0.5 * (((index - reach) * width - PLANNED * step) / deviation) ** 2),
  )
  const total = weights.reduce((sum, one) => sum + one, 0)
  // Under no difference, a path is as likely as this many under the planned one.
  const odds = (place: number, time: number) =>
    Math.exp(-PLANNED * at(place) + (PLANNED * PLANNED * time) / 2)
  const stop = (place: number, time: number) => Math.min(falseFind * odds(place, time), miss)
  let cost = Array.from({ length: places }, (_, place) => stop(place, 1))
  const last = (PLANNED * PLANNED) / 2 / PLANNED - Math.log(miss / falseFind) / PLANNED
  const upper = [last]
  const lower = [last]
  for (let look = LOOKS - 1; look >= 1; look--) {
    const time = look * step
    const later = cost
    let lowest = Number.NaN
    let highest = Number.NaN
    cost = later.map((_, place) => {
      let sum = 0
      for (const [index, weight] of weights.entries()) {
        const next = place + index - reach
        sum += weight * (later[next] ?? stop(next, time + step))
      }
      const goesOn = step + sum / total
      if (goesOn < stop(place, time)) {
        if (Number.isNaN(lowest)) lowest = at(place)
        highest = at(place)
      }
      return Math.min(goesOn, stop(place, time))
    })
    upper.unshift(highest + width / 2)
    lower.unshift(lowest - width / 2)
  }
  return { upper, lower }
}

/** Finds the best design of a power by its costs. */
const bestOf = (power: number): Design => {
  let miss = 2
  let falseFind = 4
  for (let round = 0; round < 6; round++) {
    falseFind = between(0.3, 300, (one) => stretched(bestFor(miss, one), 0) > RISK)
    miss = between(0.1, 30, (one) => stretched(bestFor(one, falseFind), PLANNED) < power)
  }
  return bestFor(miss, falseFind)
}

/** Returns where a condition that holds for small values ends to hold. */
const between = (from: number, to: number, holds: (value: number) => boolean): number => {
  let low = from
  let high = to
  while (high / low > 1.001) {
    const middle = Math.sqrt(low * high)
    if (holds(middle)) low = middle
    else high = middle
  }
  return high
}

/** Wald's approximation of the fewest items of a test without an end, as a share of those of the test of one size. */
const waldOf = (power: number): number => {
  const found = Math.log(power / RISK)
  const missed = Math.log((1 - power) / (1 - RISK))
  return (2 * (power * found + (1 - power) * missed)) / PLANNED ** 2
}

const percent = (share: number) => `${(100 * share).toFixed(1)} %`
const line = (cells: readonly string[]) => console.log(`| ${cells.join(' | ')} |`)
line([
  'power',
  'of the test of all items',
  'at the difference',
  'half of it',
  'none',
  'without an end',
])
const show = (design: Design, name?: string) => {
  const { items, found } = measure(design, PLANNED)
  line([
    name ?? percent(found),
    percent(found / 0.8),
    percent(items),
    percent(measure(design, PLANNED / 2).items),
    percent(measure(design, 0).items),
    percent(waldOf(found)),
  ])
}
for (const power of [0.68, 0.7, 0.72, 0.74, 0.76, 0.78]) show(bestOf(power))
const { upper, lower } = boundariesOf(1 - 2 * RISK)
const times = Array.from({ length: LOOKS }, (_, look) => (look + 1) / LOOKS)
const ours = {
  upper: times.map(upper),
  lower: times.map((time) => Math.min(lower(time), upper(1))),
}
show(ours, `ours, ${percent(stretched(ours, PLANNED))}`)
