import { setTimeout as wait } from 'node:timers/promises'
import type { Database } from '../../../database/database.js'
import type { Instant } from '../../../kernel/instant.js'
import {
  findMarked,
  findNextWriter,
  hasMarks,
  haveWritersEnded,
  holdMark,
  type MarkGroup,
  reserveRollups,
  takeHeldMark,
} from '../../../storage/rollups/marks.js'
import { SCORE_LENGTHS } from '../../../storage/rollups/scores.js'
import { DAY, HOUR, TEN_MINUTES } from '../../../storage/rollups/spans.js'
import { storeSeries } from '../../../storage/rollups/write.js'
import { markLonger } from '../mark-longer.js'
import { MarkWalk } from '../mark-walk.js'
import { Pace } from '../pace.js'
import { measureScoreSpan } from './measure-span.js'

type Length = (typeof SCORE_LENGTHS)[number]
type Group = MarkGroup<'scores'>

interface Rules {
  /** Ten minutes with fewer scores are read as fast from these. */
  fewestRows: number
  /** Seconds after which a span that has changed is measured anew, by its length. */
  quietSeconds: Record<Length, number>
  /** Scores that are read at once: on the embedded engine requests wait for it. */
  portionRows: number
  /** Time for which a span is left alone, as a multiple of the time that measuring it took. */
  restFactor: number
}

const RULES: Rules = {
  fewestRows: 60,
  quietSeconds: { [TEN_MINUTES]: 60, [HOUR]: 300, [DAY]: 1800 },
  portionRows: 2000,
  restFactor: 9,
}
/** Time that a turn takes before it leaves the rest to the next one. */
const TURN_MS = 500
/** Time in which transactions that write end, nearly always: a span waits for its next turn otherwise. */
const WRITERS_END_MS = 500
const CHECK_EVERY_MS = 20

/** Measures marked spans of scores in the background, by properties of what is scored. Several processes may do so at once. */
export class ScoreRollups {
  readonly #db: Database
  readonly #rules: Rules
  readonly #pace: Pace
  readonly #walk: MarkWalk<'scores'>

  constructor(db: Database, rules: Partial<Rules> = {}) {
    this.#db = db
    this.#rules = { ...RULES, ...rules }
    this.#pace = new Pace(this.#rules.restFactor)
    this.#walk = new MarkWalk(db, ['scores'])
  }

  /** Measures for a while, from where the last turn ended. Returns false when nothing is left to do. */
  async work(): Promise<boolean> {
    if (!(await hasMarks(this.#db, 'scores'))) return false
    return this.#walk.work(performance.now() + TURN_MS, (group) => this.#measureNext(group))
  }

  /** Measures the next span of a group. Returns false when none is due, or another process has the project. */
  async #measureNext(group: Group): Promise<boolean> {
    const held = await this.#hold(group)
    if (held === undefined) return false
    if (!(await this.#haveWritersEnded())) return true
    const begin = performance.now()
    const fewestRows = group.seconds > TEN_MINUTES ? 1 : this.#rules.fewestRows
    const measured = await measureScoreSpan(this.#db, group, held.start, this.#rules.portionRows)
    await this.#db.transaction().execute(async (db) => {
      if (!(await takeHeldMark(db, group, held.start, held.mark))) return
      for (const series of measured) {
        const rows = series.series.reduce((sum, [, , , , count]) => sum + count, 0)
        if (rows >= fewestRows) await storeSeries(db, group, held.start, series)
      }
      const seconds = SCORE_LENGTHS.find((length) => length > group.seconds)
      if (seconds === undefined) return
      const quietSeconds = this.#rules.quietSeconds[seconds]
      await markLonger(db, { group, starts: [held.start] }, { seconds, quietSeconds })
    })
    this.#pace.rest(group, held.start, performance.now() - begin)
    return true
  }

  /** Puts one mark in the place of those of the next span that is due. */
  #hold(group: Group): Promise<{ start: Instant; mark: number } | undefined> {
    const quietSeconds = this.#rules.quietSeconds[group.seconds as Length]
    return this.#db.transaction().execute(async (db) => {
      if (!(await reserveRollups(db, group.projectId))) return undefined
      const resting = this.#pace.resting(group)
      const [start] = await findMarked(db, group, quietSeconds, resting, 1)
      return start === undefined ? undefined : { start, mark: await holdMark(db, group, start) }
    })
  }

  /**
   * Waits for the transactions that have written until now. One of them may have looked for the scores of its steps before a score
   * was stored, so that it has marked none, and what it wrote can't be read yet. Those that write later see all scores from
   * before the held mark, and the marks of others stay.
   */
  async #haveWritersEnded(): Promise<boolean> {
    const bound = await findNextWriter(this.#db)
    const deadline = performance.now() + WRITERS_END_MS
    while (!(await haveWritersEnded(this.#db, bound))) {
      if (performance.now() > deadline) return false
      await wait(CHECK_EVERY_MS)
    }
    return true
  }
}
