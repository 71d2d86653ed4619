import type { Database } from '../../database/database.js'
import { findMarkGroup, type MarkGroup } from '../../storage/rollups/marks.js'
import type { MarkedSource } from '../../storage/rollups/spans.js'

const LONGEST = 2 ** 31 - 1

/** Goes round the groups of marks of some tables. A turn begins where the last one ended. */
export class MarkWalk<Of extends MarkedSource> {
  readonly #db: Database
  readonly #sources: readonly Of[]
  #last: MarkGroup | undefined

  constructor(db: Database, sources: readonly Of[]) {
    this.#db = db
    this.#sources = sources
  }

  /**
   * Measures due spans of one group after the other, until a moment of the process' clock. `measure` returns false when none of
   * its group is due. Returns false when none was due at all: out of time, that is not known.
   */
  async work(
    deadline: number,
    measure: (group: MarkGroup<Of>) => Promise<boolean>,
  ): Promise<boolean> {
    let hasWorked = false
    let isFromStart = this.#last === undefined
    while (performance.now() < deadline) {
      const group = await findMarkGroup(this.#db, this.#last)
      this.#last = group
      if (group === undefined && isFromStart) return hasWorked
      if (group === undefined) isFromStart = true
      // Groups of other tables of the project are passed at once.
      else if (!this.#isOwn(group)) this.#last = { ...group, seconds: LONGEST }
      else while (performance.now() < deadline && (await measure(group))) hasWorked = true
    }
    return true
  }

  #isOwn(group: MarkGroup): group is MarkGroup<Of> {
    return this.#sources.some((source) => source === group.source)
  }
}
