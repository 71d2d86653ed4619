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

  /** The number of steps that have come. */
  get filled(): number {
    return this.ids.length
  }

  /** Adds the next steps. */
  add(columns: OutlineColumns): void {
    const from = this.ids.length
    for (let at = 0; at < columns.id.length && from + at < this.count; at++) {
      const place = from + at
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
