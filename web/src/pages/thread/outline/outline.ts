import { FLAG } from '../../../../../generated/outline-flags.js'
import type { StepType } from '../../../../../generated/schema.js'
import type { StepArrays } from './step-arrays.js'

/** The least number of like siblings in a row that fold into one row. */
const MIN_ALIKE = 5

/** A tree of steps in arrays: no object per step, so that a million of them are some hundred bytes each. */
export class Outline {
  readonly count: number
  readonly ids: readonly string[]
  readonly names: readonly string[]
  readonly types: readonly StepType[]
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
  /** The place of the parent; -1 at a root. */
  readonly parent: Int32Array
  /** The number of steps in the subtree, including its root. */
  readonly size: Int32Array
  /** The number of failed steps in the subtree. */
  readonly errors: Int32Array
  /** The number of calls in the subtree of which some part has no price. */
  readonly unpriced: Int32Array
  /** The end of a group of like siblings, at its first one; else 0. */
  readonly alikeUntil: Int32Array
  readonly alikeCount: Int32Array
  /** The start of the first step, in milliseconds since 1970; NaN without times. */
  readonly base: number
  /** From the first start to the last end. */
  readonly span: number
  readonly #isMessageType: readonly boolean[]
  readonly #places: Map<string, number>

  constructor(
    arrays: StepArrays,
    { names, types }: { names: readonly string[]; types: readonly StepType[] },
    startedAt: string | null,
    endedAt: string | null,
  ) {
    const { count } = arrays
    this.count = count
    this.ids = arrays.ids
    this.names = names
    this.types = types
    this.#isMessageType = types.map((type) => type.endsWith('_message'))
    this.depth = arrays.depth
    this.typeOf = arrays.typeOf
    this.nameOf = arrays.nameOf
    this.start = arrays.start
    this.duration = arrays.duration
    this.firstToken = arrays.firstToken
    this.tokens = arrays.tokens
    this.cost = arrays.cost
    this.flags = arrays.flags
    this.parent = new Int32Array(count).fill(-1)
    this.size = new Int32Array(count).fill(1)
    this.errors = new Int32Array(count)
    this.unpriced = new Int32Array(count)
    this.alikeUntil = new Int32Array(count)
    this.alikeCount = new Int32Array(count)
    this.base = startedAt === null ? Number.NaN : Date.parse(startedAt)
    this.span = startedAt === null || endedAt === null ? 0 : Date.parse(endedAt) - this.base
    this.#places = new Map()
    for (const [place, id] of arrays.ids.entries()) this.#places.set(id, place)
    this.#link()
    this.#findAlike()
  }

  /** Returns the place of a step; -1 for unknown ids. */
  placeOf(id: string): number {
    return this.#places.get(id) ?? -1
  }

  type(place: number): StepType {
    return this.types[this.typeOf[place] ?? -1] ?? 'undefined'
  }

  name(place: number): string {
    return this.names[this.nameOf[place] ?? -1] ?? ''
  }

  isMessage(place: number): boolean {
    return this.#isMessageType[this.typeOf[place] ?? -1] ?? false
  }

  /** Returns true for a step that a conversation can be copied up to: a message, or a call of a model. */
  isTurn(place: number): boolean {
    return this.isMessage(place) || this.type(place) === 'llm'
  }

  /** Returns a text that changes when a step was written again, as far as the outline tells. */
  stateOf(place: number): string {
    const { duration, flags, tokens, cost, firstToken } = this
    return [duration, flags, tokens, cost, firstToken].map((column) => column[place]).join(' ')
  }

  hasFailed(place: number): boolean {
    return ((this.flags[place] ?? 0) & FLAG.failed) !== 0
  }

  /** Returns the places of all failed steps, in order. */
  failures(): number[] {
    const found: number[] = []
    for (let place = 0; place < this.count; place++) if (this.hasFailed(place)) found.push(place)
    return found
  }

  /** Returns the ancestors of a step, the nearest first. */
  ancestors(place: number): number[] {
    const found: number[] = []
    for (let above = this.parent[place] ?? -1; above >= 0; above = this.parent[above] ?? -1)
      found.push(above)
    return found
  }

  #link(): void {
    const path: number[] = []
    for (let place = 0; place < this.count; place++) {
      const depth = this.depth[place] ?? 0
      path.length = depth
      this.parent[place] = depth === 0 ? -1 : (path[depth - 1] ?? -1)
      path[depth] = place
      if (this.hasFailed(place)) this.errors[place] = 1
      if (((this.flags[place] ?? 0) & FLAG.unpriced) !== 0) this.unpriced[place] = 1
    }
    // From the end, so that subtrees are summed up before their parents.
    for (let place = this.count - 1; place >= 0; place--) {
      const above = this.parent[place] ?? -1
      if (above < 0) continue
      this.size[above] = (this.size[above] ?? 0) + (this.size[place] ?? 0)
      this.errors[above] = (this.errors[above] ?? 0) + (this.errors[place] ?? 0)
      this.unpriced[above] = (this.unpriced[above] ?? 0) + (this.unpriced[place] ?? 0)
    }
  }

  #findAlike(): void {
    const isTaken = new Uint8Array(this.count)
    for (let first = 0; first < this.count; first++) {
      if (isTaken[first] || this.isMessage(first) || this.errors[first]) continue
      let next = first
      let alike = 0
      while (
        next < this.count &&
        this.depth[next] === this.depth[first] &&
        this.parent[next] === this.parent[first] &&
        this.typeOf[next] === this.typeOf[first] &&
        this.nameOf[next] === this.nameOf[first] &&
        this.errors[next] === 0
      ) {
        isTaken[next] = 1
        alike++
        next += this.size[next] ?? 1
      }
      if (alike < MIN_ALIKE) continue
      this.alikeUntil[first] = next
      this.alikeCount[first] = alike
    }
  }
}
