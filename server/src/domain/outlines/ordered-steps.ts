import { randomUUID } from 'node:crypto'
import { FLAG } from '../../../generated/outline-flags.js'
import type { StepType } from '../../../generated/resolvers.js'
import type { Instant } from '../../kernel/instant.js'
import { Turn } from '../../kernel/sharing/turn.js'
import type { StepColumns } from '../../storage/outlines/portion.js'
import type { SearchedSteps } from '../../storage/outlines/search.js'
import { toPreOrder } from './pre-order.js'
import { StepTable } from './step-table.js'

/** Values after which others may have their turn. */
const AT_ONCE = 4096

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

/** The steps of an outline in pre-order, in about 140 bytes each. */
export class OrderedSteps {
  /** Names these steps, as they were read. */
  readonly snapshot = randomUUID()
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
  readonly #parentIds: readonly (string | null)[]
  readonly #arrived: Float64Array
  /** The places by start, arrival and id. */
  readonly #sorted: Int32Array
  readonly #depth: Int32Array
  readonly #name: Int32Array
  readonly #type: Int32Array
  readonly #start: Float64Array
  readonly #end: Float64Array
  readonly #firstToken: Float64Array
  readonly #tokens: Float64Array
  readonly #cost: Float64Array
  readonly #flags: Uint8Array

  private constructor(columns: Columns) {
    this.#ids = columns.ids
    this.#parentIds = columns.parentIds
    this.#arrived = columns.arrived
    this.#sorted = columns.sorted
    this.#depth = columns.depth
    this.#name = columns.names.numbers
    this.#type = columns.types.numbers
    this.#start = columns.start
    this.#end = columns.end
    this.#firstToken = columns.firstToken
    this.#tokens = columns.tokens
    this.#cost = columns.cost
    this.#flags = columns.flags
    this.names = columns.names.texts
    this.types = columns.types.texts as StepType[]
    const { first, last, from, to } = columns.moments
    this.#moments = { from, to }
    this.first = Number.isFinite(first) ? first : null
    this.last = Number.isFinite(last) ? last : null
    this.maxDepth = columns.maxDepth
  }

