import { invalidArgument } from '../errors.js'
import { type Connection, count, mustBeObject, positive } from '../settings.js'
import { headersOf } from '../transport/http.js'
import type { Session } from './batch.js'
import { type DeliverAtExit, deliverAtExit } from './exit/deliver.js'
import { deliverAll, type Extent } from './exit/deliver-all.js'
import { type AtProcessEnd, atProcessEnd } from './exit/process-end.js'
import { awaitWorkersAtExit, deliverAtMainExit } from './exit/worker-threads.js'
import { type Host, runtime } from './host.js'
import { DEFAULT_LIMITS, type OutboxLimits } from './limits.js'
import { Outbox } from './outbox.js'
import { type BatchPost, createBatchPost } from './sending/http-post.js'
import type { OpenSpool } from './spool/open.js'
import type { Spool, SpoolOptions } from './spool/spool.js'

export interface DeliveryOptions {
  /**
   * A folder to keep steps in until they are delivered. They are there before the call that recorded them returns,
   * survive the process, and are sent by the next one with the same folder, or by `stepwell spool send`. Node only; for a
   * Tracer, that of `stepwell/spool`.
   */
  spool?: string | undefined
  /** Keeps a serverless function alive until a promise settles: the platform's `waitUntil`. */
  waitUntil?: ((promise: Promise<unknown>) => void) | undefined
  /** Takes messages for people, such as the first loss of a kind. Default: `console.warn`. */
  onReport?: ((message: string) => void) | undefined
  /**
   * Delivers when the process ends: by itself, by `process.exit`, by SIGTERM, SIGINT or SIGHUP, or by an uncaught error. Default:
   * true.
   */
  flushAtExit?: boolean | undefined
  /** The most time by which delivery delays the end of the process, in milliseconds. Default: 5,000. */
  exitTimeoutMs?: number | undefined
  /** The sizes and times of batches. */
  delivery?: Partial<OutboxLimits> | undefined
}

const EXIT_TIMEOUT_MS = 5000
const MAX_BATCH_BYTES = 4_000_000

/** @internal Delivers the steps of a client. */
export interface Delivery {
  outbox: Outbox
  /**
   * Delivers the waiting steps, or everything up to the end of the session, while nothing else can run and until the
   * time-out.
   */
  deliverNow: (timeoutMs: number, extent: Extent) => void
}

/** @internal The surroundings of delivery: time, network and process. Tests replace them, to try rare cases. */
export interface Platform {
  host: Host
  createPost: (url: string, fetch: Connection['fetch']) => BatchPost
  deliverAtExit: DeliverAtExit
  atProcessEnd: AtProcessEnd
  awaitWorkersAtExit: (timeoutMs: number) => void
  deliverAtMainExit: (deliver: () => Promise<unknown>) => () => void
}

/** @internal The surroundings of a running application. */
export const platform: Platform = {
  host: runtime,
  createPost: createBatchPost,
  deliverAtExit,
  atProcessEnd,
  awaitWorkersAtExit,
  deliverAtMainExit,
}

/**
 * @internal Creates the delivery of a client's steps. `recordOpen` records the steps that have not ended when the
 * process does.
 */
export const createOutbox = (
  connection: Connection,
  options: DeliveryOptions,
  report: (message: string) => void,
  recordOpen: (reason: string) => void,
  release: string | undefined,
  openSpool: OpenSpool | undefined,
  {
    host,
    createPost,
    deliverAtExit,
    atProcessEnd,
    awaitWorkersAtExit,
    deliverAtMainExit,
  }: Platform = platform,
): Delivery => {
  const url = `${connection.apiUrl}/api/graphql`
  const limits = limitsOf(options.delivery ?? {})
  const exitTimeoutMs = positive('exitTimeoutMs', options.exitTimeoutMs ?? EXIT_TIMEOUT_MS)
  const session: Session = {
    id: host.newId(),
    startedAt: new Date(host.now()).toISOString(),
    release,
    recorded: 0,
    endedAt: undefined,
  }
  const headers = headersOf(connection)
  const spool = openSpoolOf(options.spool, openSpool, {
    session,
    apiKey: connection.apiKey ?? '',
    report,
    host,
  })
  const deliverNow = (timeoutMs: number, extent: Extent): void => {
    // A custom fetch cannot run any more at that point.
    if (connection.fetch !== undefined) return
    const send = (bodies: Uint8Array[], leftMs: number) =>
      deliverAtExit(url, headers, bodies, leftMs)
    deliverAll(outbox, extent, send, host, timeoutMs)
  }
  const outbox: Outbox = new Outbox({
    host,
    post: createPost(url, connection.fetch),
    headers,
    origin: new URL(url).origin,
    session,
    limits,
    spool,
    report,
    waitUntil: options.waitUntil,
    onStart: () => {
      if (options.flushAtExit === false) return () => {}
      const forget = atProcessEnd({
        deadlineMs: exitTimeoutMs,
        isFinished: () => outbox.isFinished,
        recordOpen,
        finish: (timeoutMs) => outbox.finish({ timeoutMs }),
        deliverNow: (timeoutMs) => deliverNow(timeoutMs, 'exit'),
        flush: (timeoutMs) => outbox.flush({ timeoutMs }),
        end: () => outbox.end(),
      })
      const forgetMain = deliverAtMainExit(async () => {
        recordOpen('unfinished: the process exited')
        // First, as a worker that goes on recording cancels the end.
        await outbox.flush({ timeoutMs: exitTimeoutMs })
        await outbox.finish({ timeoutMs: exitTimeoutMs })
      })
      return () => {
        forget()
        forgetMain()
      }
    },
  })
  if (options.flushAtExit !== false) awaitWorkersAtExit(exitTimeoutMs)
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

const limitsOf = (given: Partial<OutboxLimits>): OutboxLimits => {
  mustBeObject('delivery', given)
  const limits = { ...DEFAULT_LIMITS }
  for (const name of Object.keys(DEFAULT_LIMITS) as (keyof OutboxLimits)[]) {
    const value = given[name]
    if (value === undefined) continue
    const option = `delivery.${name}`
    limits[name] = name.endsWith('Ms') ? positive(option, value) : count(option, value)
  }
  limits.maxBatchBytes = Math.min(limits.maxBatchBytes, MAX_BATCH_BYTES)
  return limits
}
