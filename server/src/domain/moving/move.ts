import type { Database } from '../../database/database.js'
import { inSequence } from '../../database/distribution/cluster.js'
import { isLocked, isTaken } from '../../database/failures.js'
import { refreshStatistics } from '../../database/statistics.js'
import { collectGarbage } from '../../kernel/collect-garbage.js'
import { conflict } from '../../kernel/errors.js'
import { countChanges, forgetChanges } from '../../storage/moving/changes.js'
import {
  beginSwitch,
  closeForRows,
  completeSwitch,
  endSwitch,
  findMove,
  leaveTarget,
  noteProgress,
  type Runner,
  saveMove,
} from '../../storage/moving/moves.js'
import type { MovedTable } from '../../storage/moving/plan.js'
import { hashesInRange, PAGE_ROWS, readByKeys } from '../../storage/moving/rows.js'
import { type Begun, beginMove, type MoveEnd, targetRow } from './begin-move.js'
import { Comparison } from './comparison.js'
import { MovedFiles } from './moved-files.js'
import { type Page, type Place, readPortion, replaceRows } from './portion.js'

/** When as few are left, or those of a short time, writes may be refused until they are applied. */
const FEW_CHANGES = 300
const SHORT_MS = 800
/** Time for which writes may be refused. After it they are accepted again, whatever became of the move. */
const SWITCH_MS = 15_000
/** A switch that has taken this long gives up, and is tried again. */
const PATIENCE_MS = 8000

export interface MoveProgress {
  phase: 'copying' | 'comparing' | 'catching up' | 'ready' | 'moved'
  /** Rows that are copied or compared. */
  rows: number
  /** Changes that are still to be applied, up to a number. */
  waiting: number
}

export interface Moved {
  rows: number
  /** The sum of the hashes of all rows, the same on both sides. */
  hash: string
  /** Milliseconds in which writes were refused. */
  switchMs: number
}

/**
 * Moves all data of a service to another database, while it is written to. All rows are copied; then those are copied
 * again whose keys were noted meanwhile, until few are left; then writes are refused for a moment. Rows are always copied
 * as they are now, so that the order of changes does not matter and a repeated step changes nothing.
 *
 * Each row is compared by its hash after its last change.
 */
export class Move {
  readonly #source: MoveEnd
  readonly #target: MoveEnd
  /** Undefined when files stay where they are. */
  readonly #files: MovedFiles | undefined
  readonly #tables: readonly MovedTable[]
  readonly #runner: Runner
  #place: Place | undefined
  #isCopied: boolean
  #rows = 0
  #comparison: Comparison | undefined
  #isCompared = false
  /** Changes applied in a millisecond. */
  #speed = 0

  private constructor(source: MoveEnd, target: MoveEnd, { tables, runner, place }: Begun) {
    this.#source = source
    this.#target = target
    this.#files =
      source.store === target.store ? undefined : new MovedFiles(source.store, target.store)
    this.#tables = tables
    this.#runner = runner
    this.#place = place ?? undefined
    this.#isCopied = place === null
  }

  /**
   * Begins a move, or goes on with the one that was begun between the two.
   *
   * @returns Undefined when it was complete, but for its last note.
   * @throws DomainError `INVALID_ARGUMENT` when the target has data of its own.
   */
  static async open(source: MoveEnd, target: MoveEnd): Promise<Move | undefined> {
    const begun = await beginMove(source, target)
    return begun && new Move(source, target, begun)
  }

