import { FLAG } from '../../../generated/outline-flags.js'
import type { StepColumns } from '../../storage/outlines/portion.js'

/** Texts that repeat, each once, by the number of their first appearance. */
class Dictionary {
  readonly texts: string[] = []
  readonly #numbers = new Map<string, number>()

  numberOf(text: string): number {
    const known = this.#numbers.get(text)
    if (known !== undefined) return known
    const number = this.texts.push(text) - 1
    this.#numbers.set(text, number)
    return number
  }
}

/** A column of numbers, whose missing values are NaN. */
type Column = Float64Array | Int32Array | Uint8Array

const widened = <Held extends Column>(column: Held, length: number): Held => {
  const wider = new (column.constructor as new (length: number) => Held)(length)
  wider.set(column)
  return wider
}

/**
 * Steps as columns, by row, in the order in which they were read: a million objects would take a gigabyte, and hold the
 * event loop for seconds. Times are milliseconds since 1970.
 */
export class StepTable {
  readonly ids: string[] = []
  /** Null for a root. */
  readonly parentIds: (string | null)[] = []
  readonly rowOf = new Map<string, number>()
  readonly names = new Dictionary()
  readonly types = new Dictionary()
  /** The number of its name; -1 without one. */
  name = new Int32Array()
  type = new Int32Array()
  start = new Float64Array()
  end = new Float64Array()
  arrived = new Float64Array()
  firstToken = new Float64Array()
  tokens = new Float64Array()
  /** In dollars. */
  cost = new Float64Array()
  flags = new Uint8Array()

  /** Adds steps. One that came before takes its new values. */
  add(portion: StepColumns): void {
    this.#reserve(this.ids.length + portion.id.length)
    for (const [at, id] of portion.id.entries()) {
      const row = this.rowOf.get(id) ?? this.ids.length
      this.rowOf.set(id, row)
      this.ids[row] = id
      this.parentIds[row] = portion.parentId[at] ?? null
      const name = portion.name[at] ?? null
      const type = portion.type[at] ?? 'undefined'
      const start = portion.start[at] ?? Number.NaN
      const end = portion.end[at] ?? Number.NaN
      this.name[row] = name === null ? -1 : this.names.numberOf(name)
      this.type[row] = this.types.numberOf(type)
      this.start[row] = start
      this.end[row] = end
      this.arrived[row] = portion.arrived[at] ?? Number.NaN
      this.firstToken[row] = portion.firstToken[at] ?? Number.NaN
      this.tokens[row] = portion.tokens[at] ?? Number.NaN
      this.cost[row] = portion.cost[at] ?? Number.NaN
      // A message has a moment, and no end to wait for.
      const isRunning = !Number.isNaN(start) && Number.isNaN(end) && !type.endsWith('_message')
      this.flags[row] =
        (portion.hasFailed[at] ? FLAG.failed : 0) |
        (isRunning ? FLAG.running : 0) |
        (portion.isGeneration[at] ? FLAG.generation : 0) |
        (portion.isUnpriced[at] ? FLAG.unpriced : 0)
    }
  }

  #reserve(count: number): void {
    if (count <= this.flags.length) return
    const room = Math.max(count, this.flags.length * 2)
    this.name = widened(this.name, room)
    this.type = widened(this.type, room)
    this.start = widened(this.start, room)
    this.end = widened(this.end, room)
    this.arrived = widened(this.arrived, room)
    this.firstToken = widened(this.firstToken, room)
    this.tokens = widened(this.tokens, room)
    this.cost = widened(this.cost, room)
    this.flags = widened(this.flags, room)
  }
}
