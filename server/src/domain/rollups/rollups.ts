import type { Database } from '../../database/database.js'
import type { Instant } from '../../kernel/instant.js'
import { type Fill, findFill, findHourBefore, storeFill } from '../../storage/rollups/fills.js'
import {
  findMarked,
  hasMarks,
  holdMark,
  type MarkGroup,
  reserveRollups,
  takeHeldMark,
  takeMarks,
} from '../../storage/rollups/marks.js'
import {
  after,
  DAY,
  HOUR,
  LENGTHS,
  MINUTE,
  SIX_HOURS,
  type Source,
  TEN_MINUTES,
} from '../../storage/rollups/spans.js'
import { hasRows, MAX_SERIES, measureSpans, storeSeries } from '../../storage/rollups/write.js'
import { measureDense } from './dense.js'
import { markLonger } from './mark-longer.js'
import { MarkWalk } from './mark-walk.js'
import { mergeSpan } from './merge.js'
import { Pace } from './pace.js'

type Length = (typeof LENGTHS)[number]

/** Tables whose rows are measured here. */
const SOURCES: readonly Source[] = ['steps', 'threads']
/** Spans that a transaction measures. */
const AT_ONCE: Record<Length, number> = {
  [MINUTE]: 60,
  [TEN_MINUTES]: 6,
  [HOUR]: 1,
  [SIX_HOURS]: 1,
  [DAY]: 1,
}

/** Rules of which spans are measured ahead. */
interface Rules {
  /** Minutes, and ten of them, with fewer rows are read as fast from these. */
  fewestRows: number
  /** Seconds after which a span that has changed is measured anew, by its length: those under way change all the time. */
  quietSeconds: Record<Length, number>
  /** Rows from which on a span is put together from shorter ones. */
  mergedRows: number
  /** Rows that a transaction reads: on the embedded engine requests wait for it. */
  portionRows: number
  /** Time for which a span that is no single transaction is left alone, as a multiple of the time that measuring it took. */
  restFactor: number
}

const RULES: Rules = {
  fewestRows: 60,
  quietSeconds: { [MINUTE]: 10, [TEN_MINUTES]: 60, [HOUR]: 300, [SIX_HOURS]: 900, [DAY]: 1800 },
  mergedRows: 5000,
  portionRows: 2000,
  restFactor: 9,
}
/** Time that a turn takes before it leaves the rest to the next one. */
const TURN_MS = 500

/** A span that is measured in several transactions, and the mark that stands for it meanwhile. */
interface HeldSpan {
  start: Instant
  mark: number
}

/** Measures marked spans in the background. Several processes may do so at once: one at a time begins with a project's. */
export class Rollups {
  readonly #db: Database
  readonly #rules: Rules
  readonly #pace: Pace
  readonly #walk: MarkWalk<Source>

  constructor(db: Database, rules: Partial<Rules> = {}) {
    this.#db = db
    this.#rules = { ...RULES, ...rules }
    this.#pace = new Pace(this.#rules.restFactor)
    this.#walk = new MarkWalk(db, SOURCES)
  }

