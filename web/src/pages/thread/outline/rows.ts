import type { Outline } from './outline.js'

/** What is folded: closed parents, and runs of like siblings that were opened. */
export interface Folding {
  closed: ReadonlySet<number>
  unfolded: ReadonlySet<number>
  foldsAlike: boolean
}

/** A row that stands for a run of like siblings is the complement of the first one's place. */
export const isFold = (row: number): boolean => row < 0

export const placeOfRow = (row: number): number => (row < 0 ? ~row : row)

/** The rows that show, in order. With `only`, just those places and what is above them. */
export const visibleRows = (
  outline: Outline,
  { closed, unfolded, foldsAlike }: Folding,
  only?: ReadonlySet<number>,
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

/** The row of a step, or of the run that it is folded into; -1 when it does not show. Rows ascend by place. */
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

/** What has to be opened so that a step shows. */
export const reveal = (outline: Outline, place: number, folding: Folding): Folding => {
  const closed = new Set(folding.closed)
  const unfolded = new Set(folding.unfolded)
  for (const above of outline.ancestors(place)) closed.delete(above)
  for (const one of [place, ...outline.ancestors(place)]) {
    // The run that the step is in begins at a sibling before it.
    const parent = outline.parent[one] ?? -1
    for (let first = parent < 0 ? 0 : parent + 1; first <= one; first += outline.size[first] ?? 1)
      if ((outline.alikeUntil[first] ?? 0) > one) unfolded.add(first)
  }
  return { ...folding, closed, unfolded }
}
