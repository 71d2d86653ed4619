import type { Database } from '../../database/database.js'
import type { Caller } from '../../kernel/caller.js'
import type { Clock } from '../../kernel/instant.js'
import { keepParticipants } from '../../storage/erasure/notes.js'
import {
  assignParticipants,
  lockThreads,
  updateThreads,
} from '../../storage/ingestion/thread-batch.js'
import {
  deleteEmptyThreads,
  findStepsToLeave,
  findThreadsToLeave,
  findTraces,
  findUsersOfTraces,
  moveTraces,
  type SettledTrace,
  settleTraces,
} from '../../storage/ingestion/traces.js'
import { findThreads, markStale } from '../../storage/threads.js'
import { inPortions } from '../threads/portions.js'

/** Times that steps go ahead, as a trace may belong to another conversation each time. */
const ROUNDS = 3

/** Moves the steps of traces to their threads in one transaction, unless there are many: then these go ahead. */
export const settle = async (
  db: Database,
  clock: Clock,
  caller: Caller,
  ids: readonly string[],
  atOnce: number,
): Promise<void> => {
  const left = new Set<string>()
  for (let round = 0; round < ROUNDS; round++) {
    if (await settleAtOnce(db, clock, caller, ids, left, atOnce)) return
    for (const threadId of await moveAhead(db, clock, caller, ids)) left.add(threadId)
  }
  await settleAtOnce(db, clock, caller, ids, left)
}

/** Returns false, and moves nothing, when more steps would move than `atOnce`. */
const settleAtOnce = (
  db: Database,
  clock: Clock,
  caller: Caller,
  ids: readonly string[],
  leftAhead: ReadonlySet<string>,
  atOnce?: number,
): Promise<boolean> =>
  db.transaction().execute(async (transaction) => {
    const { projectId } = caller
    // Before anything is locked, as elsewhere.
    const users = await keptUsersOf(transaction, projectId, ids)
    const traces = await settleTraces(transaction, projectId, ids, true)
    const left =
      atOnce === undefined
        ? await findThreadsToLeave(transaction, projectId, traces)
        : await findStepsToLeave(transaction, projectId, traces, atOnce + 1)
    if (atOnce !== undefined && left.length > atOnce) {
      await settleTraces(transaction, projectId, ids, false)
      return false
    }
    // A step that came again has moved by itself, and may have left nothing behind.
    const before = traces.flatMap(({ id, threadId, leftIds }) =>
      [id, ...leftIds].filter((one) => one !== threadId),
    )
    const known = await findThreads(transaction, projectId, [...before, ...leftAhead])
    const from = [
      ...new Set([...left.map(({ threadId }) => threadId), ...known.map(({ id }) => id)]),
    ]
    if (from.length === 0) return true
    const leaves = new Set([...left.map(({ traceId }) => traceId), ...from])
    const moves = traces.filter(({ id }) => leaves.has(id))
    await move(transaction, clock, caller, users, moves, from)
    await deleteEmptyThreads(transaction, projectId, from, ids)
    return true
  })

/**
 * Moves the steps of large traces in small transactions, between which others get their turn, and returns the threads that they
 * leave. Until the last transaction the traces are not settled: when the process ends in between, the request that comes again
 * moves the rest.
 */
const moveAhead = async (
  db: Database,
  clock: Clock,
  caller: Caller,
  ids: readonly string[],
): Promise<Set<string>> => {
  const { projectId } = caller
  const found = await findTraces(db, projectId, ids)
  const steps = await findStepsToLeave(db, projectId, found)
  await inPortions(db, async (transaction, most, begin) => {
    const some = steps.slice(begin, begin + most)
    const traceIds = [...new Set(some.map(({ traceId }) => traceId))]
    const users = await keptUsersOf(transaction, projectId, traceIds)
    const moves = await settleTraces(transaction, projectId, traceIds, false)
    const from = [...new Set(some.map(({ threadId }) => threadId))]
    const stepIds = some.map(({ id }) => id)
    // Those of a conversation that was deleted meanwhile belong to it no longer.
    if (moves.length > 0) await move(transaction, clock, caller, users, moves, from, stepIds)
    return begin + most < steps.length
  })
  return new Set(steps.map(({ threadId }) => threadId))
}

const keptUsersOf = async (
  db: Database,
  projectId: string,
  ids: readonly string[],
): Promise<Set<string>> =>
  new Set(await keepParticipants(db, projectId, await findUsersOfTraces(db, projectId, ids)))

/** Moves steps of traces, all of them or some by their ids, from some threads to their own. */
const move = async (
  transaction: Database,
  clock: Clock,
  { projectId, environment }: Caller,
  users: ReadonlySet<string>,
  moves: readonly SettledTrace[],
  from: readonly string[],
  stepIds?: readonly string[],
): Promise<void> => {
  const threads = [...new Set([...from, ...moves.map(({ threadId }) => threadId)])].sort()
  const locked = await lockThreads(
    transaction,
    projectId,
    threads.map((id) => ({ id, environment, createdAt: clock() })),
  )
  const participants = new Map(locked.map(({ id, participantId }) => [id, participantId]))
  // The user that a trace's own thread has is that of the trace, if no span names one.
  const changes = moves.flatMap(({ id, threadId, participantId: named }) => {
    const participantId =
      named !== null && users.has(named) ? named : (participants.get(id) ?? null)
    if (participantId === null || participants.get(threadId) !== null) return []
    participants.set(threadId, participantId)
    return [{ id: threadId, participantId }]
  })
  await updateThreads(transaction, projectId, changes)
  await moveTraces(
    transaction,
    projectId,
    moves.map(({ id, threadId }) => ({
      id,
      threadId,
      participantId: participants.get(threadId) ?? null,
    })),
    from,
    stepIds,
  )
  await assignParticipants(
    transaction,
    projectId,
    changes.map(({ id, participantId }) => ({ threadId: id, participantId, before: null })),
  )
  await markStale(transaction, projectId, threads)
}
