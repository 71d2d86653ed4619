import type { Duplex } from 'node:stream'
import {
  type Dialect,
  PostgresDialect,
  type PostgresPool,
  type PostgresPoolClient,
  type PostgresQueryResult,
} from 'kysely'
import pg from 'pg'
import { type Leave, OWN, Places } from '../kernel/sharing/places.js'
import { boundedParsers } from './answer-size.js'
import { clientLeft, isOutage, tooSlow, translated, unreachable } from './failures.js'
import { encodeParameter } from './parameters.js'
import { currentTask, type Task } from './task.js'

/** Connections to an engine, and ways to end what they run. */
export interface Connections {
  pool: pg.Pool
  /** Makes the statement that a connection waits for fail. */
  cancel: (client: pg.PoolClient) => Promise<void>
  /** Closes a connection whose statement does not end otherwise. */
  abandon: (client: pg.PoolClient, reason: Error) => void
}

/** The use of a pool of connections. */
export interface PoolUse {
  most: number
  open: number
  inUse: number
  waiting: number
}

export interface DriverOptions {
  /** Time limit of a statement; 0 for none. */
  statementTimeoutMs: number
  /** Size limit of an answer. */
  answerBytes: number
  report: (error: unknown) => void
  /** Called when a request has to wait for a connection. */
  waited: () => void
  /** Receives a function that reads the use of the pool. */
  observe: (read: () => PoolUse) => void
}

/**
 * Prepared statements per connection. The program has some dozens, and lists have one for each combination of filters.
 */
const MAX_PREPARED = 200
/** Begins a statement that is not prepared: its text is seldom the same. */
export const ONCE = '/* once */ '
/** Time that a cancelled statement has to end. */
const GRACE_MS = 5000
/** Share of the connections that only the service's own work may use, such as commits of steps. */
const OWN_SHARE = 0.2
/** A rollback has no time limit: it ends what is under way. */
const ROLLBACK = /^rollback\b/i
const MAX_TIMER_MS = 2 ** 31 - 1

/** Creates a Kysely dialect for any engine that speaks PostgreSQL's protocol. */
export const dialectOver = (
  { pool, cancel, abandon }: Connections,
  { statementTimeoutMs, answerBytes, report, waited, observe }: DriverOptions,
): Dialect => {
  // A connection that breaks while idle is replaced when the next one is needed.
  pool.on('error', report)
  // A break between two statements of a transaction is reported only here; the next statement fails because of it.
  pool.on('connect', (client) => client.on('error', () => undefined))
  const nameOf = names()
  const { max: count } = pool.options
  // A key takes no more than it leaves to the others: alone at most half of the connections for requests, two keys a
  // third each.
  const places = new Places({
    count,
    reserved: Math.floor(count * OWN_SHARE),
    mayTake: (taken, free) => taken < free,
    now: () => performance.now(),
  })
  observe(() => ({
    most: count,
    open: pool.totalCount,
    inUse: places.taken,
    waiting: places.waiting,
  }))
  const query = async (client: pg.PoolClient, text: string, parameters: readonly unknown[]) => {
    const task = ROLLBACK.test(text) ? undefined : currentTask()
    const timeoutMs = Math.min(
      task?.leftMs ?? Number.POSITIVE_INFINITY,
      task?.statementMs ?? Number.POSITIVE_INFINITY,
      statementTimeoutMs > 0 ? statementTimeoutMs : Number.POSITIVE_INFINITY,
    )
    if (timeoutMs <= 0) throw tooSlow()
    let cancelled: Promise<void> | undefined
    let grace: NodeJS.Timeout | undefined
    const stop = () => {
      cancelled ??= cancel(client).catch(report)
      grace ??= setTimeout(() => abandon(client, tooSlow()), GRACE_MS)
    }
    const timer = timeoutMs <= MAX_TIMER_MS ? setTimeout(stop, timeoutMs) : undefined
    const end = task?.begin()
    const { stream } = (client as unknown as { connection: { stream: Duplex } }).connection
    let isPaused = false
    const pause = (until: Promise<void>) => {
      isPaused = true
      stream.pause()
      void until.then(() => stream.resume())
    }
    try {
      const name = nameOf(text)
      const statement = {
        text,
        values: parameters.map(encodeParameter),
        // The rest of an answer that is too large is not read.
        types: typesWithin(answerBytes, stop, task, pause),
      }
      return await client.query(name === undefined ? statement : { ...statement, name })
    } catch (error) {
      throw translated(error)
    } finally {
      clearTimeout(timer)
      // The next statement may be another key's, which does not wait for this one's turn.
      if (isPaused) stream.resume()
      // A late cancellation must not hit the next statement.
      await cancelled
      clearTimeout(grace)
      end?.()
    }
  }
  const connect = async (): Promise<PostgresPoolClient> => {
    const { client, leave } = await acquire(pool, places, waited)
    let isBroken = false
    return {
      query: async (text: string, parameters: readonly unknown[]) => {
        try {
          const result = await query(client, text, parameters)
          return result as unknown as PostgresQueryResult<never>
        } catch (error) {
          // A connection that broke, or that is in the middle of a transaction, must not be used again.
          isBroken ||= isOutage(error) || ROLLBACK.test(text)
          throw error
        }
      },
      release: () => {
        client.release(isBroken)
        leave()
      },
    } as unknown as PostgresPoolClient
  }
  return new PostgresDialect({ pool: { connect, end: () => pool.end() } as PostgresPool })
}

