import type { SessionInput, StepInput } from '../../generated/resolvers.js'
import type { Database } from '../database/database.js'
import type { Caller } from '../kernel/caller.js'
import { invalid } from '../kernel/errors.js'
import type { Clock, Instant } from '../kernel/instant.js'
import {
  findLosses,
  findReceived,
  findSessionIdsOfThreads,
  findSessions,
  type LossRow,
  type SequenceRange,
  type SessionRow,
  upsertLosses,
  upsertSessions,
} from '../storage/sessions.js'
import type { Values } from './values.js'

/** Sessions of one statement. */
const MAX_SESSIONS_AT_ONCE = 2000

/** The sessions of clients: the steps that they reported as recorded, and those that have arrived. */
export class Sessions {
  readonly #db: Database
  readonly #values: Values
  readonly #clock: Clock

  constructor(db: Database, values: Values, clock: Clock) {
    this.#db = db
    this.#values = values
    this.#clock = clock
  }

  async find({ projectId }: Caller, id: string): Promise<SessionRow | null> {
    return (await findSessions(this.#db, projectId, [id]))[0] ?? null
  }

  losses({ projectId }: Caller, sessionIds: readonly string[]): Promise<LossRow[]> {
    return findLosses(this.#db, projectId, sessionIds)
  }

  /** Returns the sessions that sent the steps of threads, oldest first. */
  async ofThreads(
    { projectId }: Caller,
    threadIds: readonly string[],
  ): Promise<{ threadId: string; session: SessionRow }[]> {
    const pairs = await findSessionIdsOfThreads(this.#db, projectId, threadIds)
    const ids = [...new Set(pairs.map(({ sessionId }) => sessionId))]
    const sessions = await findSessions(this.#db, projectId, ids)
    return sessions.flatMap((session) =>
      pairs
        .filter(({ sessionId }) => sessionId === session.id)
        .map(({ threadId }) => ({ threadId, session })),
    )
  }

  /** Rejects an impossible report of a session, before anything of its batch is stored. */
  check(told: SessionInput | null | undefined): void {
    if (told != null) this.#check(told)
  }

  /** Returns the steps that came before, repeated because the answer to their batch was lost. */
  async received({ projectId }: Caller, steps: readonly StepInput[]): Promise<Set<StepInput>> {
    const repeated = new Set<StepInput>()
    const sessions = numbered(steps)
    const asked = [...sessions].map(([sessionId, bySequence]) => ({
      sessionId,
      // Other numbers were never received, and do not fit the database's ranges.
      sequences: rangesOf([...bySequence.keys()].filter((sequence) => isSequence(sequence, 1))),
    }))
    for (let first = 0; first < asked.length; first += MAX_SESSIONS_AT_ONCE) {
      const portion = asked.slice(first, first + MAX_SESSIONS_AT_ONCE)
      for (const { sessionId, ranges } of await findReceived(this.#db, projectId, portion))
        for (const { from, to } of ranges)
          for (let sequence = from; sequence <= to; sequence++)
            for (const step of sessions.get(sessionId)?.get(sequence) ?? []) repeated.add(step)
    }
    return repeated
  }

  /** Stores a client's report of its session, and which of the steps that it sent are stored. */
  async note(
    { projectId }: Caller,
    told: SessionInput | null | undefined,
    stored: readonly StepInput[],
  ): Promise<void> {
    const numbers = new Map<string, number[]>()
    for (const [sessionId, bySequence] of numbered(stored))
      numbers.set(sessionId, [...bySequence.keys()])
    if (told != null && !numbers.has(told.id)) numbers.set(told.id, [])
    const seenAt = this.#clock()
    const writes = [...numbers].map(([id, sequences]) => {
      const own = told?.id === id ? told : undefined
      return {
        id,
        startedAt: (own?.startedAt as Instant | undefined) ?? seenAt,
        endedAt: own?.endedAt ?? null,
        release: own?.release ?? null,
        recorded: sequences.reduce(
          (most, sequence) => Math.max(most, sequence),
          own?.recorded ?? 0,
        ),
        received: rangesOf(sequences),
        seenAt,
      }
    })
    // Requests that write the same sessions lock them in one order, so they don't wait for each other in a circle.
    writes.sort((a, b) => (a.id < b.id ? -1 : 1))
    for (let first = 0; first < writes.length; first += MAX_SESSIONS_AT_ONCE)
      await upsertSessions(this.#db, projectId, writes.slice(first, first + MAX_SESSIONS_AT_ONCE))
    const losses = told?.losses ?? []
    if (told != null && losses.length > 0)
      await upsertLosses(
        this.#db,
        projectId,
        losses.map(({ reason, from, to, threadId }) => ({
          sessionId: told.id,
          reason,
          from,
          to,
          // A step may be lost because its thread's id is too long; the report of it is not to be lost too.
          threadId: threadId && this.#values.isId(threadId) ? threadId : null,
        })),
      )
  }

  #check({ id, recorded, losses }: SessionInput): void {
    this.#values.requiredId('session.id', id)
    if (!isSequence(recorded, 0))
      throw invalid(
        `session.recorded: expected a number from 0 to ${LAST_SEQUENCE}, got ${recorded}`,
      )
    for (const [index, { from, to }] of (losses ?? []).entries())
      if (!(isSequence(from, 1) && isSequence(to, from)))
        throw invalid(`session.losses[${index}]: expected 1 <= from <= to, got ${from} and ${to}`)
  }
}

/** The database's ranges end before the last number of their type. */
export const LAST_SEQUENCE = 2 ** 31 - 2

export const isSequence = (number: number, least: number): boolean =>
  number >= least && number <= LAST_SEQUENCE

/** Groups the steps that have a number, by session and number. */
const numbered = (steps: readonly StepInput[]): Map<string, Map<number, StepInput[]>> => {
  const sessions = new Map<string, Map<number, StepInput[]>>()
  for (const step of steps) {
    const { sessionId, sequence } = step
    if (!sessionId || typeof sequence !== 'number') continue
    const session = sessions.get(sessionId) ?? new Map<number, StepInput[]>()
    const same = session.get(sequence)
    if (same === undefined) session.set(sequence, [step])
    else same.push(step)
    sessions.set(sessionId, session)
  }
  return sessions
}

const rangesOf = (sequences: readonly number[]): SequenceRange[] => {
  const ranges: SequenceRange[] = []
  for (const sequence of [...sequences].sort((a, b) => a - b)) {
    const last = ranges.at(-1)
    if (last !== undefined && sequence <= last.to + 1) last.to = sequence
    else ranges.push({ from: sequence, to: sequence })
  }
  return ranges
}
