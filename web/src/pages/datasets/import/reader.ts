import {
  type FileRow,
  guessMapping,
  type ImportedItem,
  itemOf,
  readFileRows,
} from '../../../importing/importing.js'
import type { BadRow, FileColumn, Mapped, Places } from './messages.js'

const PORTION = 500
const SAMPLES = 3
const SAMPLE_LENGTH = 60
const MAX_NAMED = 100

/** Keeps the rows of a file, and makes items of them by a mapping, in portions. */
export class Reader {
  readonly columns: readonly FileColumn[]
  readonly #rows: readonly FileRow[]
  #mapping: ReadonlyMap<string, Places[number][1]>

  constructor(name: string, content: Uint8Array) {
    const { columns, rows } = readFileRows(name, content)
    this.#rows = rows
    this.#mapping = guessMapping(columns)
    const samples = samplesOf(rows)
    this.columns = columns.map((column) => ({
      name: column,
      samples: samples.get(column) ?? [],
      proposed: this.#mapping.get(column),
    }))
  }

  get rowCount(): number {
    return this.#rows.length
  }

  /** Takes a mapping, and returns the items that it makes. */
  map(places: Places): Mapped {
    this.#mapping = new Map(places)
    const bad: BadRow[] = []
    let [count, badCount] = [0, 0]
    let first: ImportedItem | undefined
    for (const row of this.#rows) {
      const item = itemOf(row, this.#mapping)
      if (!('problem' in item)) {
        count++
        first ??= item
      } else if (badCount++ < MAX_NAMED) bad.push(item)
    }
    return { count, badCount, bad, first }
  }

  /** Returns the items of the next rows, and the place at which to go on; none at the end. */
  portion(from: number): { items: ImportedItem[]; next: number | undefined } {
    const end = from + PORTION
    const items = this.#rows
      .slice(from, end)
      .map((row) => itemOf(row, this.#mapping))
      .filter((item): item is ImportedItem => !('problem' in item))
    return { items, next: end < this.#rows.length ? end : undefined }
  }
}

/** Returns the beginning of the first values of each column. */
const samplesOf = (rows: readonly FileRow[]): Map<string, string[]> => {
  const samples = new Map<string, string[]>()
  for (const row of rows.slice(0, 100)) {
    if ('problem' in row) continue
    for (const [column, value] of row.values) {
      const found = samples.get(column) ?? []
      samples.set(column, found)
      if (value === undefined || found.length >= SAMPLES) continue
      const text = typeof value === 'string' ? value : JSON.stringify(value)
      found.push(text.length > SAMPLE_LENGTH ? `${text.slice(0, SAMPLE_LENGTH)}…` : text)
    }
  }
  return samples
}
