import type {
  CreateJudgementsPayload,
  JudgementInput,
  MutationCreateJudgementsArgs,
} from '../../../generated/resolvers.js'
import type { Database } from '../../database/database.js'
import type { Caller } from '../../kernel/caller.js'
import { invalid, notFound } from '../../kernel/errors.js'
import type { Clock } from '../../kernel/instant.js'
import type { Pages } from '../../lists/page.js'
import {
  changeItems,
  type ItemChange,
  type JudgeItemRow,
  type JudgeKey,
  lockItems,
} from '../../storage/judges/items.js'
import { countJudgements, type JudgeRow, lockJudge, useDay } from '../../storage/judges/judges.js'
import { timesOf } from '../../storage/leases.js'
import { Scores } from '../scores.js'
import type { Values } from '../values.js'
import { dayOf, MAX_AT_ONCE, MAX_ATTEMPTS, NO_USAGE, NOTHING } from './usage.js'

/** Time before the second attempt; twice as long before each further one. */
const RETRY_SECONDS = 10
/** Characters of an error that are kept. */
const MAX_ERROR = 2000

/** Stores what workers judged. */
export class Judgements {
  readonly #db: Database
  readonly #pages: Pages
  readonly #values: Values
  readonly #clock: Clock

  constructor(db: Database, pages: Pages, values: Values, clock: Clock) {
    this.#db = db
    this.#pages = pages
    this.#values = values
    this.#clock = clock
  }

  /** Stores the judgements whose leases the caller has. */
  async create(
    caller: Caller,
    { judgeId, holder: by, judgements }: MutationCreateJudgementsArgs,
  ): Promise<CreateJudgementsPayload> {
    const holder = this.#values.requiredId('holder', by)
    this.#checkJudgements(judgements)
    const key = { projectId: caller.projectId, judgeId }
    return this.#db.transaction().execute(async (db) => {
      const judge = await lockJudge(db, key.projectId, judgeId)
      if (judge === undefined) throw notFound('judge', judgeId)
      const ids = judgements.map(({ id }) => id)
      const rows = new Map((await lockItems(db, key, ids)).map((row) => [row.id, row]))
      const isOwn = ({ id }: JudgementInput) => rows.get(id)?.holder === holder
      const fresh = judgements.filter((one) => isOwn(one) && rows.get(one.id)?.dueAt !== null)
      await this.#settle(db, key, judge, fresh, rows)
      await this.#createScores(db, caller, judge, judgements, new Set(fresh))
      // A judgement that was sent again was stored before.
      return { stored: judgements.map(isOwn) }
    })
  }

  async #settle(
    db: Database,
    key: JudgeKey,
    judge: JudgeRow,
    judgements: readonly JudgementInput[],
    rows: ReadonlyMap<string, JudgeItemRow>,
  ): Promise<void> {
    const { now } = await timesOf(db, 0)
    const added = { ...NOTHING, lastError: null as string | null }
    const used = { ...NO_USAGE }
    const changes = judgements.map(({ id, error, isReleased, tokens, dollars }): ItemChange => {
      const { holder, attempts } = rows.get(id) as JudgeItemRow
      for (const sum of [added, used]) {
        sum.tokens += tokens ?? 0
        sum.dollars += dollars ?? 0
      }
      if (isReleased === true) {
        used.judgements--
        return { id, dueAt: now, holder: null, attempts: attempts - 1 }
      }
      if (error != null) {
        added.lastError = error.slice(0, MAX_ERROR)
        if (attempts >= MAX_ATTEMPTS) {
          added.failed++
          return { id, dueAt: null, holder, attempts }
        }
        const waitMs = RETRY_SECONDS * 1000 * 2 ** (attempts - 1)
        const dueAt = new Date(Date.parse(now) + waitMs).toISOString()
        return { id, dueAt, holder: null, attempts }
      }
      added.judged++
      return { id, dueAt: null, holder, attempts }
    })
    await changeItems(db, key, changes)
    if (changes.length === 0) return
    await countJudgements(db, key.projectId, key.judgeId, added)
    await useDay(db, key.projectId, judge.name, dayOf(now), used)
  }

  async #createScores(
    db: Database,
    caller: Caller,
    judge: JudgeRow,
    judgements: readonly JudgementInput[],
    fresh: ReadonlySet<JudgementInput>,
  ): Promise<void> {
    const judged = judge.subject === 'THREADS' ? 'threadId' : 'stepId'
    const scores = judgements.flatMap((one, index) =>
      fresh.has(one) && one.error == null && one.isReleased !== true
        ? (one.scores ?? []).map((score, place) => ({
            where: `judgements[${index}].scores[${place}].`,
            score: { ...score, [judged]: one.id, scorer: judge.id },
          }))
        : [],
    )
    await new Scores(db, this.#pages, this.#values, this.#clock).createAll(
      caller,
      scores.map(({ score }) => score),
      (index) => scores[index]?.where ?? '',
    )
  }

  #checkJudgements(judgements: readonly JudgementInput[]): void {
    if (judgements.length > MAX_AT_ONCE)
      throw invalid(`judgements: expected at most ${MAX_AT_ONCE}, got ${judgements.length}`)
    const seen = new Set<string>()
    for (const [index, { id, error, tokens, dollars }] of judgements.entries()) {
      const where = `judgements[${index}].`
      this.#values.requiredId(`${where}id`, id)
      this.#values.text(`${where}error`, error)
      for (const [name, value] of Object.entries({ tokens, dollars }))
        if (value != null && !(value >= 0 && Number.isFinite(value)))
          throw invalid(`${where}${name}: expected a number of 0 or more, got ${value}`)
      if (seen.has(id)) throw invalid(`${where}id: expected each id once, got one twice`)
      seen.add(id)
    }
  }
}
