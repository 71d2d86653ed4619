import type { Outline } from './outline.js'

/** The length of the ids of spans, which the service makes of a trace's and a span's own. */
const SPAN_ID_LENGTH = 49

/**
 * Returns for each step the sum of a column over it and all steps below, NaN where none of them has a value: tokens,
 * or costs.
 *
 * A framework, a client and a provider may each make a span of the same call, one within the other. As in the sums of
 * threads, an outer call counts only by what the calls in it have not told; spans without a type may lie between them.
 * Steps of the SDK are a call each.
 */
export const subtreeSums = (outline: Outline, own: Float64Array): Float64Array => {
  const sums = new Float64Array(outline.count).fill(Number.NaN)
  // The sums that calls of each kind below a step have told, itself not included.
  const told = { llm: new Float64Array(outline.count), embedding: new Float64Array(outline.count) }
  // From the end, so that steps are summed up before their parents.
  for (let place = outline.count - 1; place >= 0; place--) {
    const type = outline.type(place)
    const value = own[place] ?? Number.NaN
    const isCall = type === 'llm' || type === 'embedding'
    const inner = isCall ? (told[type][place] ?? 0) : 0
    if (!Number.isNaN(value)) addTo(sums, place, value - Math.min(value, inner))
    const parent = outline.parent[place] ?? -1
    if (parent < 0) continue
    addTo(sums, parent, sums[place] ?? Number.NaN)
    if (!isSpan(outline, place) || !isSpan(outline, parent)) continue
    for (const kind of ['llm', 'embedding'] as const) {
      const below = told[kind][place] ?? 0
      const says = type === kind ? Math.max(value || 0, below) : type === 'undefined' ? below : 0
      told[kind][parent] = (told[kind][parent] ?? 0) + says
    }
  }
  return sums
}

const isSpan = (outline: Outline, place: number): boolean =>
  outline.ids[place]?.length === SPAN_ID_LENGTH

const addTo = (sums: Float64Array, place: number, more: number): void => {
  if (Number.isNaN(more)) return
  const before = sums[place] ?? Number.NaN
  sums[place] = (Number.isNaN(before) ? 0 : before) + more
}

/** Returns the sum of subtree sums over like siblings from a place on, NaN where none of them has a value. */
export const sumOfSiblings = (
  outline: Outline,
  sums: Float64Array,
  place: number,
  until: number,
): number => {
  const sum = new Float64Array([Number.NaN])
  for (let one = place; one < until; one += outline.size[one] ?? 1)
    addTo(sum, 0, sums[one] ?? Number.NaN)
  return sum[0] ?? Number.NaN
}