  /** Reads steps, and puts them into order. Others have their turn in between. */
  static async read(
    portions: AsyncIterable<StepColumns>,
    rootId?: string | undefined,
  ): Promise<OrderedSteps> {
    const table = new StepTable()
    for await (const portion of portions) table.add(portion)
    return new OrderedSteps(await inPreOrder(table, rootId))
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

  idAt(place: number): string {
    return this.#ids[place] as string
  }

  /** Returns a function that tells whether a step is as another one of other steps, wherever these begin. */
  comparedWith(other: OrderedSteps): (place: number, otherPlace: number) => boolean {
    const nameOf = numbering(this.names, other.names)
    const typeOf = numbering(this.types, other.types)
    const measures = [
      [this.#depth, other.#depth],
      [this.#start, other.#start],
      [this.#end, other.#end],
      [this.#firstToken, other.#firstToken],
      [this.#tokens, other.#tokens],
      [this.#cost, other.#cost],
      [this.#flags, other.#flags],
    ] as const
    return (place, otherPlace) =>
      this.#ids[place] === other.#ids[otherPlace] &&
      this.#name[place] === nameOf(other.#name[otherPlace] as number) &&
      this.#type[place] === typeOf(other.#type[otherPlace] as number) &&
      // A value that is missing is NaN.
      measures.every(([own, others]) => Object.is(own[place], others[otherPlace]))
  }

  /** The start of a step, or its arrival if it told no start, in microseconds: of the first one by that, and so on. */
  momentAt(rank: number): number {
    const place = this.#sorted[rank] as number
    const start = this.#start[place] as number
    return Math.round((Number.isNaN(start) ? (this.#arrived[place] as number) : start) * 1000)
  }

  /** Returns the steps in some ranges of ranks, as they were read. */
  async *asRead(
    ranges: readonly (readonly [from: number, to: number])[],
  ): AsyncGenerator<StepColumns> {
    const turn = new Turn()
    for (const [from, to] of ranges)
      for (let begin = from; begin < to; begin += AT_ONCE) {
        if (turn.isOver()) await turn.next()
        yield this.#asRead(this.#sorted.subarray(begin, Math.min(to, begin + AT_ONCE)))
      }
  }

  #asRead(places: Int32Array): StepColumns {
    const list = <Value>(valueAt: (place: number) => Value): Value[] => Array.from(places, valueAt)
    const flag = (bit: number) => list((place) => ((this.#flags[place] as number) & bit) !== 0)
    const measure = (column: Float64Array) => list((place) => orNull(column[place] as number))
    return {
      id: list((place) => this.#ids[place] as string),
      parentId: list((place) => this.#parentIds[place] as string | null),
      type: list((place) => this.types[this.#type[place] as number] as string),
      name: list((place) => this.names[this.#name[place] as number] ?? null),
      start: measure(this.#start),
      end: measure(this.#end),
      arrived: list((place) => this.#arrived[place] as number),
      firstToken: measure(this.#firstToken),
      tokens: measure(this.#tokens),
      cost: measure(this.#cost),
      hasFailed: flag(FLAG.failed),
      isGeneration: flag(FLAG.generation),
      isUnpriced: flag(FLAG.unpriced),
    }
  }

  /** Returns columns of the steps in some ranges of places. Others have their turn in between. */
  async columns(ranges: readonly (readonly [from: number, to: number])[]): Promise<OutlineColumns> {
    const base = this.first ?? 0
    const turn = new Turn()
    const values = async <Value>(
      column: Float64Array | Int32Array | Uint8Array,
      shown: (value: number, at: number) => Value,
    ): Promise<Value[]> => {
      const all: Value[] = []
      for (const [from, to] of ranges) {
        const end = Math.min(to, column.length)
        for (let at = from; at < end; at++) {
          if (all.length % AT_ONCE === 0 && turn.isOver()) await turn.next()
          all.push(shown(column[at] as number, at))
        }
      }
      return all
    }
    const same = (value: number) => value
    return {
      id: ranges.flatMap(([from, to]) => this.#ids.slice(from, to)),
      depth: await values(this.#depth, same),
      type: await values(this.#type, same),
      name: await values(this.#name, same),
      start: await values(this.#start, (ms) => orNull(micro(ms - base))),
      duration: await values(this.#end, (end, at) =>
        orNull(micro(end - (this.#start[at] as number))),
      ),
      firstToken: await values(this.#firstToken, orNull),
      tokens: await values(this.#tokens, orNull),
      cost: await values(this.#cost, orNull),
      flags: await values(this.#flags, same),
    }
  }
}

type Columns = Awaited<ReturnType<typeof inPreOrder>>

/** Puts the columns of a table into pre-order, each in a turn of its own. */
const inPreOrder = async (table: StepTable, rootId: string | undefined) => {
  const { rows, depth, flags, sorted } = await toPreOrder(table, rootId)
  const turn = new Turn()
  const next = async <Result>(work: () => Result): Promise<Result> => {
    if (turn.isOver()) await turn.next()
    return work()
  }
  const start = await next(() => inOrder(rows, table.start))
  const end = await next(() => inOrder(rows, table.end))
  return {
    ids: await next(() => Array.from(rows, (row) => table.ids[row] as string)),
    parentIds: await next(() => Array.from(rows, (row) => parentOf(table, row))),
    arrived: await next(() => inOrder(rows, table.arrived)),
    sorted: await next(() => placesOf(rows, sorted)),
    depth,
    maxDepth: await next(() => depth.reduce((deepest, one) => Math.max(deepest, one + 1), 0)),
    start,
    end,
    moments: await next(() => momentsOf(rows, table, start, end)),
    firstToken: await next(() => inOrder(rows, table.firstToken)),
    tokens: await next(() => inOrder(rows, table.tokens)),
    cost: await next(() => inOrder(rows, table.cost)),
    flags: await next(() =>
      inOrder(rows, table.flags).map((own, place) => own | (flags[place] as number)),
    ),
    names: await next(() => byUse(rows, table.name, table.names.texts)),
    types: await next(() => byUse(rows, table.type, table.types.texts)),
  }
}

/** Returns the id of a row's parent: the text that the parent has itself, as a text for each row takes memory. */
const parentOf = ({ ids, parentIds, rowOf }: StepTable, row: number): string | null => {
  const parentId = parentIds[row] ?? null
  const parent = parentId === null ? undefined : rowOf.get(parentId)
  return parent === undefined ? parentId : (ids[parent] as string)
}

/** Returns the places of rows. */
const placesOf = (rows: Int32Array, sorted: readonly number[]): Int32Array => {
  const places = new Int32Array(rows.length)
  for (let place = 0; place < rows.length; place++) places[rows[place] as number] = place
  return Int32Array.from(sorted, (row) => places[row] as number)
}

/** Returns the first and the last moment of all steps, and of their starts, or arrival if they told no start. */
const momentsOf = (
  rows: Int32Array,
  { arrived }: StepTable,
  starts: Float64Array,
  ends: Float64Array,
) => {
  let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  let [from, to] = [first, last]
  for (let place = 0; place < rows.length; place++) {
    const start = starts[place] as number
    const end = ends[place] as number
    first = least(first, Number.isNaN(start) ? end : start)
    last = most(last, Number.isNaN(end) ? start : end)
    const moment = Number.isNaN(start) ? (arrived[rows[place] as number] as number) : start
    from = least(from, moment)
    to = most(to, moment)
  }
  return { first, last, from, to }
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

/** Returns a function from the number of a text in one list, -1 without a text, to its number in another list. */
const numbering = (list: readonly string[], other: readonly string[]) => {
  const numbers = new Map(list.map((text, number) => [text, number]))
  const known = other.map((text) => numbers.get(text))
  return (number: number): number | undefined => (number < 0 ? number : known[number])
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
