import type {
  CreateJudgementsPayload,
  JudgeInput,
  JudgementInput,
  JudgementPair,
  LeaseJudgementsPayload,
  MutationCreateJudgementsArgs,
  MutationLeaseJudgementsArgs,
} from '../../../generated/resolvers.js'
import type { Database } from '../../database/database.js'
import type { Caller } from '../../kernel/caller.js'
import { invalid, notFound } from '../../kernel/errors.js'
import type { Clock, Instant } from '../../kernel/instant.js'
import type { Pages } from '../../lists/page.js'
import {
  changeItems,
  dropItems,
  extendItems,
  findDueItems,
  findForgottenItems,
  findNextDue,
  type ItemChange,
  type JudgeItemRow,
  type JudgeKey,
  leaseItems,
  lockItems,
  sumReserved,
} from '../../storage/judges/items.js'
import {
  countJudgements,
  countWaiting,
  findDays,
  findSubject,
  type JudgeRow,
  type JudgeUsageRow,
  type JudgeWrite,
  listJudges,
  lockJudge,
  touchJudge,
  useDay,
} from '../../storage/judges/judges.js'
import { timesOf } from '../../storage/leases.js'
import { findScoresBy, findScoresByPeople } from '../../storage/scores/judgements.js'
import { findSteps } from '../../storage/steps.js'
import type { ProjectPrices } from '../prices/project-prices.js'
import { Scores } from '../scores.js'
import type { Values } from '../values.js'
import { allowanceOf, checkBudget } from './budget.js'
import { type Readiness, readinessOf } from './readiness.js'

const MAX_AT_ONCE = 100
/** Leases that a worker may name. */
const MAX_HOLDING = 1000
const MAX_SECONDS = 3600
const MAX_QUIET_SECONDS = 86_400
/** Items that one request looks at; the next request goes on. */
const MAX_EXAMINED = 200
/** Leases of an item that may end without a result. */
const MAX_ATTEMPTS = 5
/** Time before the second attempt; twice as long before each further one. */
const RETRY_SECONDS = 10
/** Time after which a worker asks again that the budget holds up. */
const HELD_MS = 500
const DAY_SECONDS = 86_400
/** Time for which items are kept for a judge, and for which new ones are, since a worker asked last. */
const KEPT_SECONDS = 7 * DAY_SECONDS
/** Characters of an error that are kept. */
const MAX_ERROR = 2000
const NOTHING = { judged: 0, failed: 0, expired: 0, tokens: 0, dollars: 0, lastError: null }
const NO_USAGE: JudgeUsageRow = { judgements: 0, tokens: 0, dollars: 0 }

/** Judges of live traffic: their workers lease steps or threads, and store judgements. */
export class Judges {
  readonly #db: Database
  readonly #pages: Pages
  readonly #values: Values
  readonly #clock: Clock
  readonly #prices: ProjectPrices

