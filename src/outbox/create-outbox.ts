import { invalidArgument } from '../errors.js'
import { type Connection, count, positive } from '../settings.js'
import { headersOf } from '../transport/http.js'
import type { Session } from './batch.js'
import { deliverAtExit } from './exit-delivery.js'
import { createBatchPost } from './http-post.js'
import type { OpenSpool } from './open-spool.js'
import { DEFAULT_LIMITS, Outbox, type OutboxLimits } from './outbox.js'
import { atProcessEnd } from './process-end.js'
import type { Spool, SpoolOptions } from './spool.js'

export interface DeliveryOptions {
  /**
   * A folder to keep steps in until they are delivered. They are there before the call that recorded them returns,
   * survive the process, and are sent by the next one with the same folder, or by `stepwell spool send`. Node only; for a
   * Tracer, that of `stepwell/spool`.
   */
  spool?: string | undefined
  /** Keeps a serverless function alive until a promise settles: the platform's `waitUntil`. */
  waitUntil?: ((promise: Promise<unknown>) => void) | undefined
  /** Takes messages for people, such as the first loss of a kind; `console.warn` when absent. */
  onReport?: ((message: string) => void) | undefined
  /**
   * Whether to deliver when the process ends: by itself, by `process.exit`, by SIGTERM or SIGINT, by an error that nobody
   * caught. True when absent.
   */
  flushAtExit?: boolean | undefined
  /** How long the end of the process may be held up to deliver, in milliseconds: 5,000 when absent. */
  exitTimeoutMs?: number | undefined
  /** How steps are put together and sent. */
  delivery?: Partial<OutboxLimits> | undefined
}

const EXIT_TIMEOUT_MS = 5000
const MOST_BATCH_BYTES = 4_000_000

/** What delivers the steps of a client. */
export interface Delivery {
  outbox: Outbox
  /** Delivers what there is, or all until the session has ended, while nothing else can run and the time lasts. */
  deliverNow: (timeoutMs: number, isEnd?: boolean) => void
}

/** Makes what delivers the steps of a client. `recordOpen` records the steps that have not ended when the process does. */
export const createOutbox = (
  connection: Connection,
  options: DeliveryOptions,
  report: (message: string) => void,
  recordOpen: (reason: string) => void,
  release: string | undefined,
  openSpool: OpenSpool | undefined,
): Delivery => {
  const url = `${connection.apiUrl}/api/graphql`
  const limits = limitsOf(options.delivery ?? {})
  const exitTimeoutMs = positive('exitTimeoutMs', options.exitTimeoutMs ?? EXIT_TIMEOUT_MS)
  const session: Session = {
    id: crypto.randomUUID(),
    startedAt: new Date().toISOString(),
    release,
    recorded: 0,
    endedAt: undefined,
  }
  const headers = headersOf(connection)
  const spool = openSpoolOf(options.spool, openSpool, {
    session,
    apiKey: connection.apiKey ?? '',
    report,
  })
  const deliverNow = (timeoutMs: number, isEnd = false): void => {
    const isDone = () => (isEnd ? outbox.isFinished : outbox.isEmpty)
    // A fetch of the application's own can't run any more then.
    if (isDone() || connection.fetch !== undefined) return
    deliverAll(outbox, isDone, url, headers, timeoutMs)
  }
  const outbox: Outbox = new Outbox({
    post: createBatchPost(url, connection.fetch),
    headers,
    origin: new URL(url).origin,
    session,
    limits,
    spool,
    report,
    waitUntil: options.waitUntil,
    onStart: () =>
      options.flushAtExit === false
        ? () => {}
        : atProcessEnd({
            deadlineMs: exitTimeoutMs,
            isFinished: () => outbox.isFinished,
            recordOpen,
            finish: (timeoutMs) => outbox.finish({ timeoutMs }),
            deliverNow: (timeoutMs) => {
              if (!outbox.isEmpty) outbox.markEnd()
              deliverNow(timeoutMs)
            },
            flush: (timeoutMs) => outbox.flush({ timeoutMs }),
            end: () => outbox.end(),
          }),
  })
  spool?.watch(outbox)
  return { outbox, deliverNow }
}

const openSpoolOf = (
  folder: string | undefined,
  open: OpenSpool | undefined,
  options: Omit<SpoolOptions, 'folder'>,
): Spool | undefined => {
  if (folder === undefined) return undefined
  if (open === undefined)
    throw invalidArgument(
      'spool: expected the Tracer of stepwell/spool, got that of stepwell/tracing',
    )
  return open({ folder, ...options })
}

/** Rounds: a batch that is refused as a whole is divided, and its parts are sent in the next one. */
const MOST_ROUNDS = 12

const deliverAll = (
  outbox: Outbox,
  isDone: () => boolean,
  url: string,
  headers: Record<string, string>,
  timeoutMs: number,
): void => {
  const deadline = Date.now() + timeoutMs
  for (let round = 0; round < MOST_ROUNDS && !isDone(); round++) {
    const parcels = outbox.takeBodies()
    const outcomes = deliverAtExit(
      url,
      headers,
      parcels.map(({ body }) => body),
      deadline - Date.now(),
    )
    parcels.forEach(({ batch }, index) => {
      const outcome = outcomes[index]
      if (outcome !== undefined) outbox.settle(batch, outcome)
    })
    if (outcomes.some((outcome) => outcome === undefined)) {
      outbox.takeBack(`no answer within ${timeoutMs} ms`)
      return
    }
    if (outcomes.some((outcome) => outcome?.kind === 'later')) break
  }
  outbox.takeBack(undefined)
}

const limitsOf = (given: Partial<OutboxLimits>): OutboxLimits => {
  const limits = { ...DEFAULT_LIMITS }
  for (const name of Object.keys(DEFAULT_LIMITS) as (keyof OutboxLimits)[]) {
    const value = given[name]
    if (value === undefined) continue
    const option = `delivery.${name}`
    limits[name] = name.endsWith('Ms') ? positive(option, value) : count(option, value)
  }
  limits.maxBatchBytes = Math.min(limits.maxBatchBytes, MOST_BATCH_BYTES)
  return limits
}
