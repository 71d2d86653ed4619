import type { Database } from '../../database/database.js'
import { conflict } from '../../kernel/errors.js'
import { type Change, readChanges } from '../../storage/moving/changes.js'
import type { MovedTable } from '../../storage/moving/plan.js'
import {
  deleteByKeys,
  hashesByKeys,
  insertRows,
  type Key,
  PAGE_ROWS,
  readByKeys,
  readPage,
  sizesOf,
  type WholeRow,
} from '../../storage/moving/rows.js'
import { type Comparison, mapOf } from './comparison.js'

/** Changes that are applied at once, and the bytes of their rows. */
const MAX_CHANGES = 2000
const MAX_CHANGE_BYTES = 4_000_000

/** The part of a move that is done, as the database that is moved to keeps it. */
export interface Place {
  table: string
  after: Key | null
}

/** The rows of one table in a portion. */
export interface Group {
  table: MovedTable
  /** Rows to delete: those that changed, and those that are inserted. */
  keys: Set<Key>
  changed: Set<Key>
  rows: Map<Key, WholeRow>
  hashes: Map<Key, string>
}

/** Rows that are copied in one step, as they were at one moment. */
export interface Portion {
  changes: readonly Change[]
  groups: readonly Group[]
  /** Rows of the page. */
  paged: number
  /** The part that is done with it; null when all is, undefined without a page. */
  place: Place | null | undefined
}

/** A page of a table: rows after a key, and those of the next tables when few are left. */
export interface Page {
  table: MovedTable
  after: Key | null
}

/**
 * Reads rows that changed and a page of those that were not copied yet.
 *
 * @param isWhole - Reads all that changed, as rows of one moment fit together; otherwise as many as a step takes.
 */
export const readPortion = async (
  db: Database,
  tables: readonly MovedTable[],
  isWhole: boolean,
  page: Page | undefined,
): Promise<Portion> => {
  const noted = await readChanges(db, isWhole ? 1_000_000 : MAX_CHANGES)
  const taken = new Set<string>()
  let bytes = 0
  for (const { table, keys } of byTable(tables, noted)) {
    const sizes = isWhole ? new Map<Key, number>() : await sizesOf(db, table, keys)
    for (const key of keys) {
      if (bytes > MAX_CHANGE_BYTES) break
      bytes += sizes.get(key) ?? 0
      taken.add(`${table.name} ${key}`)
    }
  }
  const changes = noted.filter((change) => taken.has(`${change.table} ${plain(change.key)}`))
  const groups: Group[] = []
  for (const { table, keys } of byTable(tables, changes)) {
    const rows = await readByKeys(db, table, keys)
    const hashes = await hashesByKeys(db, table, keys)
    groups.push({
      table,
      keys: new Set(keys),
      changed: new Set(keys),
      rows: new Map(rows.map((row) => [row.key, row])),
      hashes: mapOf(hashes),
    })
  }
  if (page === undefined) return { changes, groups, paged: 0, place: undefined }
  return { changes, groups, ...(await addPage(db, tables, groups, page)) }
}

const addPage = async (
  db: Database,
  tables: readonly MovedTable[],
  groups: Group[],
  page: Page,
): Promise<{ paged: number; place: Place | null }> => {
  let paged = 0
  for (let at = tables.indexOf(page.table); ; at++) {
    const table = tables[at]
    if (table === undefined) return { paged, place: null }
    if (paged >= PAGE_ROWS) return { paged, place: { table: table.name, after: null } }
    const after = table === page.table ? page.after : null
    const { rows, isLast } = await readPage(db, table, after ?? undefined)
    addTo(groups, table, rows)
    paged += rows.length
    // Rows that come behind the last one are noted, and so nobody has to wait until there are none.
    if (!isLast) return { paged, place: { table: table.name, after: rows.at(-1)?.key ?? null } }
  }
}

/**
 * Replaces rows, and compares those that changed with what was read. Returns the note of it, for after the commit.
 *
 * @throws DomainError `CONFLICT` when a row is another one after it was copied.
 */
export const replaceRows = async (
  db: Database,
  { table, keys, changed, rows, hashes }: Group,
  comparison: Comparison | undefined,
): Promise<() => void> => {
  const keysChanged = [...changed]
  const before =
    comparison === undefined ? undefined : mapOf(await hashesByKeys(db, table, keysChanged))
  await deleteByKeys(db, table, [...keys])
  await insertRows(
    db,
    table,
    [...rows.values()].map(({ line }) => line),
  )
  const after = mapOf(await hashesByKeys(db, table, keysChanged))
  for (const key of keysChanged)
    if (after.get(key) !== hashes.get(key))
      throw conflict(`a row of ${table.name} has another value after it was copied`)
  return () => {
    if (before !== undefined && comparison !== undefined)
      comparison.replaced(table.name, keysChanged, before, after)
  }
}

const byTable = (
  tables: readonly MovedTable[],
  changes: readonly Change[],
): { table: MovedTable; keys: Key[] }[] =>
  tables.flatMap((table) => {
    const keys = new Set(
      changes.filter((change) => change.table === table.name).map(({ key }) => plain(key)),
    )
    return keys.size === 0 ? [] : [{ table, keys: [...keys] }]
  })

/** Adds rows that are copied for the first time. */
const addTo = (groups: Group[], table: MovedTable, rows: readonly WholeRow[]): void => {
  if (rows.length === 0) return
  let group = groups.find((one) => one.table === table)
  if (group === undefined) {
    group = {
      table,
      keys: new Set(),
      changed: new Set(),
      rows: new Map(),
      hashes: new Map(),
    }
    groups.push(group)
  }
  for (const row of rows) {
    group.keys.add(row.key)
    group.rows.set(row.key, row)
  }
}

const plain = (key: string): Key => JSON.stringify(JSON.parse(key))
