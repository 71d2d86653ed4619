import type { JudgementPair } from '../../../generated/resolvers.js'
import type { Database } from '../../database/database.js'
import type { Caller } from '../../kernel/caller.js'
import {
  countWaiting,
  findDays,
  findSubject,
  type JudgeRow,
  type JudgeUsageRow,
  listJudges,
} from '../../storage/judges/judges.js'
import { timesOf } from '../../storage/leases.js'
import { findScoresBy, findScoresByPeople } from '../../storage/scores/judgements.js'
import { findSteps } from '../../storage/steps.js'
import type { Values } from '../values.js'
import { dayOf, NO_USAGE } from './usage.js'

/** The judges of live traffic, with what they used and how they agree with people. */
export class Judges {
  readonly #db: Database
  readonly #values: Values

  constructor(db: Database, values: Values) {
    this.#db = db
    this.#values = values
  }

  list({ projectId }: Caller): Promise<JudgeRow[]> {
    return listJudges(this.#db, projectId)
  }

  countWaiting({ projectId }: Caller, judgeId: string): Promise<number> {
    return countWaiting(this.#db, projectId, judgeId)
  }

  /** Returns what all versions of a judge used since midnight. */
  async usedToday({ projectId }: Caller, name: string): Promise<JudgeUsageRow> {
    const { now } = await timesOf(this.#db, 0)
    return (await findDays(this.#db, projectId, [name], dayOf(now)))[0] ?? NO_USAGE
  }

  /** Returns true when the budget of today is used up. */
  async isSpent({ spentOn }: JudgeRow): Promise<boolean> {
    if (spentOn === null) return false
    const { now } = await timesOf(this.#db, 0)
    return spentOn === dayOf(now)
  }

  /** Returns the latest judgements by people beside those of a judge. */
  async listPairs({ projectId }: Caller, judgeId: string, name: string): Promise<JudgementPair[]> {
    const scorer = this.#values.requiredId('judgeId', judgeId)
    this.#values.requiredId('name', name)
    const subject = await findSubject(this.#db, projectId, scorer)
    const judged = subject === 'THREADS' ? 'threadId' : 'stepId'
    const people = await findScoresByPeople(this.#db, projectId, judged, name)
    const human = new Map(people.map((score) => [score.id, score]))
    const ids = [...human.keys()]
    const own = await findScoresBy(this.#db, projectId, judged, { scorer, name }, ids)
    const steps = judged === 'threadId' ? [] : await findSteps(this.#db, projectId, ids, 'light')
    const threads = new Map(steps.map(({ id, threadId }) => [id, threadId]))
    return own.flatMap(({ id, value, label }) => {
      const other = human.get(id)
      if (other === undefined) return []
      const isLabelled = label !== null || other.label !== null
      const of =
        judged === 'threadId'
          ? { stepId: null, threadId: id }
          : { stepId: id, threadId: threads.get(id) ?? null }
      return [{ ...of, human: other.value, judge: value, isLabelled }]
    })
  }
}
