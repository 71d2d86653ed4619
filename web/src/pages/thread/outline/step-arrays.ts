/** Columns of steps in pre-order, as the service sends them. */
export interface OutlineColumns {
  id: string[]
  depth: number[]
  type: number[]
  name: number[]
  start: (number | null)[]
  duration: (number | null)[]
  firstToken: (number | null)[]
  tokens: (number | null)[]
  /** In dollars. */
  cost: (number | null)[]
  flags: number[]
}

/** Runs of steps that were there before, by their place, or that follow in the columns, after NEW. */
export interface OutlineChanges extends OutlineColumns {
  runs: [from: number, count: number][]
}

const NEW = -1

export const PICODOLLARS = 1e12

/** The columns of an outline, filled in parts: the answers of a million steps would not fit into the memory of a page. */
export class StepArrays {
  readonly count: number
  readonly ids: string[] = []
  readonly depth: Uint32Array
  readonly typeOf: Uint8Array
  readonly nameOf: Int32Array
  /** Milliseconds since the first step; NaN when not recorded. */
  readonly start: Float64Array
  readonly duration: Float64Array
  readonly firstToken: Float64Array
  readonly tokens: Float64Array
  /** In picodollars, which are whole numbers; NaN without a price. */
  readonly cost: Float64Array
  readonly flags: Uint8Array

  constructor(count: number) {
    this.count = count
    this.depth = new Uint32Array(count)
    this.typeOf = new Uint8Array(count)
    this.nameOf = new Int32Array(count)
    this.start = new Float64Array(count)
    this.duration = new Float64Array(count)
    this.firstToken = new Float64Array(count)
    this.tokens = new Float64Array(count)
    this.cost = new Float64Array(count)
    this.flags = new Uint8Array(count)
  }

  static of(columns: OutlineColumns): StepArrays {
    const arrays = new StepArrays(columns.id.length)
    arrays.add(columns)
    return arrays
  }

  /** Makes the columns of now out of those of before, and of what changed. */
  static changed(
    before: KnownSteps,
    { names, types }: Pick<KnownSteps, 'names' | 'types'>,
    { runs, ...columns }: OutlineChanges,
  ): StepArrays {
    const arrays = new StepArrays(runs.reduce((sum, [, count]) => sum + count, 0))
    const nameOf = numbering(before.names, names)
    const typeOf = numbering(before.types, types)
    let added = 0
    for (const [from, count] of runs) {
      if (from === NEW) {
        arrays.add(columns, added, added + count)
        added += count
      } else arrays.#copy(before, from, from + count, nameOf, typeOf)
    }
    return arrays
  }

  #copy(before: KnownSteps, from: number, to: number, nameOf: Numbers, typeOf: Numbers): void {
    const begin = this.ids.length
    for (let at = from; at < to; at++) this.ids.push(before.ids[at] ?? '')
    for (const name of COPIED) this[name].set(before[name].subarray(from, to), begin)
    for (let at = from; at < to; at++) {
      this.typeOf[begin + at - from] = typeOf(before.typeOf[at] ?? 0)
      this.nameOf[begin + at - from] = nameOf(before.nameOf[at] ?? -1)
    }
  }

  /** The number of steps that have come. */
  get filled(): number {
    return this.ids.length
  }

  /** Adds the next steps, by default all of the columns. */
  add(columns: OutlineColumns, from = 0, to = columns.id.length): void {
    const begin = this.ids.length
    const end = Math.min(to, from + this.count - begin)
    for (let at = from; at < end; at++) {
      const place = begin + at - from
      this.ids.push(columns.id[at] ?? '')
      this.depth[place] = columns.depth[at] ?? 0
      this.typeOf[place] = columns.type[at] ?? 0
      this.nameOf[place] = columns.name[at] ?? -1
      this.start[place] = columns.start[at] ?? Number.NaN
      this.duration[place] = columns.duration[at] ?? Number.NaN
      this.firstToken[place] = columns.firstToken[at] ?? Number.NaN
      this.tokens[place] = columns.tokens[at] ?? Number.NaN
      this.cost[place] = Math.round((columns.cost[at] ?? Number.NaN) * PICODOLLARS)
      this.flags[place] = columns.flags[at] ?? 0
    }
  }
}

const COPIED = ['depth', 'start', 'duration', 'firstToken', 'tokens', 'cost', 'flags'] as const

interface KnownSteps extends Pick<StepArrays, 'typeOf' | 'nameOf' | (typeof COPIED)[number]> {
  readonly ids: readonly string[]
  readonly names: readonly string[]
  readonly types: readonly string[]
}

type Numbers = (number: number) => number

/** Returns a function from the number of a text in one list, -1 without a text, to its number in another list. */
const numbering = (list: readonly string[], other: readonly string[]): Numbers => {
  const numbers = new Map(other.map((text, number) => [text, number]))
  const known = list.map((text) => numbers.get(text) ?? -1)
  return (number) => known[number] ?? -1
}
