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
} from '../../storage/sums.js'
import { priceWaitingCalls } from '../prices/pricer.js'
import type { ProjectPrices } from '../prices/project-prices.js'
import { changeFigures } from './change-figures.js'
import { noteNestedCalls } from './told-tokens.js'

/** Updates the sums of stale threads that have few steps together. */
export const sumUp = async (
  db: Database,
  prices: ProjectPrices,
  projectId: string,
  stale: readonly StaleThread[],
): Promise<void> => {
  let threads = stale
  let sums = await sumSteps(db, projectId, { threadIds: threads.map(({ id }) => id) })
  const changed = await priceAndNote(db, prices, projectId, threads, sums)
  if (changed.size > 0) {
    const again = await findStale(db, projectId, [...changed])
    const sumsAgain = await sumSteps(db, projectId, { threadIds: again.map(({ id }) => id) })
    threads = [...threads.filter(({ id }) => !changed.has(id)), ...again]
    sums = [...sums.filter(({ id }) => !changed.has(id)), ...sumsAgain]
  }
  const figures = await figuresOf(db, projectId, threads, sums)
  // Of many threads, in another order than requests lock them: what is recorded never waits for a circle to be found.
  await givingWay(db, (transaction) => storeSums(transaction, projectId, figures))
}

/** Computes what sums depend on, in the steps. Returns the threads in which something has changed. */
const priceAndNote = async (
  db: Database,
  prices: ProjectPrices,
  projectId: string,
  threads: readonly StaleThread[],
  sums: readonly StepSums[],
): Promise<Set<string>> => {
  const waiting = sums.flatMap(({ id, isWaiting }) => (isWaiting ? [id] : []))
  if (waiting.length > 0)
    await changeFigures(db, projectId, waiting, (transaction) =>
      priceWaitingCalls(transaction, prices, projectId, { threadIds: waiting }),
    )
  const nested = sums.flatMap(({ id, mayBeNested }) => (mayBeNested ? [id] : []))
  const isNoted =
    nested.length > 0 &&
    (await noteNestedCalls(db, projectId, {
      searched: [{ threadIds: nested }],
      partlyDeleted: new Set(
        threads.flatMap(({ id, isPartlyDeleted }) => (isPartlyDeleted ? [id] : [])),
      ),
      change: (work) => changeFigures(db, projectId, nested, work),
    }))
  return new Set([...waiting, ...(isNoted ? nested : [])])
}

/** Returns the figures of threads, with the words that tell what they are about. */
const figuresOf = async (
  db: Database,
  projectId: string,
  threads: readonly StaleThread[],
  sums: readonly StepSums[],
) => {
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
  return threads.map(({ id, version, wordsTaken }) => ({
    id,
    version,
    wordsTaken,
    sums: sumsById.get(id),
    firstMessage: firstMessages.get(id) ?? null,
    lastMessage: lastMessages.get(id) ?? null,
    firstError: errors.get(id) ?? null,
    tools: tools.get(id) ?? null,
  }))
}
