import type { Database } from '../../database/database.js'
import { HOUR, MINUTE } from '../../storage/rollups/spans.js'
import {
  after,
  findFill,
  findHourBefore,
  findMarked,
  findMarkGroup,
  hasMarks,
  hasRows,
  type MarkGroup,
  mark,
  measureSpans,
  reserveRollups,
  storeFill,
} from '../../storage/rollups/write.js'
import { hourOf } from './cover.js'

/** Spans that a transaction measures. */
const MINUTES_AT_ONCE = 60
const HOURS_AT_ONCE = 1

/** Rules of which spans are measured ahead. */
interface Rules {
  /** A minute with fewer rows is read as fast from these. */
  fewestRows: number
  /** Times after which a minute, and an hour, that has changed is measured anew: those under way change all the time. */
  minuteQuietSeconds: number
  hourQuietSeconds: number
  /** Hours of before that a turn marks. */
  filledAtOnce: number
}

const RULES: Rules = {
  fewestRows: 120,
  minuteQuietSeconds: 10,
  hourQuietSeconds: 300,
  filledAtOnce: 24,
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
    const deadline = performance.now() + TURN_MS
    let hasWorked = await this.#fill()
    let isFromStart = this.#last === undefined
    while (performance.now() < deadline) {
      const group = await findMarkGroup(this.#db, this.#last)
      this.#last = group
      if (group === undefined && isFromStart) break
      if (group === undefined) {
        isFromStart = true
        continue
      }
      while (performance.now() < deadline && (await this.#measure(group))) hasWorked = true
    }
    return hasWorked
  }

  /** Measures the next spans of a group. Returns false when none is due. */
  #measure(group: MarkGroup): Promise<boolean> {
    const isHours = group.seconds === HOUR
    return this.#db.transaction().execute(async (transaction) => {
      if (!(await reserveRollups(transaction, group.projectId))) return false
      const starts = await findMarked(
        transaction,
        group,
        isHours ? this.#rules.hourQuietSeconds : this.#rules.minuteQuietSeconds,
        isHours ? HOURS_AT_ONCE : MINUTES_AT_ONCE,
      )
      if (starts.length === 0) return false
      await measureSpans(transaction, group, starts, isHours ? 1 : this.#rules.fewestRows)
      if (!isHours) await this.#markHours(transaction, group, [...new Set(starts.map(hourOf))])
      return true
    })
  }

  /** Marks hours whose minutes have changed. Those that have ended are due at once. */
  async #markHours(db: Database, group: MarkGroup, hours: readonly string[]): Promise<void> {
    const current = hourOf(new Date().toISOString())
    const marks = { ...group, seconds: HOUR }
    const ended = hours.filter((hour) => hour < current)
    await mark(db, marks, ended, this.#rules.hourQuietSeconds)
    if (ended.length < hours.length)
      await mark(
        db,
        marks,
        hours.filter((hour) => hour >= current),
      )
  }

  /** Marks the last hours of a project's rows from before there were marks. Returns false when there are none left. */
  async #fill(): Promise<boolean> {
    const fill = await findFill(this.#db)
    if (fill === undefined) return false
    await this.#db.transaction().execute(async (transaction) => {
      if (!(await reserveRollups(transaction, fill.projectId))) return
      const current = await findFill(transaction)
      if (current?.projectId !== fill.projectId || current.source !== fill.source) return
      let { reached } = current
      for (let count = 0; count < this.#rules.filledAtOnce; count++) {
        const hour = await findHourBefore(transaction, { ...fill, reached }, HOUR)
        reached = hour ?? null
        if (hour === undefined) break
        await this.#markHours(transaction, { ...fill, seconds: HOUR }, [hour])
        const dense = (this.#rules.fewestRows * HOUR) / MINUTE
        if (!(await hasRows(transaction, fill, { from: hour, to: after(hour, HOUR) }, dense)))
          continue
        const minutes = Array.from({ length: HOUR / MINUTE }, (_, index) =>
          after(hour, index * MINUTE),
        )
        const marks = { ...fill, seconds: MINUTE }
        await mark(transaction, marks, minutes, this.#rules.minuteQuietSeconds)
      }
      await storeFill(transaction, fill, reached)
    })
    return true
  }
}
