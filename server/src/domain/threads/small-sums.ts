import type { Database } from '../../database/database.js'
import { givingWay } from '../../database/transactions/attempts.js'
import { findLastTools, latestTools } from '../../storage/conversations/last-tools.js'
import {
  findAnswers,
  findFailures,
  findQuestions,
  readAnswers,
  readQuestions,
} from '../../storage/conversations/said.js'
import {
  findStale,
  type StaleThread,
  type StepSums,
  storeSums,
  sumSteps,
  type ThreadFigures,
} from '../../storage/sums.js'
import { priceWaitingCalls } from '../prices/pricer.js'
import type { ProjectPrices } from '../prices/project-prices.js'
import { changeFigures } from './change-figures.js'
import { MAX_ROUNDS } from './sum-sizes.js'
import { noteNestedCalls } from './told-tokens.js'

/**
 * Updates the sums of stale threads that have few steps together.
 * @throws DomainError when others hold one of them for longer than the patience.
 */
export const sumUp = async (
  db: Database,
  prices: ProjectPrices,
  projectId: string,
  stale: readonly StaleThread[],
  patienceMs: number,
): Promise<void> => {
  for (let threads = stale, round = 1; threads.length > 0; round++) {
    const sums = await sumSteps(db, projectId, { threadIds: threads.map(({ id }) => id) })
    const changed = await priceAndNote(db, prices, projectId, threads, sums, patienceMs)
    const isLast = round === MAX_ROUNDS
    // In the last round, those that have changed again keep their marks, as their versions are others.
    const settled = isLast ? threads : threads.filter(({ id }) => !changed.has(id))
    const stored = new Set(
      settled.length > 0
        ? await store(db, projectId, settled, sums, { evenChanged: isLast }, patienceMs)
        : [],
    )
    const left = threads.flatMap(({ id }) => (stored.has(id) ? [] : [id]))
    if (isLast || left.length === 0) return
    threads = await findStale(db, projectId, left)
  }
}

/**
 * Computes what sums depend on, in the steps. Returns the threads in which something has changed. Their steps are looked at once more:
 * another one that sums them up may change the same by what it has read before.
 */
const priceAndNote = async (
  db: Database,
  prices: ProjectPrices,
  projectId: string,
  threads: readonly StaleThread[],
  sums: readonly StepSums[],
  patienceMs: number,
): Promise<Set<string>> => {
  const waiting = sums.flatMap(({ id, isWaiting }) => (isWaiting ? [id] : []))
  if (waiting.length > 0)
    await changeFigures(
      db,
      projectId,
      waiting,
      (transaction) => priceWaitingCalls(transaction, prices, projectId, { threadIds: waiting }),
      patienceMs,
    )
  const nested = sums.flatMap(({ id, mayBeNested }) => (mayBeNested ? [id] : []))
  const isNoted =
    nested.length > 0 &&
    (await noteNestedCalls(db, projectId, {
      searched: [{ threadIds: nested }],
      partlyDeleted: new Set(
        threads.flatMap(({ id, isPartlyDeleted }) => (isPartlyDeleted ? [id] : [])),
      ),
      change: (work) => changeFigures(db, projectId, nested, work, patienceMs),
    }))
  return new Set([...waiting, ...(isNoted ? nested : [])])
}

/** Stores the sums of threads, with the words that tell what they are about. Returns the ids of those that it has stored. */
const store = async (
  db: Database,
  projectId: string,
  threads: readonly StaleThread[],
  sums: readonly StepSums[],
  how: Parameters<typeof storeSums>[3],
  patienceMs: number,
): Promise<string[]> => {
  const ids = new Set(threads.map(({ id }) => id))
  const figures = await figuresOf(
    db,
    projectId,
    threads,
    sums.filter(({ id }) => ids.has(id)),
  )
  // Of many threads, in another order than requests lock them: what is recorded never waits for a circle to be found.
  const storing = (transaction: Database) => storeSums(transaction, projectId, figures, how)
  return givingWay(db, storing, patienceMs)
}

/** Returns the figures of threads, with their words. */
export const figuresOf = async (
  db: Database,
  projectId: string,
  threads: readonly StaleThread[],
  sums: readonly StepSums[],
): Promise<ThreadFigures[]> => {
  const threadIds = threads.map(({ id }) => id)
  const questions = await findQuestions(db, projectId, { threadIds })
  const firstMessages = await readQuestions(db, projectId, questions)
  const answers = await findAnswers(db, projectId, { threadIds })
  const lastMessages = await readAnswers(db, projectId, answers)
  const failed = sums.flatMap(({ id, errors }) => (errors > 0 ? [id] : []))
  const failures = failed.length > 0 ? await findFailures(db, projectId, { threadIds: failed }) : []
  const errors = new Map(failures.map(({ threadId, error }) => [threadId, error]))
  const tools = latestTools(await findLastTools(db, projectId, sums))
  const sumsById = new Map(sums.map((row) => [row.id, row]))
  return threads.map(({ id, version, wordsTaken, figuresChanged }) => ({
    id,
    version,
    wordsTaken,
    figuresChanged,
    sums: sumsById.get(id),
    firstMessage: firstMessages.get(id) ?? null,
    lastMessage: lastMessages.get(id) ?? null,
    firstError: errors.get(id) ?? null,
    tools: tools.get(id) ?? null,
  }))
}