  constructor(db: Database, pages: Pages, values: Values, clock: Clock, prices: ProjectPrices) {
    this.#prices = prices
    this.#db = db
    this.#pages = pages
    this.#values = values
    this.#clock = clock
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

  /** Leases items that are due, pass the filters and fit into the budget. */
  async lease(
    caller: Caller,
    { judge: given, holder: by, first, seconds, holding }: MutationLeaseJudgementsArgs,
  ): Promise<LeaseJudgementsPayload> {
    const judge = this.#readJudge(caller, given)
    const key = { projectId: caller.projectId, judgeId: judge.id }
    const holder = this.#values.requiredId('holder', by)
    between('first', first, 0, MAX_AT_ONCE)
    between('seconds', seconds, 1, MAX_SECONDS)
    between('number of holding', holding?.length ?? 0, 0, MAX_HOLDING)
    const { now: seen } = await timesOf(this.#db, 0)
    const found = first === 0 ? [] : await findDueItems(this.#db, key, seen, MAX_EXAMINED)
    const services = { db: this.#db, pages: this.#pages, prices: this.#prices }
    const foundIds = found.map(({ id }) => id)
    const readiness = await readinessOf(services, key.projectId, given, foundIds, seen)
    return this.#db.transaction().execute(async (db) => {
      const times = await timesOf(db, KEPT_SECONDS)
      await touchJudge(db, judge, times.now, times.until)
      const known = (await lockJudge(db, key.projectId, key.judgeId)) as JudgeRow
      if (known.subject !== judge.subject)
        throw invalid(
          `judge.subject: expected ${known.subject}, as ${judge.id} judges these, got ${judge.subject}; use another version`,
        )
      const sorted = await this.#sort(db, key, found, readiness, times.now)
      const { ready, lost, postponed, expired } = sorted
      const forgotten =
        holding == null
          ? []
          : await this.#remind(
              db,
              key,
              { holder, known: holding, now: times.now, most: first },
              seconds,
            )
      const wanted = ready.slice(0, first - forgotten.length)
      const used = await useDay(db, key.projectId, judge.name, dayOf(times.now), {
        ...NO_USAGE,
        ...costOf(lost),
      })
      const allowed = allowanceOf(
        given.budget,
        wanted.length,
        known,
        used,
        await sumReserved(db, key, times.now),
      )
      const leased = wanted.slice(0, allowed.leases)
      const failed = lost.filter(({ attempts }) => attempts >= MAX_ATTEMPTS)
      if (leased.length > 0) {
        const { until } = await timesOf(db, seconds)
        const ids = leased.map(({ id }) => id)
        await leaseItems(db, key, ids, { holder, until, ...allowed })
      }
      await changeItems(db, key, [...failed.map(lastChange), ...postponed])
      if (failed.length + expired > 0)
        await countJudgements(db, key.projectId, key.judgeId, {
          ...NOTHING,
          ...(failed.length > 0 ? { failed: failed.length, lastError: NO_RESULT } : {}),
          expired,
        })
      const usedToday =
        leased.length === 0
          ? used
          : await useDay(db, key.projectId, judge.name, dayOf(times.now), {
              ...NO_USAGE,
              judgements: leased.length,
            })
      const next = await findNextDue(db, key)
      // Judgements under way may leave some of the budget.
      const isHeld = wanted.length > 0 && leased.length === 0 && !allowed.isSpent
      return {
        judgeId: judge.id,
        leases: [
          ...forgotten.map(({ id, attempts }) => ({ id, attempt: attempts })),
          ...leased.map(({ id, attempts }) => ({ id, attempt: attempts + 1 })),
        ],
        isSpent: allowed.isSpent,
        waitMs: isHeld ? HELD_MS : waitOf(times.now, next, allowed.isSpent),
        usedToday,
      }
    })
  }

  /** Returns the leases of a worker that it does not know, as an answer was lost. They begin anew. */
  async #remind(
    db: Database,
    key: JudgeKey,
    lease: Parameters<typeof findForgottenItems>[2],
    seconds: number,
  ): Promise<JudgeItemRow[]> {
    const forgotten = await findForgottenItems(db, key, lease)
    if (forgotten.length > 0) {
      const { until } = await timesOf(db, seconds)
      const ids = forgotten.map(({ id }) => id)
      await extendItems(db, key, ids, until)
    }
    return forgotten
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

  /**
   * Sorts items into those to lease, those whose lease ended without a result, those that are due later, and those that
   * are of no interest any more.
   */
  async #sort(
    db: Database,
    key: JudgeKey,
    found: readonly JudgeItemRow[],
    { passing, later }: Readiness,
    now: Instant,
  ) {
    const before = new Map(found.map((row) => [row.id, row]))
    const rows = found.length === 0 ? [] : await lockItems(db, key, [...before.keys()])
    // Another worker may have them by now, and those that were written since are due later.
    const same = rows
      .filter(({ dueAt, id, revision }) => {
        const row = before.get(id)
        return dueAt !== null && dueAt <= now && row?.revision === revision && row.dueAt === dueAt
      })
      .sort((one, other) => ((one.dueAt as Instant) < (other.dueAt as Instant) ? -1 : 1))
    const isOld = ({ dueAt }: JudgeItemRow) =>
      Date.parse(now) - Date.parse(dueAt as Instant) > KEPT_SECONDS * 1000
    const left = same.filter((row) => !later.has(row.id) && (!passing.has(row.id) || isOld(row)))
    await dropItems(
      db,
      key,
      left.map(({ id }) => id),
    )
    const kept = same.filter((row) => !left.includes(row))
    const open = kept.filter(({ attempts }) => attempts < MAX_ATTEMPTS)
    return {
      ready: open.filter(({ id }) => !later.has(id)),
      postponed: open.flatMap(({ id, attempts }): ItemChange[] => {
        const dueAt = later.get(id)
        return dueAt === undefined ? [] : [{ id, dueAt, holder: null, attempts }]
      }),
      lost: kept.filter(({ holder }) => holder !== null),
      expired: left.filter((row) => passing.has(row.id)).length,
    }
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

  #readJudge({ projectId }: Caller, given: JudgeInput): JudgeWrite {
    const { sample, quietSeconds, subject, scoreNames } = given
    const name = this.#values.requiredId('judge.name', given.name)
    const version = this.#values.requiredId('judge.version', given.version)
    if (!(sample >= 0 && sample <= 1))
      throw invalid(`judge.sample: expected a number from 0 to 1, got ${sample}`)
    between('judge.quietSeconds', quietSeconds, 0, MAX_QUIET_SECONDS)
    checkBudget(given.budget)
    const names = scoreNames ?? []
    if (names.length > MAX_AT_ONCE)
      throw invalid(`judge.scoreNames: expected at most ${MAX_AT_ONCE}, got ${names.length}`)
    for (const [index, one] of names.entries())
      this.#values.requiredId(`judge.scoreNames[${index}]`, one)
    checkFilters(given)
    const id = this.#values.requiredId('judge.name and judge.version', `${name}@${version}`)
    return { projectId, id, name, version, subject, sample, quietSeconds, scoreNames: names }
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

const NO_RESULT = `no result after ${MAX_ATTEMPTS} attempts`

const lastChange = ({ id, holder, attempts }: JudgeItemRow): ItemChange => ({
  id,
  dueAt: null,
  holder,
  attempts,
})

/** Returns the usage that lost judgements had probably, as nobody has told it. */
const costOf = (lost: readonly JudgeItemRow[]) => ({
  tokens: lost.reduce((sum, { reservedTokens }) => sum + (reservedTokens ?? 0), 0),
  dollars: lost.reduce((sum, { reservedDollars }) => sum + (reservedDollars ?? 0), 0),
})

/** @throws DomainError when there are conditions on things that the judge does not judge. */
const checkFilters = ({ subject, filters, threadFilters }: JudgeInput): void => {
  if (subject === 'THREADS' && filters != null && filters.length > 0)
    throw invalid('judge.filters: expected none for THREADS, whose conditions are threadFilters')
  if (subject === 'STEPS' && threadFilters != null && threadFilters.length > 0)
    throw invalid('judge.threadFilters: expected none for STEPS, whose conditions are filters')
}

const dayOf = (now: Instant): string => now.slice(0, 10)

/** Returns the milliseconds until midnight when the budget is spent, until an item is due otherwise. */
const waitOf = (now: Instant, next: Instant | undefined, isSpent: boolean): number => {
  const dayMs = DAY_SECONDS * 1000
  if (isSpent) return Math.ceil(dayMs - (Date.parse(now) % dayMs))
  if (next === undefined) return dayMs
  return Math.min(dayMs, Math.max(0, Math.ceil(Date.parse(next) - Date.parse(now))))
}

const between = (name: string, value: number, least: number, most: number): void => {
  if (!(value >= least && value <= most))
    throw invalid(`${name}: expected ${least} to ${most}, got ${value}`)
}
