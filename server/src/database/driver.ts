import {
  type Dialect,
  PostgresDialect,
  type PostgresPool,
  type PostgresPoolClient,
  type PostgresQueryResult,
} from 'kysely'
import pg from 'pg'
import { type Leave, OWN, Places } from '../kernel/places.js'
import { boundedParsers } from './answer-size.js'
import { isOutage, tooSlow, translated, unreachable } from './failures.js'
import { encodeParameter } from './parameters.js'
import { timeLimit } from './time-limit.js'

/** Connections to an engine, and how to end what they do. */
export interface Connections {
  pool: pg.Pool
  /** Has the statement that a connection waits for end with an error. */
  cancel: (client: pg.PoolClient) => Promise<void>
  /** Ends a connection whose statement does not end otherwise. */
  abandon: (client: pg.PoolClient, reason: Error) => void
}

export interface DriverOptions {
  /** How long a statement may take, in milliseconds; 0 for as long as it needs. */
  statementTimeoutMs: number
  /** How much an answer may hold. */
  answerBytes: number
  report: (error: unknown) => void
  /** Is told when a request waits for a connection. */
  waited: () => void
}

/** Statements that a connection keeps prepared: the program has some dozens, and lists as many as people make filters. */
const MAX_PREPARED = 200
/** How long a statement that was cancelled may take to end. */
const GRACE_MS = 5000
/** The part of the connections that requests leave to the service's own work, such as commits of steps. */
const OWN_SHARE = 0.2
/** It ends what is under way, whenever that is. */
const ROLLBACK = /^rollback\b/i
const MAX_TIMER_MS = 2 ** 31 - 1

/** One driver for every engine that speaks PostgreSQL's protocol. */
export const dialectOver = (
  { pool, cancel, abandon }: Connections,
  { statementTimeoutMs, answerBytes, report, waited }: DriverOptions,
): Dialect => {
  // A connection that breaks while nobody uses it is replaced by the next one that is needed.
  pool.on('error', report)
  // One that breaks between the statements of a transaction says so to nobody else, and the next statement fails by it.
  pool.on('connect', (client) => client.on('error', () => undefined))
  const nameOf = names()
  const { max: count } = pool.options
  // A key takes no more than it leaves to the others: alone half of what requests may have, two of them a third each.
  const places = new Places({
    count,
    reserved: Math.floor(count * OWN_SHARE),
    mayTake: (taken, free) => taken < free,
  })
  const query = async (client: pg.PoolClient, text: string, parameters: readonly unknown[]) => {
    const limit = ROLLBACK.test(text) ? undefined : timeLimit()
    const timeoutMs = Math.min(
      limit?.leftMs ?? Number.POSITIVE_INFINITY,
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
    const end = limit?.begin()
    try {
      const name = nameOf(text)
      const statement = {
        text,
        values: parameters.map(encodeParameter),
        // Of an answer that is too large, the rest need not come.
        types: typesWithin(answerBytes, stop),
      }
      return await client.query(name === undefined ? statement : { ...statement, name })
    } catch (error) {
      throw translated(error)
    } finally {
      clearTimeout(timer)
      // It must not reach the statement after this one.
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
          // What is left of a connection that broke, or is in the middle of a transaction, is of no use to the next one.
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

/** Waits for a connection, in the line of whom it is for, as long as there is time. */
const acquire = async (
  pool: pg.Pool,
  places: Places,
  waited: () => void,
): Promise<{ client: pg.PoolClient; leave: Leave }> => {
  const limit = timeLimit()
  const leftMs = limit?.leftMs ?? Number.POSITIVE_INFINITY
  if (leftMs <= 0) throw tooSlow()
  const patience = new AbortController()
  const timer =
    leftMs <= MAX_TIMER_MS ? setTimeout(() => patience.abort(tooSlow()), leftMs) : undefined
  const key = limit?.key ?? OWN
  const end = limit?.begin()
  try {
    let leave = places.take(key)
    if (leave === undefined) {
      if (key !== OWN) waited()
      leave = await places.wait(key, patience.signal)
    }
    const connecting = pool.connect()
    try {
      return { client: await unlessAborted(connecting, patience.signal), leave }
    } catch (error) {
      // It may come when nobody wants it any more.
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

/** Readers of one answer. */
const typesWithin = (maxBytes: number, exceeded: () => void) => {
  const own: Partial<Record<number, (text: string) => unknown>> = boundedParsers(maxBytes, exceeded)
  return {
    getTypeParser: (id: number, format?: string) =>
      own[id] ?? pg.types.getTypeParser(id, format as 'text'),
  } as pg.CustomTypesConfig
}

/** Names for the texts of statements, for the first ones. */
const names = () => {
  const known = new Map<string, string>()
  return (text: string): string | undefined => {
    const name = known.get(text)
    if (name !== undefined || known.size >= MAX_PREPARED) return name
    const next = `stepwell_${known.size}`
    known.set(text, next)
    return next
  }
}
