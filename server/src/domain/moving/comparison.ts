import { conflict } from '../../kernel/errors.js'
import type { MovedTable } from '../../storage/moving/plan.js'
import type { HashedRow, Key } from '../../storage/moving/rows.js'
import { Digest } from './digest.js'

export const mapOf = (rows: readonly HashedRow[]): Map<Key, string> =>
  new Map(rows.map(({ key, hash }) => [key, hash]))

/** Compares all rows of both sides, and keeps the sums of their hashes true as rows are replaced. */
export class Comparison {
  readonly #tables: readonly MovedTable[]
  readonly #here = new Digest()
  readonly #there = new Digest()
  /** Rows that differed when they were read, with the hash of the source: a change that is applied later explains it. */
  readonly #differing = new Map<string, string | undefined>()
  #table = 0
  after: Key | undefined

  constructor(tables: readonly MovedTable[]) {
    this.#tables = tables
  }

  /** The table that is compared next; undefined at the end. */
  get table(): MovedTable | undefined {
    return this.#tables[this.#table]
  }

  /** Adds the rows of a range. Without a last key, it was the last one of the table. */
  add(here: readonly HashedRow[], there: readonly HashedRow[], last: Key | undefined): void {
    const name = this.table?.name
    const [one, other] = [mapOf(here), mapOf(there)]
    for (const { hash } of here) this.#here.add(hash)
    for (const { hash } of there) this.#there.add(hash)
    for (const key of new Set([...one.keys(), ...other.keys()]))
      if (one.get(key) !== other.get(key)) this.#differing.set(`${name} ${key}`, one.get(key))
    this.after = last
    if (last === undefined) this.#table++
  }

  replaced(
    name: string,
    keys: readonly Key[],
    before: ReadonlyMap<Key, string>,
    after: ReadonlyMap<Key, string>,
  ): void {
    for (const key of keys) {
      const id = `${name} ${key}`
      const counted = this.#differing.has(id) ? this.#differing.get(id) : before.get(key)
      this.#here.replace(counted, after.get(key))
      this.#there.replace(before.get(key), after.get(key))
      this.#differing.delete(id)
    }
  }

  /** @throws DomainError `CONFLICT` when the sides differ, and no change explains it. */
  demandEqual(): void {
    const [first] = this.#differing.keys()
    if (first !== undefined)
      throw conflict(
        `the copy differs in ${this.#differing.size} rows, of which one is in ${first.split(' ', 1)[0]}; nothing was switched. stepwell move --abandon begins anew`,
      )
    if (this.#here.text !== this.#there.text)
      throw conflict('the copy has another hash; nothing was switched')
  }

  result(): { rows: number; hash: string } {
    return { rows: this.#here.rows, hash: this.#here.text }
  }
}
