import type {
  LeaseJudgementsPayload,
  MutationLeaseJudgementsArgs,
} from '../../../generated/resolvers.js'
import type { Database } from '../../database/database.js'
import type { Caller } from '../../kernel/caller.js'
import { invalid } from '../../kernel/errors.js'
import type { Instant } from '../../kernel/instant.js'
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
  type JudgeRow,
  lockJudge,
  noteSpent,
  touchJudge,
  useDay,
} from '../../storage/judges/judges.js'
import { timesOf } from '../../storage/leases.js'
import type { ThreadSums } from '../threads/sums.js'
import type { Values } from '../values.js'
import { allowanceOf } from './budget.js'
import { between, readJudge } from './judge-input.js'
import { type Readiness, readinessOf } from './readiness.js'
import { dayOf, MAX_AT_ONCE, MAX_ATTEMPTS, NO_USAGE, NOTHING } from './usage.js'

/** Leases that a worker may name. */
const MAX_HOLDING = 1000
const MAX_SECONDS = 3600
/** Items that one request looks at; the next request goes on. */
const MAX_EXAMINED = 200
/** Time after which a worker asks again that the budget holds up. */
const HELD_MS = 500
const DAY_SECONDS = 86_400
/** Time for which items are kept for a judge, and for which new ones are, since a worker asked last. */
const KEPT_SECONDS = 7 * DAY_SECONDS

/** Leases steps or threads to the workers of judges, each to one of them at a time. */
export class JudgementLeases {
  readonly #db: Database
  readonly #pages: Pages
  readonly #values: Values
  readonly #sums: ThreadSums

  constructor(db: Database, pages: Pages, values: Values, sums: ThreadSums) {
    this.#db = db
    this.#pages = pages
    this.#values = values
    this.#sums = sums
  }

  /** Leases items that are due, pass the filters and fit into the budget. */
  async lease(
    caller: Caller,
    { judge: given, holder: by, first, seconds, holding }: MutationLeaseJudgementsArgs,
  ): Promise<LeaseJudgementsPayload> {
    const judge = readJudge(this.#values, caller, given)
    const key = { projectId: caller.projectId, judgeId: judge.id }
    const holder = this.#values.requiredId('holder', by)
    between('first', first, 0, MAX_AT_ONCE)
    between('seconds', seconds, 1, MAX_SECONDS)
    between('number of holding', holding?.length ?? 0, 0, MAX_HOLDING)
    const { now: seen } = await timesOf(this.#db, 0)
    const found = first === 0 ? [] : await findDueItems(this.#db, key, seen, MAX_EXAMINED)
    const services = { db: this.#db, pages: this.#pages, sums: this.#sums }
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
      const spentOn = allowed.isSpent ? dayOf(times.now) : null
      if (spentOn !== known.spentOn) await noteSpent(db, key.projectId, key.judgeId, spentOn)
      const leased = wanted.slice(0, allowed.leases)
      const failed = lost.filter(({ attempts }) => attempts >= MAX_ATTEMPTS)
      if (leased.length > 0) {
        const { until } = await timesOf(db, seconds)
        const ids = leased.map(({ id }) => id)
        await leaseItems(db, key, ids, { holder, until, ...allowed })
      }
      const changed = [...failed.map(lastChange), ...postponed]
      const done = new Set([...changed, ...leased].map(({ id }) => id))
      // Those that wait on have cost now what was reserved for them.
      const left = lost.filter(({ id }) => !done.has(id))
      await changeItems(db, key, [...changed, ...left])
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

/** Returns the milliseconds until midnight when the budget is spent, until an item is due otherwise. */
const waitOf = (now: Instant, next: Instant | undefined, isSpent: boolean): number => {
  const dayMs = DAY_SECONDS * 1000
  if (isSpent) return Math.ceil(dayMs - (Date.parse(now) % dayMs))
  if (next === undefined) return dayMs
  return Math.min(dayMs, Math.max(0, Math.ceil(Date.parse(next) - Date.parse(now))))
}
