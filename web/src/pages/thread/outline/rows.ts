import type { Outline } from './outline.js'

/** The folds of a tree: closed parents, and groups of like siblings that were opened. */
export interface Folding {
  closed: ReadonlySet<number>
  unfolded: ReadonlySet<number>
  foldsAlike: boolean
}

/** A row that stands for folded siblings is the complement of the first one's place. */
export const isFold = (row: number): boolean => row < 0

export const placeOfRow = (row: number): number => (row < 0 ? ~row : row)

/** Returns the visible rows in order. With `only`, just those places. */
export const visibleRows = (
  outline: Outline,
  { closed, unfolded, foldsAlike }: Folding,
  only?: { has: (place: number) => boolean },
): Int32Array => {
  const rows = new Int32Array(outline.count)
  let length = 0
  for (let place = 0; place < outline.count; ) {
    if (only !== undefined) {
      if (only.has(place)) rows[length++] = place
      place++
      continue
    }
    const until = outline.alikeUntil[place] ?? 0
    if (foldsAlike && until > 0 && !unfolded.has(place)) {
      rows[length++] = ~place
      place = until
      continue
    }
    rows[length++] = place
    place += closed.has(place) ? (outline.size[place] ?? 1) : 1
  }
  return rows.subarray(0, length)
}

/** Returns the row of a step, or of the fold that it is in; -1 when it does not show. Rows ascend by place. */
export const rowOf = (rows: Int32Array, place: number): number => {
  let [low, high] = [0, rows.length - 1]
  while (low <= high) {
    const middle = (low + high) >> 1
    const at = placeOfRow(rows[middle] ?? 0)
    if (at === place) return middle
    if (at < place) low = middle + 1
    else high = middle - 1
  }
  return -1
}

/**
 * Returns the row to begin at in a window of time: the first whose step starts in it, else the first that runs in it; -1
 * without one.
 */
export const firstRowWithin = (
  outline: Outline,
  rows: Int32Array,
  { from, to }: { from: number; to: number },
): number => {
  let running = -1
  for (let row = 0; row < rows.length; row++) {
    const place = placeOfRow(rows[row] ?? 0)
    const start = outline.start[place] ?? Number.NaN
    if (start >= from && start <= to) return row
    // The deepest of them is nearest to what happens in the window.
    if (start < from && start + (outline.duration[place] || 0) >= from) running = row
  }
  return running
}

/** Returns the folding with everything opened that hides a step. */
export const reveal = (outline: Outline, place: number, folding: Folding): Folding => {
  const closed = new Set(folding.closed)
  const unfolded = new Set(folding.unfolded)
  for (const above of outline.ancestors(place)) closed.delete(above)
  for (const one of [place, ...outline.ancestors(place)]) {
    // The fold of the step begins at a sibling before it.
    const parent = outline.parent[one] ?? -1
    for (let first = parent < 0 ? 0 : parent + 1; first <= one; first += outline.size[first] ?? 1)
      if ((outline.alikeUntil[first] ?? 0) > one) unfolded.add(first)
  }
  return { ...folding, closed, unfolded }
}
