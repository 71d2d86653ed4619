import { FLAG } from '../../../generated/outline-flags.js'
import type { StepType } from '../../../generated/resolvers.js'
import type { Instant } from '../../kernel/instant.js'
import { Turn } from '../../kernel/sharing/turn.js'
import type { OutlinePortion } from '../../storage/outlines/portion.js'
import type { SearchedSteps } from '../../storage/outlines/search.js'
import { toPreOrder } from './pre-order.js'
import { StepTable } from './step-table.js'

/** Columns of steps in pre-order, as clients read them. */
export interface OutlineColumns {
  id: string[]
  depth: number[]
  type: number[]
  name: number[]
  start: (number | null)[]
  duration: (number | null)[]
  firstToken: (number | null)[]
  tokens: (number | null)[]
  cost: (number | null)[]
  flags: number[]
}

/** The steps of an outline in pre-order, in about 120 bytes each. */
export class OrderedSteps {
  /** The distinct names and types, the most frequent first; of equals, the one that comes first in pre-order. */
  readonly names: readonly string[]
  readonly types: readonly StepType[]
  /** The first start and the last end, in milliseconds since 1970. */
  readonly first: number | null
  readonly last: number | null
  readonly maxDepth: number
  /** The first and the last start of its steps, or arrival if they told no start. */
  readonly #moments: { from: number; to: number }
  readonly #ids: readonly string[]
  readonly #depth: Int32Array
  readonly #name: Int32Array
  readonly #type: Int32Array
  readonly #start: Float64Array
  readonly #end: Float64Array
  readonly #firstToken: Float64Array
  readonly #tokens: Float64Array
  readonly #cost: Float64Array
  readonly #flags: Uint8Array

  private constructor(
    table: StepTable,
    { rows, depth, flags }: Awaited<ReturnType<typeof toPreOrder>>,
  ) {
    const ids = new Array<string>(rows.length)
    for (let place = 0; place < rows.length; place++)
      ids[place] = table.ids[rows[place] as number] as string
    this.#ids = ids
    this.#depth = depth
    this.#start = inOrder(rows, table.start)
    this.#end = inOrder(rows, table.end)
    this.#firstToken = inOrder(rows, table.firstToken)
    this.#tokens = inOrder(rows, table.tokens)
    this.#cost = inOrder(rows, table.cost)
    this.#flags = inOrder(rows, table.flags).map((own, place) => own | (flags[place] as number))
    const names = byUse(rows, table.name, table.names.texts)
    const types = byUse(rows, table.type, table.types.texts)
    this.names = names.texts
    this.types = types.texts as StepType[]
    this.#name = names.numbers
    this.#type = types.numbers
    let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
    let [from, to] = [first, last]
    for (let place = 0; place < rows.length; place++) {
      const start = this.#start[place] as number
      const end = this.#end[place] as number
      first = least(first, Number.isNaN(start) ? end : start)
      last = most(last, Number.isNaN(end) ? start : end)
      const moment = Number.isNaN(start) ? (table.arrived[rows[place] as number] as number) : start
      from = least(from, moment)
      to = most(to, moment)
    }
    this.#moments = { from, to }
    this.first = Number.isFinite(first) ? first : null
    this.last = Number.isFinite(last) ? last : null
    this.maxDepth = depth.reduce((deepest, one) => Math.max(deepest, one + 1), 0)
  }

  /** Reads steps, and puts them into order. */
  static async read(
    portions: AsyncIterable<OutlinePortion>,
    rootId?: string | undefined,
  ): Promise<OrderedSteps> {
    const table = new StepTable()
    for await (const portion of portions) table.add(portion)
    const order = await toPreOrder(table, rootId)
    await new Turn().next()
    return new OrderedSteps(table, order)
  }

  get count(): number {
    return this.#ids.length
  }

  countOf(flag: number): number {
    return this.#flags.reduce((sum, flags) => sum + (flags & flag ? 1 : 0), 0)
  }

  /** The steps to search for a text, of which there is one at least. */
  get searched(): SearchedSteps {
    const known = new Set(this.#ids)
    const { from, to } = this.#moments
    return {
      from: instantOf(Math.floor(from)),
      to: instantOf(Math.ceil(to)),
      passing: (ids) => ids.filter((id) => known.has(id)),
    }
  }

  /** Returns those of some ids that are here, in pre-order. */
  idsAmong(ids: ReadonlySet<string>): string[] {
    return this.#ids.filter((id) => ids.has(id))
  }

  /** Changes with most that changes in the steps. */
  get revision(): string {
    const ended = this.count - this.countOf(FLAG.running)
    return [this.count, ended, this.countOf(FLAG.failed), this.first, this.last].join('-')
  }

  columns(from: number, to: number): OutlineColumns {
    const base = this.first ?? 0
    const start = this.#start.subarray(from, to)
    return {
      id: this.#ids.slice(from, to),
      depth: Array.from(this.#depth.subarray(from, to)),
      type: Array.from(this.#type.subarray(from, to)),
      name: Array.from(this.#name.subarray(from, to)),
      start: Array.from(start, (ms) => orNull(micro(ms - base))),
      duration: Array.from(this.#end.subarray(from, to), (end, at) =>
        orNull(micro(end - (start[at] as number))),
      ),
      firstToken: Array.from(this.#firstToken.subarray(from, to), orNull),
      tokens: Array.from(this.#tokens.subarray(from, to), orNull),
      cost: Array.from(this.#cost.subarray(from, to), orNull),
      flags: Array.from(this.#flags.subarray(from, to)),
    }
  }
}

/** Puts a column of rows into the order of places. */
const inOrder = <Held extends Float64Array | Int32Array | Uint8Array>(
  rows: Int32Array,
  column: Held,
): Held => {
  const ordered = new (column.constructor as new (length: number) => Held)(rows.length)
  for (let place = 0; place < rows.length; place++)
    ordered[place] = column[rows[place] as number] as number
  return ordered
}

/** Numbers texts anew by how often rows have them. */
const byUse = (rows: Int32Array, column: Int32Array, texts: readonly string[]) => {
  const uses = new Float64Array(texts.length)
  // The first place of each, as equal rows make equal lists: parts of one outline refer to positions in them.
  const first = new Float64Array(texts.length)
  const numbers = inOrder(rows, column)
  for (let place = 0; place < rows.length; place++) {
    const number = numbers[place] as number
    if (number < 0) continue
    if (uses[number] === 0) first[number] = place
    uses[number] = (uses[number] as number) + 1
  }
  const order = Array.from(texts, (_, number) => number)
    .filter((number) => (uses[number] as number) > 0)
    .sort(
      (a, b) =>
        (uses[b] as number) - (uses[a] as number) || (first[a] as number) - (first[b] as number),
    )
  const places = new Int32Array(texts.length)
  for (const [place, number] of order.entries()) places[number] = place
  return {
    texts: order.map((number) => texts[number] as string),
    numbers: numbers.map((number) => (number < 0 ? -1 : (places[number] as number))),
  }
}

/** Of two numbers of which the second may be missing. */
const least = (one: number, other: number): number => (other < one ? other : one)
const most = (one: number, other: number): number => (other > one ? other : one)

/** Rounds milliseconds to the microsecond, as floating-point sums have more digits than clocks. */
const micro = (milliseconds: number): number => Math.round(milliseconds * 1000) / 1000

const orNull = (value: number): number | null => (Number.isNaN(value) ? null : value)

/** Returns a moment of whole milliseconds. */
export const instantOf = (milliseconds: number): Instant =>
  `${new Date(milliseconds).toISOString().slice(0, -1)}000Z`
