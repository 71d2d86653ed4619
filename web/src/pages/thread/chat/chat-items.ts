import type { Outline } from '../outline/outline.js'

export interface ChatItem {
  place: number
  /** The steps between this message and the next one. */
  work: { first: number; count: number; errors: number; ms: number }
}

/** Returns the messages of a thread, each with a summary of the steps that follow it. */
export const chatItemsOf = (outline: Outline): ChatItem[] => {
  const items: ChatItem[] = []
  let last: ChatItem | undefined
  for (let place = 0; place < outline.count; place++) {
    if (outline.isMessage(place)) {
      last = { place, work: { first: -1, count: 0, errors: 0, ms: 0 } }
      items.push(last)
      continue
    }
    if (last === undefined) continue
    const { work } = last
    if (work.first < 0) work.first = place
    work.count++
    if (outline.hasFailed(place)) work.errors++
    const from = outline.start[work.first] ?? Number.NaN
    const end = (outline.start[place] ?? Number.NaN) + (outline.duration[place] || 0)
    if (!Number.isNaN(end - from)) work.ms = Math.max(work.ms, end - from)
  }
  return items
}
