import type { Database } from '../../database/database.js'
import type { Instant } from '../../kernel/instant.js'
import { type Fill, findFill, findHourBefore, storeFill } from '../../storage/rollups/fills.js'
import {
  findMarked,
  findMarkGroup,
  hasMarks,
  type MarkGroup,
  mark,
  reserveRollups,
  takeMarks,
} from '../../storage/rollups/marks.js'
import {
  after,
  DAY,
  HOUR,
  LENGTHS,
  MINUTE,
  SIX_HOURS,
  type Span,
  spanStart,
  TEN_MINUTES,
} from '../../storage/rollups/spans.js'
import { hasRows, measureSpans } from '../../storage/rollups/write.js'
import { mergeSpan } from './merge.js'

type Length = (typeof LENGTHS)[number]

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
}

const RULES: Rules = {
  fewestRows: 60,
  quietSeconds: { [MINUTE]: 10, [TEN_MINUTES]: 60, [HOUR]: 300, [SIX_HOURS]: 900, [DAY]: 1800 },
  mergedRows: 5000,
}
/** Time that a turn takes before it leaves the rest to the next one. */
const TURN_MS = 500

/** Measures marked spans in the background. Several processes may do so at once: each project has one at a time. */
export class Rollups {
  readonly #db: Database
  readonly #rules: Rules
  #last: MarkGroup | undefined

  constructor(db: Database, rules: Partial<Rules> = {}) {
    this.#db = db
    this.#rules = { ...RULES, ...rules }
  }

  /** Measures for a while, from where the last turn ended. Returns false when nothing was to do. */
  async work(): Promise<boolean> {
    if (!(await hasMarks(this.#db))) return false
    const begin = performance.now()
    const deadline = begin + TURN_MS
    // What changes now is measured in the other half.
    let hasWorked = await this.#fill(begin + TURN_MS / 2)
    let isFromStart = this.#last === undefined
    while (performance.now() < deadline) {
      const group = await findMarkGroup(this.#db, this.#last)
      this.#last = group
      if (group === undefined && isFromStart) break
      if (group === undefined) {
        isFromStart = true
        continue
      }
      while (performance.now() < deadline && (await this.#measureMarked(group))) hasWorked = true
    }
    return hasWorked
  }

  /** Measures the next spans of a group. Returns false when none is due. */
  #measureMarked(group: MarkGroup): Promise<boolean> {
    const seconds = group.seconds as Length
    return this.#db.transaction().execute(async (transaction) => {
      if (!(await reserveRollups(transaction, group.projectId))) return false
      const quiet = this.#rules.quietSeconds[seconds]
      const starts = await findMarked(transaction, group, quiet, AT_ONCE[seconds])
      if (starts.length === 0) return false
      await this.#measure(transaction, group, starts)
      await this.#markLonger(transaction, group, starts)
      return true
    })
  }

  /** Measures spans: those with few rows from these, the others from shorter spans. */
  async #measure(db: Database, group: MarkGroup, starts: readonly Instant[]): Promise<void> {
    const { seconds } = group
    const fewest = seconds < HOUR ? this.#rules.fewestRows : 1
    await takeMarks(db, group, starts)
    const small: Instant[] = []
    for (const start of starts) {
      if (seconds > MINUTE && (await this.#has(db, group, start, seconds, this.#rules.mergedRows)))
        await mergeSpan(db, group, start, fewest)
      else small.push(start)
    }
    if (small.length > 0) await measureSpans(db, group, small, fewest)
  }

  #has(
    db: Database,
    group: Pick<MarkGroup, 'projectId' | 'source'>,
    from: Instant,
    seconds: number,
    fewest: number,
  ): Promise<boolean> {
    const span: Span = { from, to: after(from, seconds) }
    return hasRows(db, group, span, fewest)
  }

  /** Marks the spans of the next length that have some spans in them. Those that have ended are due at once. */
  async #markLonger(db: Database, group: MarkGroup, starts: readonly Instant[]): Promise<void> {
    const longer = LENGTHS.find((length) => length > group.seconds)
    if (longer === undefined) return
    const current = spanStart(new Date().toISOString(), longer)
    const marks = { ...group, seconds: longer }
    const around = [...new Set(starts.map((start) => spanStart(start, longer)))]
    const ended = around.filter((start) => start < current)
    await mark(db, marks, ended, this.#rules.quietSeconds[longer])
    if (ended.length < around.length)
      await mark(
        db,
        marks,
        around.filter((start) => start >= current),
      )
  }

  /** Measures the last hours of rows from before there were marks. Returns false when there are none left. */
  async #fill(deadline: number): Promise<boolean> {
    let hasFilled = false
    while (performance.now() < deadline) {
      const fill = await findFill(this.#db)
      if (fill === undefined) break
      hasFilled = true
      const isReserved = await this.#db
        .transaction()
        .execute((transaction) => this.#fillHour(transaction, fill))
      if (!isReserved) break
    }
    return hasFilled
  }

  /** Measures the hour of the last row that is not measured yet. Its six hours are marked with the first of them. */
  async #fillHour(db: Database, { projectId, source }: Fill): Promise<boolean> {
    if (!(await reserveRollups(db, projectId))) return false
    const fill = await findFill(db)
    if (fill?.projectId !== projectId || fill.source !== source) return true
    const hour = await findHourBefore(db, fill, HOUR)
    const last = fill.reached === null ? undefined : spanStart(fill.reached, SIX_HOURS)
    if (last !== undefined && (hour === undefined || spanStart(hour, SIX_HOURS) !== last))
      await this.#markLonger(db, { ...fill, seconds: HOUR }, [last])
    if (hour !== undefined) {
      for (const seconds of [MINUTE, TEN_MINUTES]) {
        const dense = (this.#rules.fewestRows * HOUR) / seconds
        const starts = Array.from({ length: HOUR / seconds }, (_, index) =>
          after(hour, index * seconds),
        )
        if (await this.#has(db, fill, hour, HOUR, dense))
          await this.#measure(db, { ...fill, seconds }, starts)
      }
      await this.#measure(db, { ...fill, seconds: HOUR }, [hour])
    }
    await storeFill(db, fill, hour ?? null)
    return true
  }
}