  /** Works for some time. */
  async work(budgetMs: number): Promise<MoveProgress> {
    const deadline = performance.now() + budgetMs
    do {
      if (!this.#isCopied) await this.#copyMore()
      else if (!this.#isCompared) {
        // Compares changed rows in passing.
        if (this.#comparison === undefined) {
          if (!(await this.#isNearlyDone())) {
            await this.#applyChanges()
            continue
          }
          this.#rows = 0
          this.#comparison = new Comparison(this.#tables)
        }
        await this.#compareMore(this.#comparison)
      } else if (await this.#isNearlyDone()) return this.#progress('ready')
      else await this.#applyChanges()
    } while (performance.now() < deadline)
    return this.#progress(
      !this.#isCopied ? 'copying' : this.#isCompared ? 'catching up' : 'comparing',
    )
  }

  /**
   * Refuses writes, applies what is left, proves that both sides are equal, and has the target serve. Returns undefined
   * when that took too long; writes are accepted again, as after any failure.
   *
   * @param serve - Makes the service use the target. When it fails, the source goes on.
   * @throws DomainError `CONFLICT` when the sides differ, or the time is over.
   */
  async switch(serve: () => Promise<void>): Promise<Moved | undefined> {
    const { db } = this.#source
    const began = performance.now()
    const comparison = this.#comparison
    if (!this.#isCompared || comparison === undefined) throw new Error('the move is not ready')
    try {
      await beginSwitch(db, this.#runner.token, SWITCH_MS)
    } catch (error) {
      if (isLocked(error)) return undefined
      throw error
    }
    try {
      while ((await this.#applyChanges()) > 0)
        if (performance.now() - began > PATIENCE_MS) {
          await endSwitch(db, this.#runner.token)
          return undefined
        }
      await this.#files?.copyLate()
      comparison.demandEqual()
      await this.#target.db.transaction().execute(async (transaction) => {
        await this.#note(transaction, { state: 'proved', place: null })
        await closeForRows(transaction, this.#tables, db)
      })
      if (!(await completeSwitch(db, this.#runner.token)))
        throw conflict('the switch took too long; run the command again to go on')
    } catch (error) {
      await endSwitch(db, this.#runner.token)
      throw error
    }
    if (!(await leaveTarget(this.#target.db, this.#runner))) {
      await this.#acceptAgain()
      throw this.#overtaken()
    }
    try {
      await serve()
    } catch (error) {
      // The target may have changed since: a move begins anew.
      const failed = targetRow({ token: 'failed', runner: '' }, this.#source, null)
      await saveMove(this.#target.db, failed).catch(() => undefined)
      await this.#acceptAgain()
      throw error
    }
    return { ...comparison.result(), switchMs: performance.now() - began }
  }

  /** Accepts writes again after the end of the switch. */
  #acceptAgain(): Promise<void> {
    const { token } = this.#runner
    return saveMove(this.#source.db, {
      role: 'source',
      state: 'copying',
      token,
      place: this.#target.place,
    })
  }

  /** @throws DomainError `CONFLICT` when another move writes to the target. */
  async #note(
    transaction: Database,
    progress: { state: 'copying' | 'proved'; place: Place | null },
  ): Promise<void> {
    if (!(await noteProgress(transaction, this.#runner, progress))) throw this.#overtaken()
  }

  #overtaken() {
    return conflict(
      `another command moves to ${this.#target.place} now; this one ended, and nothing was switched`,
    )
  }

  async #progress(phase: MoveProgress['phase']): Promise<MoveProgress> {
    return {
      phase,
      rows: this.#rows,
      waiting: await countChanges(this.#source.db, 100_000),
    }
  }

  async #isNearlyDone(): Promise<boolean> {
    const waiting = await countChanges(this.#source.db, 100_000)
    return waiting <= FEW_CHANGES || waiting / this.#speed < SHORT_MS
  }

  /** Copies the next page, and changes with it. */
  async #copyMore(): Promise<void> {
    const place = this.#place
    const table = this.#tables.find(({ name }) => name === place?.table)
    if (place === undefined || table === undefined) throw new Error('there is no such table')
    this.#rows += (await this.#step({ table, after: place.after })).paged
    // They are of the engine, and not among the rows.
    if (this.#isCopied) await refreshStatistics(this.#target.db)
  }

  async #applyChanges(): Promise<number> {
    const began = performance.now()
    const { applied } = await this.#step()
    if (applied > 0) this.#speed = applied / (performance.now() - began)
    return applied
  }

  /** Copies a page of a table and rows that changed, as of one moment. */
  async #step(page?: Page, isWhole = false): Promise<{ applied: number; paged: number }> {
    const { changes, groups, paged, place } = await this.#source.db
      .transaction()
      .setIsolationLevel('repeatable read')
      .execute(async (transaction) => {
        if ((await findMove(transaction))?.token !== this.#runner.token)
          throw conflict('the move was ended by another command; nothing was switched')
        return readPortion(transaction, this.#tables, isWhole, page)
      })
    const files = groups.find(({ table }) => table.name === 'files')
    if (files !== undefined) await this.#files?.copy([...files.rows.values()])
    const updates: (() => void)[] = []
    try {
      await this.#target.db.transaction().execute(async (transaction) => {
        await inSequence(transaction)
        // First, so that no other move writes there until the end.
        const next = place === undefined ? (this.#place ?? null) : place
        await this.#note(transaction, { state: 'copying', place: next })
        for (const group of groups)
          updates.push(await replaceRows(transaction, group, this.#comparison))
      })
    } catch (error) {
      // A unique value went from one row to another. All rows of one moment fit together.
      if (!isTaken(error) || isWhole) throw error
      return this.#step(page, true)
    }
    for (const update of updates) update()
    if (files !== undefined)
      await this.#files?.remove([...files.keys].filter((key) => !files.rows.has(key)))
    await forgetChanges(this.#source.db, changes)
    if (place !== undefined) {
      this.#place = place ?? undefined
      this.#isCopied = place === null
    }
    const lines = groups.flatMap(({ rows }) => [...rows.values()])
    collectGarbage(lines.reduce((sum, { line }) => sum + line.length, 0))
    return { applied: changes.length, paged }
  }

  async #compareMore(comparison: Comparison): Promise<void> {
    const { table, after } = comparison
    if (table === undefined) {
      this.#isCompared = true
      return
    }
    const here = await hashesInRange(this.#source.db, table, after, undefined)
    const last = here.length < PAGE_ROWS ? undefined : here.at(-1)?.key
    const there = await hashesInRange(this.#target.db, table, after, last ?? null)
    this.#rows += here.length
    if (table.name === 'files') {
      const keys = here.map(({ key }) => key)
      await this.#files?.copyAbsent(await readByKeys(this.#source.db, table, keys))
    }
    comparison.add(here, there, last)
  }
}
