import { randomUUID } from 'node:crypto'
import { isConflict, isLocked, isOutage, isTooSlow } from '../../database/failures.js'
import { onBehalfOf, withTimeLimit } from '../../database/task.js'
import { DomainError, shorten } from '../../kernel/errors.js'
import type { Instant } from '../../kernel/instant.js'
import {
  type AlertKey,
  type AlertRow,
  findDueAlerts,
  leaseAlert,
  settleAlert,
} from '../../storage/alerts/alerts.js'
import { insertEvent } from '../../storage/alerts/events.js'
import { decide, stateOf } from './decide.js'
import { eventOf, MAX_EVENTS } from './event.js'
import { type Measuring, measureAlert } from './measuring.js'
import { Pool } from './pool.js'
import { isQuiet } from './quiet-hours.js'
import { later } from './time.js'

/** Evaluations at once in a process. */
const AT_ONCE = 4
/** Time that the database may take for an evaluation. */
const EVALUATION_MS = 20_000
/** A lease outlasts an evaluation; that of a process that was killed ends, and another one evaluates the alert. */
const LEASE_MS = 120_000
const EVERY_MS = 60_000
/** Time after which an evaluation begins again that a busy database kept from its end. */
const AGAIN_MS = 10_000
/** A slow alert is evaluated less often, so that it takes at most a twentieth of a process's time for alerts. */
const REST = 20
/** Time for which an alert may wait for a database that is away or too busy, before that is a failure of it. */
const PATIENCE_MS = 15 * 60_000
const MAX_MESSAGE = 500

export interface EvaluatorOptions extends Measuring {
  /** The time, which is the same for all processes of the service. */
  now: () => Promise<Instant>
  /** The URL of the service, for links in calls. */
  publicUrl: string | undefined
  report: (error: unknown) => void
}

const latest = (one: Instant, other: Instant): Instant => (one > other ? one : other)

/** Returns true when the database was away or busy, or others held rows for long. */
const isPassing = (error: unknown): boolean =>
  isOutage(error) || isLocked(error) || isConflict(error)

/** Evaluates alerts that are due, each in one process at a time. */
export class AlertEvaluator {
  readonly #options: EvaluatorOptions
  readonly #pool: Pool
  /** Evaluations since the process started, and those of them that failed. */
  readonly counts = { evaluated: 0, failed: 0 }

  constructor(options: EvaluatorOptions) {
    this.#options = options
    // An outage is reported by requests; the lease ends, and the alert is evaluated again.
    this.#pool = new Pool(AT_ONCE, (error) => {
      if (!isOutage(error)) options.report(error)
    })
  }

  /** Starts the evaluation of alerts that are due, as far as there is room. */
  async work(): Promise<void> {
    if (this.#pool.free <= 0) return
    const { db, now } = this.#options
    const due = await findDueAlerts(db, await now(), this.#pool.free)
    for (const key of due) this.#pool.start(() => this.#evaluate(key))
  }

  /** Resolves once no evaluation runs. */
  idle(): Promise<void> {
    return this.#pool.idle()
  }

  async #evaluate(key: AlertKey): Promise<void> {
    const { db, now, publicUrl } = this.#options
    const lease = randomUUID()
    const begin = await now()
    const until = later(begin, LEASE_MS)
    const alert = await leaseAlert(db, key, { lease, now: begin, until })
    if (alert === undefined) return
    const started = performance.now()
    const measured = await this.#measure(alert, begin)
    if (measured === undefined) {
      await settleAlert(db, key, lease, { dueAt: later(begin, AGAIN_MS) })
      return
    }
    const { value, message } = measured
    const tookMs = performance.now() - started
    const state =
      message === null ? stateOf(value, alert.comparison, alert.threshold) : ('FAILED' as const)
    const quiet = isQuiet(alert.quietHours, begin)
    const { progress, event: decided } = decide(alert, state, begin, quiet)
    await db.transaction().execute(async (transaction) => {
      const isOwn = await settleAlert(transaction, key, lease, {
        ...progress,
        value,
        message,
        evaluatedAt: begin,
        dueAt: later(begin, Math.max(EVERY_MS, REST * tookMs)),
      })
      if (!isOwn || decided === undefined) return
      const { type, isCalled } = decided
      const told = { type, state, value, message, isQuiet: quiet, createdAt: begin }
      const event = eventOf(alert, told, isCalled ? begin : null, publicUrl)
      await insertEvent(transaction, event, MAX_EVENTS)
    })
    this.counts.evaluated++
    if (state === 'FAILED') this.counts.failed++
  }

  /** Returns undefined after a failure that says nothing of the alert. */
  async #measure(
    alert: AlertRow,
    now: Instant,
  ): Promise<{ value: number | null; message: string | null } | undefined> {
    try {
      const value = await onBehalfOf(`alerts of ${alert.projectId}`, () =>
        withTimeLimit(EVALUATION_MS, () => measureAlert(this.#options, alert, now)),
      )
      return { value, message: null }
    } catch (error) {
      const since = latest(alert.evaluatedAt ?? alert.createdAt, alert.updatedAt)
      if (isPassing(error) && now < later(since, PATIENCE_MS)) return undefined
      return { value: null, message: this.#messageOf(error) }
    }
  }

  #messageOf(error: unknown): string {
    if (isTooSlow(error))
      return `the evaluation took longer than ${EVALUATION_MS / 1000} seconds; choose a shorter window or a narrower query`
    if (error instanceof DomainError) return shorten(error.message, MAX_MESSAGE)
    this.#options.report(error)
    return 'an internal error; the log of the service has it'
  }
}
