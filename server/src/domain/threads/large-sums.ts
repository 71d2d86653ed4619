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
import { findStepsOfThreads } from '../../storage/retention/due.js'
import { findStale, type StepSums, storeSums, sumSteps } from '../../storage/sums.js'
import { PortionSize } from '../erasure/portion-size.js'
import { priceWaitingCalls } from '../prices/pricer.js'
import type { ProjectPrices } from '../prices/project-prices.js'
import { changeFigures } from './change-figures.js'
import { mergeSums } from './merge-sums.js'
import { MAX_ROUNDS, type SumSizes } from './sum-sizes.js'
import { noteNestedCalls } from './told-tokens.js'

type StepPart = readonly string[]

/**
 * Updates the sums of one large thread by statements that read few of its steps each: others get their turn in between, on the
 * embedded engine too. The sums have each step that there was at the beginning, as it was then or later.
 * @throws DomainError when others hold the thread for longer than the patience.
 */
export const sumUpLarge = async (
  db: Database,
  prices: ProjectPrices,
  projectId: string,
  threadId: string,
  sizes: SumSizes,
  patienceMs: number,
): Promise<void> => {
  const threadIds = [threadId]
  for (let round = 1; ; round++) {
    const isLast = round === MAX_ROUNDS
    const [thread] = await findStale(db, projectId, threadIds)
    // Another process has done it.
    if (thread === undefined) return
    const size = new PortionSize(sizes.portion)
    // In this order, traces are together.
    const steps = (await findStepsOfThreads(db, projectId, threadIds)).sort()
    const waiting: StepPart[] = []
    const parts: StepSums[] = []
    for await (const stepIds of portions(steps, size)) {
      const sums = await sumSteps(db, projectId, { threadIds, stepIds })
      parts.push(...sums)
      if (sums.some(({ isWaiting }) => isWaiting)) waiting.push(stepIds)
    }
    const sums = mergeSums(parts)
    const change = (work: (transaction: Database) => Promise<void>) =>
      changeFigures(db, projectId, threadIds, work, patienceMs)
    for (const stepIds of waiting)
      await change((transaction) =>
        priceWaitingCalls(transaction, prices, projectId, { threadIds, stepIds }),
      )
    const isNoted =
      sums?.mayBeNested === true &&
      (await noteNestedCalls(db, projectId, {
        searched: searches(threadIds, steps, size),
        partlyDeleted: new Set(thread.isPartlyDeleted ? threadIds : []),
        change,
      }))
    // Looked at once more: another one may change the same by what it has read before. At last the thread keeps its mark.
    if ((waiting.length > 0 || isNoted) && !isLast) continue
    const best = <Row extends { id: string }>(
      find: (...of: Parameters<typeof findQuestions>) => Promise<Row[]>,
    ) => bestOf(steps, size, (stepIds) => find(db, projectId, { threadIds, stepIds }))
    const questions = await readQuestions(db, projectId, await best(findQuestions))
    const answers = await readAnswers(db, projectId, await best(findAnswers))
    const [failure] = sums !== undefined && sums.errors > 0 ? await best(findFailures) : []
    const tools = []
    if (sums?.mayCallTools)
      for await (const stepIds of portions(steps, size))
        tools.push(...(await findLastTools(db, projectId, [sums], stepIds)))
    const { version, wordsTaken, figuresChanged } = thread
    const figures = {
      id: threadId,
      version,
      wordsTaken,
      figuresChanged,
      sums,
      firstMessage: questions.get(threadId) ?? null,
      lastMessage: answers.get(threadId) ?? null,
      firstError: failure?.error ?? null,
      tools: latestTools(tools).get(threadId) ?? null,
    }
    const storing = (transaction: Database) =>
      storeSums(transaction, projectId, [figures], { evenChanged: isLast })
    const stored = await givingWay(db, storing, patienceMs)
    if (isLast || stored.length > 0) return
  }
}

/** Returns the steps that a search finds in all of some steps, by those that it finds in portions of them. */
const bestOf = async <Row extends { id: string }>(
  steps: StepPart,
  size: PortionSize,
  find: (stepIds: StepPart) => Promise<Row[]>,
): Promise<Row[]> => {
  for (let left = steps; ; ) {
    const found: Row[] = []
    let count = 0
    for await (const portion of portions(left, size)) {
      found.push(...(await find(portion)))
      count++
    }
    if (count <= 1) return found
    left = found.map(({ id }) => id)
  }
}

async function* searches(threadIds: readonly string[], steps: StepPart, size: PortionSize) {
  for await (const stepIds of portions(steps, size)) yield { threadIds, stepIds }
}

/** Yields steps by portions, as large as the work on the earlier ones allows. */
async function* portions(steps: StepPart, size: PortionSize): AsyncGenerator<StepPart> {
  for (let from = 0; from < steps.length; ) {
    const portion = steps.slice(from, from + size.most)
    const begin = performance.now()
    yield portion
    from += portion.length
    size.took(performance.now() - begin)
  }
}
