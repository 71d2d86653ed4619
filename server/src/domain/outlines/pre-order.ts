import { FLAG } from '../../../generated/outline-flags.js'
import { Turn } from '../../kernel/sharing/turn.js'
import type { StepTable } from './step-table.js'

/** Rows after which a loop looks at the clock. */
const GLANCE = 4096

/** Places of rows in pre-order, each with its depth below a root. */
export interface PreOrder {
  rows: Int32Array
  depth: Int32Array
  /** The flags of the place alone, beside those of the row. */
  flags: Uint8Array
  /** The rows by start, arrival and id. */
  sorted: readonly number[]
}

const NONE = -1

/**
 * Puts steps into pre-order. Each appears once, whatever parents the clients sent: a step whose parent is missing is a
 * root, and a circle is cut at its first step. Takes linear time, apart from sorting, and lets others work in between.
 */
export const toPreOrder = async (table: StepTable, rootId?: string): Promise<PreOrder> => {
  const turn = new Turn()
  const count = table.ids.length
  const sorted = await inSiblingOrder(table, turn)
  /** The next sibling of each row, and the first child. */
  const next = new Int32Array(count).fill(NONE)
  const firstChild = new Int32Array(count).fill(NONE)
  const parents = new Int32Array(count).fill(NONE)
  const roots: number[] = []
  // From the end, so that each becomes the first of those that follow it.
  for (let at = count - 1; at >= 0; at--) {
    if (at % GLANCE === 0 && turn.isOver()) await turn.next()
    const row = sorted[at] as number
    const parentId = table.parentIds[row] ?? null
    const parent = parentId === null ? undefined : table.rowOf.get(parentId)
    if (parent !== undefined) parents[row] = parent
    // The requested step is a root here, whatever is above it.
    if (parent === undefined || table.ids[row] === rootId) roots.push(row)
    else {
      next[row] = firstChild[parent] as number
      firstChild[parent] = row
    }
  }
  const order = {
    rows: new Int32Array(count),
    depth: new Int32Array(count),
    flags: new Uint8Array(count),
    sorted,
  }
  const isPlaced = new Uint8Array(count)
  const stack: number[] = []
  let placed = 0
  const place = (row: number, depth: number) => {
    isPlaced[row] = 1
    order.rows[placed] = row
    order.depth[placed++] = depth
    const child = firstChild[row] as number
    if (child === NONE) return
    depthOf[child] = depth + 1
    stack.push(child)
  }
  const depthOf = new Int32Array(count)
  const walk = async (root: number, flags: number) => {
    order.flags[placed] = flags
    place(root, 0)
    for (let row = stack.pop(); row !== undefined; row = stack.pop()) {
      if (placed % GLANCE === 0 && turn.isOver()) await turn.next()
      // The sibling waits below the children.
      const sibling = next[row] as number
      if (sibling !== NONE) {
        depthOf[sibling] = depthOf[row] as number
        stack.push(sibling)
      }
      if (!isPlaced[row]) place(row, depthOf[row] as number)
    }
  }
  for (const root of roots.reverse()) {
    const isMissing = table.ids[root] !== rootId && table.parentIds[root] !== null
    await walk(root, isMissing ? FLAG.parentMissing : 0)
  }
  // Steps that no root leads to are in a circle, or below one.
  if (placed < count) {
    const places = new Int32Array(count)
    for (const [place, row] of sorted.entries()) places[row] = place
    for (const row of sorted)
      if (!isPlaced[row]) await walk(firstOfCircle(row, parents, places), FLAG.circle)
  }
  return order
}

/** Sorts rows as siblings: by start, arrival and id. A step without a start is placed by its arrival. */
const inSiblingOrder = async ({ ids, start, arrived }: StepTable, turn: Turn) => {
  const moment = Float64Array.from(ids, (_, row) => {
    const started = start[row] as number
    return Number.isNaN(started) ? (arrived[row] as number) : started
  })
  if (turn.isOver()) await turn.next()
  const compare = (a: number, b: number) =>
    (moment[a] as number) - (moment[b] as number) ||
    (arrived[a] as number) - (arrived[b] as number) ||
    ((ids[a] as string) < (ids[b] as string) ? -1 : 1)
  // A list, whose sort takes what is in order already as it is: rows are read by their start.
  const rows = Array.from(ids, (_, row) => row).sort(compare)
  if (turn.isOver()) await turn.next()
  return rows
}

/** Returns the first step of the circle that a step leads to, by their places in the order of siblings. */
const firstOfCircle = (below: number, parents: Int32Array, places: Int32Array): number => {
  const above = new Set<number>()
  let row = below
  while (row !== NONE && !above.has(row)) {
    above.add(row)
    row = parents[row] as number
  }
  const path = [...above]
  const circle = row === NONE ? path : path.slice(path.indexOf(row))
  return circle.reduce((best, one) =>
    (places[one] as number) < (places[best] as number) ? one : best,
  )
}
