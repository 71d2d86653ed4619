import { FLAG } from '../../../generated/outline-flags.js'
import type { OutlineRow } from '../../storage/outlines.js'

/** A step of an outline: its depth below a root, and its flags. */
export interface OutlineStep {
  row: OutlineRow
  depth: number
  flags: number
}

/** Orders siblings by start, arrival and id. A step without a start is placed by its arrival. */
const bySiblingOrder = (a: OutlineRow, b: OutlineRow): number =>
  (a.start ?? a.arrived) - (b.start ?? b.arrived) ||
  a.arrived - b.arrived ||
  (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)

/**
 * Puts steps into pre-order. Each appears once, whatever parents the clients sent: a step whose parent is missing is a
 * root, and a circle is cut at its first step. Takes linear time, apart from sorting.
 */
export const toPreOrder = (rows: readonly OutlineRow[], rootId?: string): OutlineStep[] => {
  const sorted = rows.toSorted(bySiblingOrder)
  const known = new Set(sorted.map(({ id }) => id))
  const children = new Map<string, OutlineRow[]>()
  const roots: OutlineStep[] = []
  for (const row of sorted) {
    const { parentId } = row
    // The requested step is a root here, whatever is above it.
    if (parentId === null || row.id === rootId) roots.push({ row, depth: 0, flags: flagsOf(row) })
    else if (!known.has(parentId))
      roots.push({ row, depth: 0, flags: flagsOf(row) | FLAG.parentMissing })
    else {
      const siblings = children.get(parentId)
      if (siblings === undefined) children.set(parentId, [row])
      else siblings.push(row)
    }
  }
  const steps: OutlineStep[] = []
  const seen = new Set<string>()
  const walk = (root: OutlineStep) => {
    const stack = [root]
    for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
      if (seen.has(next.row.id)) continue
      seen.add(next.row.id)
      steps.push(next)
      const below = children.get(next.row.id)
      if (below === undefined) continue
      for (let index = below.length - 1; index >= 0; index--) {
        const row = below[index] as OutlineRow
        stack.push({ row, depth: next.depth + 1, flags: flagsOf(row) })
      }
    }
  }
  for (const root of roots) walk(root)
  // Steps that no root leads to are in a circle, or below one.
  const byId = new Map(sorted.map((row) => [row.id, row]))
  for (const row of sorted) if (!seen.has(row.id)) walk({ ...cutAt(row, byId), depth: 0 })
  return steps
}

/** Returns the first step of the circle that a step leads to. */
const cutAt = (
  below: OutlineRow,
  byId: ReadonlyMap<string, OutlineRow>,
): { row: OutlineRow; flags: number } => {
  const above = new Set<OutlineRow>()
  let row: OutlineRow | undefined = below
  while (row !== undefined && !above.has(row)) {
    above.add(row)
    row = byId.get(row.parentId ?? '')
  }
  const path = [...above]
  const circle = row === undefined ? path : path.slice(path.indexOf(row))
  const first = circle.reduce((best, one) => (bySiblingOrder(one, best) < 0 ? one : best))
  return { row: first, flags: flagsOf(first) | FLAG.circle }
}

/** A message has a moment, and no end to wait for. */
const flagsOf = ({ hasFailed, start, end, isGeneration, isUnpriced, type }: OutlineRow): number =>
  (hasFailed ? FLAG.failed : 0) |
  (start !== null && end === null && !type.endsWith('_message') ? FLAG.running : 0) |
  (isGeneration ? FLAG.generation : 0) |
  (isUnpriced ? FLAG.unpriced : 0)
