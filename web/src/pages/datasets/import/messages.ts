import type { ImportedItem, Place } from '../../../importing/importing.js'

/** A column of a file with the beginning of its first values, and the place that its name proposes. */
export interface FileColumn {
  name: string
  samples: readonly string[]
  proposed: Place | undefined
}

/** A row that makes no item. */
export interface BadRow {
  row: number
  problem: string
}

/** The items that a mapping makes of a file. */
export interface Mapped {
  count: number
  badCount: number
  /** The first rows that make none. */
  bad: readonly BadRow[]
  first: ImportedItem | undefined
}

export type Places = readonly (readonly [column: string, place: Place])[]

export type ToReader =
  | { ask: 'read'; file: File }
  | { ask: 'map'; ticket: number; places: Places }
  | { ask: 'items'; from: number }

export type FromReader =
  | { tells: 'columns'; rowCount: number; columns: readonly FileColumn[] }
  | { tells: 'mapped'; ticket: number; mapped: Mapped }
  | { tells: 'items'; items: readonly ImportedItem[]; next: number | undefined }
  | { tells: 'failed'; message: string }
