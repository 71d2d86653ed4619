import type { Database } from '../../database/database.js'
import { isOutage } from '../../database/failures.js'
import type { Instant } from '../../kernel/instant.js'
import { type AlertRow, findAlert } from '../../storage/alerts/alerts.js'
import {
  type AlertEventKey,
  type AlertEventRow,
  beginCall,
  endCall,
  findDueCalls,
} from '../../storage/alerts/events.js'
import type { Sealing } from '../models/sealing.js'
import { Pool } from './pool.js'
import { type PostOutcome, post } from './post.js'
import { contextOf } from './sealed.js'
import { signedHeaders } from './signature.js'
import { later } from './time.js'

/** Calls at once in a process. */
const AT_ONCE = 8
/** Time before the second attempt, longer than an attempt takes; twice as long before each further one. */
export const RETRY_MS = 30_000
const LONGEST_RETRY_MS = 15 * 60_000
/** Time after which a call is given up. */
const KEPT_MS = 24 * 3_600_000
/** The answer of a webhook that is gone for good. */
const GONE = 410

export interface CallsOptions {
  db: Database
  sealing: Sealing
  /** Hosts of private networks that the operator allows. */
  allowed: readonly string[]
  /** The time, which is the same for all processes of the service. */
  now: () => Promise<Instant>
  report: (error: unknown) => void
}

/** Returns the time before the next attempt, after so many. */
const waitAfter = (attempts: number): number =>
  Math.min(RETRY_MS * 2 ** (attempts - 1), LONGEST_RETRY_MS)

/**
 * Calls the webhooks of alerts. Calls are rows, so that another process makes those of one that was killed: a webhook
 * can hear of an event twice, and knows it by its id.
 */
export class AlertCalls {
  readonly #options: CallsOptions
  readonly #pool: Pool
  readonly #stop = new AbortController()
  /** Attempts since the process started, and those of them that failed. */
  readonly counts = { attempts: 0, failed: 0 }

  constructor(options: CallsOptions) {
    this.#options = options
    this.#pool = new Pool(AT_ONCE, (error) => {
      if (!isOutage(error)) options.report(error)
    })
  }

  /** Starts calls that are due, as far as there is room. */
  async work(): Promise<void> {
    if (this.#pool.free <= 0 || this.#stop.signal.aborted) return
    const { db, now } = this.#options
    for (const { callAttempts, ...key } of await findDueCalls(db, await now(), this.#pool.free))
      this.#pool.start(() => this.#attempt(key, callAttempts + 1))
  }

  /** Resolves once no call is under way. */
  idle(): Promise<void> {
    return this.#pool.idle()
  }

  /** Ends calls under way, which are made again later. */
  async close(): Promise<void> {
    this.#stop.abort()
    await this.idle()
  }

  async #attempt(key: AlertEventKey, number: number): Promise<void> {
    const { db, now } = this.#options
    const begin = await now()
    const event = await beginCall(db, key, begin, later(begin, waitAfter(number)))
    // Another process may be faster.
    if (event !== undefined) await this.deliver(event, false)
  }

  /**
   * Makes an attempt of a call that the caller has begun, and returns the event after it. The only attempt is not
   * followed by others.
   */
  async deliver(event: AlertEventRow, isOnly: boolean): Promise<AlertEventRow> {
    const { db, now } = this.#options
    const { projectId, alertId, createdAt, nextCallAt } = event
    const alert = await findAlert(db, { projectId, id: alertId })
    if (alert === undefined) return event
    const outcome = await this.#post(alert, event, await now())
    // Of a call that was ended by the service nothing is known.
    if (this.#stop.signal.aborted && !outcome.isDelivered) return event
    this.counts.attempts++
    if (!outcome.isDelivered) this.counts.failed++
    const isLate = nextCallAt === null || nextCallAt > later(createdAt, KEPT_MS)
    const isLast = isOnly || isLate || outcome.status === GONE
    const callState = outcome.isDelivered ? 'DELIVERED' : isLast ? 'FAILED' : 'PENDING'
    const changes = {
      callState,
      callStatus: outcome.status,
      callError: outcome.error,
      calledAt: await now(),
      nextCallAt: callState === 'PENDING' ? nextCallAt : null,
    } as const
    await endCall(db, event, changes)
    return { ...event, ...changes }
  }

  #post(alert: AlertRow, event: AlertEventRow, now: Instant): Promise<PostOutcome> | PostOutcome {
    const { sealing, allowed } = this.#options
    const context = contextOf(alert.projectId, alert.id)
    const url = sealing.open(alert.sealedUrl, context)
    const secret = sealing.open(alert.sealedSecret, context)
    if (url === undefined || secret === undefined)
      return {
        isDelivered: false,
        status: null,
        error:
          'the stored URL and secret cannot be read; enter the URL again and rotate the secret',
      }
    const body = event.callBody ?? ''
    const seconds = Math.floor(Date.parse(now) / 1000)
    const headers = signedHeaders(secret, event.id, seconds, body)
    return post(new URL(url), headers, body, allowed, this.#stop.signal)
  }
}
