import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FLAG } from '../generated/outline-flags.js'
import { toPreOrder } from '../src/domain/outlines/pre-order.js'
import { StepTable } from '../src/domain/outlines/step-table.js'
import type { OutlinePortion, OutlineRow } from '../src/storage/outlines/portion.js'

const row = (id: string, more: Partial<OutlineRow> = {}): OutlineRow => ({
  id,
  parentId: null,
  type: 'run',
  name: null,
  start: null,
  end: null,
  arrived: 0,
  firstToken: null,
  tokens: null,
  cost: null,
  isUnpriced: false,
  hasFailed: false,
  isGeneration: false,
  ...more,
})

interface Placed {
  id: string
  parentId: string | null
  depth: number
  flags: number
}

/** Returns steps in the order of the tree. */
const inPreOrder = async (rows: readonly OutlineRow[]): Promise<Placed[]> => {
  const table = new StepTable()
  const columns = Object.fromEntries(
    Object.keys(row('')).map((name) => [name, rows.map((one) => one[name as keyof OutlineRow])]),
  )
  table.add(columns as unknown as OutlinePortion)
  const order = await toPreOrder(table)
  return Array.from(order.rows, (row, place) => ({
    id: table.ids[row] ?? '',
    parentId: table.parentIds[row] ?? null,
    depth: order.depth[place] ?? -1,
    flags: order.flags[place] ?? -1,
  }))
}

describe('the order of a tree', () => {
  const forest = fc
    .array(
      fc.record({
        parent: fc.option(fc.nat(30), { nil: null }),
        start: fc.option(fc.nat(100), { nil: null }),
      }),
      { maxLength: 30 },
    )
    .map((nodes) =>
      nodes.map(({ parent, start }, index) =>
        row(`s${index}`, {
          parentId: parent === null ? null : `s${parent}`,
          start,
          arrived: index,
        }),
      ),
    )

  test('has every step once, whatever parents the clients sent', async () => {
    await fc.assert(
      fc.asyncProperty(forest, async (rows) => {
        const placed = await inPreOrder(rows)
        expect(placed.map(({ id }) => id).sort()).toEqual(rows.map(({ id }) => id).sort())
      }),
    )
  })

  test('puts a step one deeper than its parent and right inside of it, except where a circle is cut', async () => {
    await fc.assert(
      fc.asyncProperty(forest, async (rows) => {
        const path: string[] = []
        for (const { id, parentId, depth, flags } of await inPreOrder(rows)) {
          expect(depth).toBeLessThanOrEqual(path.length)
          path.length = depth
          if (depth > 0) expect(path.at(-1)).toBe(parentId)
          else {
            const isKnown = rows.some(({ id }) => id === parentId)
            expect((flags & FLAG.circle) !== 0).toBe(isKnown)
            expect((flags & FLAG.parentMissing) !== 0).toBe(parentId !== null && !isKnown)
          }
          path.push(id)
        }
      }),
    )
  })

  test('has siblings, and roots, by their start, arrival and id', async () => {
    const momentOf = ({ start, arrived }: OutlineRow) => start ?? arrived
    await fc.assert(
      fc.asyncProperty(forest, async (rows) => {
        const byId = new Map(rows.map((one) => [one.id, one]))
        const siblings = new Map<string, OutlineRow[]>()
        for (const { id, depth, parentId, flags } of await inPreOrder(rows)) {
          const one = byId.get(id)
          // Circles come last, each from its own first step.
          if (one === undefined || (flags & FLAG.circle) !== 0) continue
          const above = depth === 0 ? 'roots' : `below ${parentId}`
          siblings.set(above, [...(siblings.get(above) ?? []), one])
        }
        for (const list of siblings.values())
          expect(list).toEqual(
            list.toSorted((a, b) => momentOf(a) - momentOf(b) || a.arrived - b.arrived),
          )
      }),
    )
  })

  test('does not depend on the order in which the rows come', async () => {
    await fc.assert(
      fc.asyncProperty(forest, fc.integer(), async (rows, seed) => {
        const shuffled = rows.toSorted(
          (a, b) => ((a.arrived * seed) % 7) - ((b.arrived * seed) % 7),
        )
        expect(await inPreOrder(shuffled)).toEqual(await inPreOrder(rows))
      }),
    )
  })

  test('of a chain of 200,000 steps needs no stack', async () => {
    const chain = Array.from({ length: 200_000 }, (_, index) =>
      row(`${index}`, { parentId: index === 0 ? null : `${index - 1}`, arrived: index }),
    )
    expect((await inPreOrder(chain)).at(-1)?.depth).toBe(199_999)
  })
})