  /** Measures for a while, from where the last turn ended. Returns false when nothing is left to do. */
  async work(): Promise<boolean> {
    if (!(await hasMarks(this.#db, 'steps'))) return false
    const begin = performance.now()
    const isToFill = (await findFill(this.#db)) !== undefined
    // First, as it goes on when rows of before cannot be measured.
    const hasWorked = await this.#walk.work(begin + (isToFill ? TURN_MS / 2 : TURN_MS), (group) =>
      this.#measureMarked(group),
    )
    if (!isToFill) return hasWorked
    await this.#fill(begin + TURN_MS)
    return true
  }

  /** Measures the next spans of a group. Returns false when none is due. */
  async #measureMarked(group: MarkGroup<Source>): Promise<boolean> {
    const seconds = group.seconds as Length
    const quiet = this.#rules.quietSeconds[seconds]
    const count = await this.#measureFirst(group, (db) =>
      findMarked(db, group, quiet, this.#pace.resting(group), AT_ONCE[seconds]),
    )
    return count > 0
  }

  /** Runs a transaction that measures a project's spans. Returns false when another process does. */
  #inTurn(projectId: string, work: (db: Database) => Promise<boolean>): Promise<boolean> {
    return this.#db
      .transaction()
      .execute(async (db) => (await reserveRollups(db, projectId)) && (await work(db)))
  }

  /**
   * Measures the first of some spans: those that together have few rows in one transaction, or a single one. Returns how many;
   * none when another process has the project.
   */
  async #measureFirst(
    group: MarkGroup<Source>,
    find: (db: Database) => Promise<readonly Instant[]>,
    isFill = false,
  ): Promise<number> {
    let count = 0
    let large: HeldSpan | undefined
    await this.#inTurn(group.projectId, async (db) => {
      const starts = await this.#fewEnough(db, group, await find(db))
      const [start] = starts
      if (start === undefined) return false
      count = starts.length
      if (count === 1 && !(await this.#isSmall(db, group, starts)))
        large = { start, mark: await holdMark(db, group, start) }
      else {
        await takeMarks(db, group, starts)
        await measureSpans(db, group, starts, this.#fewestRows(group))
        await this.#markLonger(db, group, starts, isFill)
      }
      return true
    })
    if (large !== undefined) {
      const begin = performance.now()
      await this.#measureLarge(group, large, isFill)
      this.#pace.rest(group, large.start, performance.now() - begin)
    }
    return count
  }

  /**
   * Measures a span with many rows, by statements between which others get their turn: from shorter spans, or from its rows. It
   * stays marked until its measurement is stored. A transaction that commits in the meantime leaves a mark of its own. The held
   * mark keeps earlier measurements out, so that the project is not reserved.
   */
  async #measureLarge(
    group: MarkGroup<Source>,
    { start, mark: heldMark }: HeldSpan,
    isFill: boolean,
  ): Promise<void> {
    const isMerged =
      group.seconds > MINUTE && (await this.#has(this.#db, group, [start], this.#rules.mergedRows))
    const measured = isMerged
      ? await mergeSpan(this.#db, group, start, this.#rules.portionRows)
      : await measureDense(this.#db, group, start, this.#rules.portionRows)
    const kept = measured.filter(({ series }) => {
      const rows = series.reduce((sum, [, , count]) => sum + count, 0)
      return series.length <= MAX_SERIES && rows >= this.#fewestRows(group)
    })
    await this.#db.transaction().execute(async (db) => {
      if (!(await takeHeldMark(db, group, start, heldMark))) return
      for (const series of kept) await storeSeries(db, group, start, series)
      await this.#markLonger(db, group, [start], isFill)
    })
  }

  /** Returns the rows that a span has at least to be measured. */
  #fewestRows({ seconds }: MarkGroup<Source>): number {
    return seconds < HOUR ? this.#rules.fewestRows : 1
  }

  /** Returns the first of some spans: one, or more that together have few rows. */
  async #fewEnough(
    db: Database,
    group: MarkGroup<Source>,
    starts: readonly Instant[],
  ): Promise<readonly Instant[]> {
    if (starts.length < 2 || (await this.#isSmall(db, group, starts))) return starts
    return this.#fewEnough(db, group, starts.slice(0, starts.length / 2))
  }

  /** Returns true when some spans together have few enough rows for a transaction. */
  async #isSmall(
    db: Database,
    group: MarkGroup<Source>,
    starts: readonly Instant[],
  ): Promise<boolean> {
    const { portionRows, mergedRows } = this.#rules
    const tooMany = group.seconds > MINUTE ? Math.min(portionRows + 1, mergedRows) : portionRows + 1
    return !(await this.#has(db, group, starts, tooMany))
  }

  #has(
    db: Database,
    group: MarkGroup<Source>,
    starts: readonly Instant[],
    fewest: number,
  ): Promise<boolean> {
    return hasRows(
      db,
      group,
      starts.map((from) => ({ from, to: after(from, group.seconds) })),
      fewest,
    )
  }

  /** Marks the spans of the next length that have some spans in them. */
  async #markLonger(
    db: Database,
    group: MarkGroup<Source>,
    starts: readonly Instant[],
    isFill: boolean,
  ): Promise<void> {
    const seconds = LENGTHS.find((length) => length > group.seconds)
    if (seconds === undefined) return
    const quietSeconds = this.#rules.quietSeconds[seconds]
    await markLonger(db, { group, starts }, { seconds, quietSeconds }, isFill)
  }

  /** Measures the last hours of rows from before there were marks. */
  async #fill(deadline: number): Promise<void> {
    while (performance.now() < deadline) {
      const fill = await findFill(this.#db)
      if (fill === undefined || !(await this.#fillHour(fill))) return
    }
  }

  /** Measures the hour of the last row that is not measured yet. Returns false when another process measures the project. */
  async #fillHour(fill: Fill): Promise<boolean> {
    const { projectId, source } = fill
    const hour = await findHourBefore(this.#db, fill, HOUR)
    if (hour !== undefined)
      for (const seconds of [MINUTE, TEN_MINUTES, HOUR] as const)
        if (!(await this.#fillWithin({ projectId, source, seconds }, hour))) return false
    return this.#inTurn(projectId, async (db) => {
      await storeFill(db, fill, hour ?? null)
      return true
    })
  }

  /** Measures the spans of an hour that has enough rows for them. Returns false as above. */
  async #fillWithin(group: MarkGroup<Source>, hour: Instant): Promise<boolean> {
    const { seconds } = group
    const dense = (this.#fewestRows(group) * HOUR) / seconds
    if (!(await this.#has(this.#db, { ...group, seconds: HOUR }, [hour], dense))) return true
    const left = Array.from({ length: HOUR / seconds }, (_, index) => after(hour, index * seconds))
    while (left.length > 0) {
      const some = left.slice(0, AT_ONCE[TEN_MINUTES])
      const count = await this.#measureFirst(group, async () => some, true)
      if (count === 0) return false
      left.splice(0, count)
    }
    return true
  }
}