/** Waits for a connection in the queue of its key, within the time limit. */
const acquire = async (
  pool: pg.Pool,
  places: Places,
  waited: () => void,
): Promise<{ client: pg.PoolClient; leave: Leave }> => {
  const task = currentTask()
  const leftMs = task?.leftMs ?? Number.POSITIVE_INFINITY
  if (leftMs <= 0) throw tooSlow()
  const patience = new AbortController()
  const timer =
    leftMs <= MAX_TIMER_MS ? setTimeout(() => patience.abort(tooSlow()), leftMs) : undefined
  const key = task?.key ?? OWN
  const end = task?.begin()
  try {
    // Before a connection is taken: whoever waits with one would keep out the request that it waits for.
    const ready = task?.answers?.ready()
    if (ready !== undefined) await unlessAborted(ready, patience.signal)
    let leave = places.take(key)
    if (leave === undefined) {
      if (key !== OWN) waited()
      leave = await places.wait(key, patience.signal)
    }
    if (task?.isAwaited === false) {
      leave()
      throw clientLeft()
    }
    const connecting = pool.connect()
    try {
      return { client: await unlessAborted(connecting, patience.signal), leave }
    } catch (error) {
      // The connection may arrive after its caller has given up.
      connecting
        .then(
          (client) => client.release(),
          () => undefined,
        )
        .finally(leave)
      throw error
    }
  } catch (error) {
    throw unreachable(error)
  } finally {
    clearTimeout(timer)
    end?.()
  }
}

const unlessAborted = <Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> =>
  new Promise((resolve, reject) => {
    const giveUp = () => reject(signal.reason)
    if (signal.aborted) giveUp()
    signal.addEventListener('abort', giveUp)
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', giveUp))
  })

/** Creates the parsers for one answer. */
const typesWithin = (
  maxBytes: number,
  exceeded: () => void,
  task: Task | undefined,
  pause: (until: Promise<void>) => void,
) => {
  const own: Partial<Record<number, (text: string) => unknown>> = boundedParsers(
    maxBytes,
    exceeded,
    task,
    pause,
  )
  return {
    getTypeParser: (id: number, format?: string) =>
      own[id] ?? pg.types.getTypeParser(id, format as 'text'),
  } as pg.CustomTypesConfig
}

/** Names the texts of statements, up to a number of them. */
const names = () => {
  const known = new Map<string, string>()
  return (text: string): string | undefined => {
    if (text.startsWith(ONCE)) return undefined
    const name = known.get(text)
    if (name !== undefined || known.size >= MAX_PREPARED) return name
    const next = `stepwell_${known.size}`
    known.set(text, next)
    return next
  }
}
