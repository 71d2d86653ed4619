import type { Database } from '../../database/database.js'
import { portionsOf } from '../../database/portions.js'
import { givingWay } from '../../database/transactions/attempts.js'
import {
  type CallRow,
  findCalls,
  noteToldTokens,
  type ToldTokens,
} from '../../storage/ingestion/nested-calls.js'
import { storeSums, sumSteps, takeStaleThreads } from '../../storage/sums.js'
import { priceWaitingCalls } from '../prices/pricer.js'
import type { ProjectPrices } from '../prices/project-prices.js'
import { type Tokens, toldBelow } from './nested-calls.js'

/** Steps that are read at once, and those that a statement changes. */
const READ_AT_ONCE = 5000
const CHANGED_AT_ONCE = { mostRows: 2000, mostCharacters: 2_000_000 }

/**
 * Updates the sums of those of some threads whose sums are stale. Sums of many threads lock them in another order than
 * requests that mark them: the sums give way, so that what is recorded never waits for a circle to be found.
 */
export const sumUpThreads = (
  db: Database,
  prices: ProjectPrices,
  projectId: string,
  ids: readonly string[],
): Promise<void> => givingWay(db, (transaction) => sumUp(transaction, prices, projectId, ids))

const sumUp = async (
  db: Database,
  prices: ProjectPrices,
  projectId: string,
  ids: readonly string[],
): Promise<void> => {
  const threads = await takeStaleThreads(db, projectId, ids)
  if (threads.length === 0) return
  const taken = threads.map(({ id }) => id)
  const partlyDeleted = new Set(
    threads.flatMap(({ id, isPartlyDeleted }) => (isPartlyDeleted ? [id] : [])),
  )
  let sums = await sumSteps(db, projectId, taken)
  const waiting = sums.flatMap(({ id, isWaiting }) => (isWaiting ? [id] : []))
  if (waiting.length > 0) {
    await priceWaitingCalls(db, prices, projectId, waiting)
    const again = await sumSteps(db, projectId, waiting)
    sums = [...sums.filter(({ isWaiting }) => !isWaiting), ...again]
  }
  const nested = sums.flatMap(({ id, mayBeNested }) => (mayBeNested ? [id] : []))
  if (nested.length > 0 && (await noteNestedCalls(db, projectId, nested, partlyDeleted))) {
    const again = await sumSteps(db, projectId, nested)
    const others = sums.filter(({ mayBeNested }) => !mayBeNested)
    sums = [...others, ...again]
  }
  await storeSums(db, projectId, taken, sums)
}

/**
 * Notes of the calls of models in some threads which of their tokens calls in them have told too. Returns false when all
 * of that was noted before. Holds one trace at a time in memory. Notes of what deleted calls have told stay in threads that
 * are partly deleted, as the figures of those calls were kept.
 */
const noteNestedCalls = async (
  db: Database,
  projectId: string,
  threadIds: readonly string[],
  partlyDeleted: ReadonlySet<string>,
): Promise<boolean> => {
  let isChanged = false
  for await (const calls of callsOfTraces(db, projectId, threadIds))
    for (const some of portionsOf(changesOf(calls, partlyDeleted), CHANGED_AT_ONCE)) {
      await noteToldTokens(db, projectId, some)
      isChanged = true
    }
  return isChanged
}

const changesOf = (calls: readonly CallRow[], partlyDeleted: ReadonlySet<string>): ToldTokens[] => {
  const told = new Map<string, Readonly<Tokens>>()
  const costs = new Map<string, number | null>()
  for (const ofThread of groupsOf(calls, ({ threadId }) => threadId)) {
    for (const [id, tokens] of toldBelow(ofThread)) told.set(id, tokens)
    // The same holds for costs as for any count of tokens.
    const ofCosts = ofThread.map((call) => ({ ...call, ...NO_TOKENS, tokens: call.cost }))
    for (const [id, { tokens }] of toldBelow(ofCosts)) costs.set(id, tokens)
  }
  return calls.flatMap((call) => {
    const { id, toldTokens, toldInputTokens, toldOutputTokens, toldCost } = call
    const found = told.get(id)
    if (found === undefined) return []
    const present = { id, ...found, cost: costs.get(id) ?? null }
    const now = partlyDeleted.has(call.threadId) ? atLeast(present, call) : present
    return now.tokens === toldTokens &&
      now.inputTokens === toldInputTokens &&
      now.outputTokens === toldOutputTokens &&
      now.cost === toldCost
      ? []
      : [now]
  })
}

const atLeast = (now: ToldTokens, before: CallRow): ToldTokens => ({
  id: now.id,
  tokens: greater(now.tokens, before.toldTokens),
  inputTokens: greater(now.inputTokens, before.toldInputTokens),
  outputTokens: greater(now.outputTokens, before.toldOutputTokens),
  cost: greater(now.cost, before.toldCost),
})

const greater = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.max(a, b)

const NO_TOKENS: Tokens = { tokens: null, inputTokens: null, outputTokens: null }

/** Reads the calls in threads, some whole traces at a time: spans are in spans of their own trace. */
async function* callsOfTraces(
  db: Database,
  projectId: string,
  threadIds: readonly string[],
): AsyncGenerator<readonly CallRow[]> {
  let waiting: CallRow[] = []
  for (let after = ''; ; ) {
    const calls = await findCalls(db, projectId, threadIds, after, READ_AT_ONCE)
    waiting.push(...calls)
    const last = calls.at(-1)
    if (last === undefined || calls.length < READ_AT_ONCE) break
    after = last.id
    const isOfLast = ({ id }: CallRow) => traceOf(id) === traceOf(after)
    yield waiting.filter((call) => !isOfLast(call))
    waiting = waiting.filter(isOfLast)
  }
  yield waiting
}

const traceOf = (id: string): string => id.slice(0, 32)

const groupsOf = <Item>(items: readonly Item[], keyOf: (item: Item) => string): Item[][] => {
  const groups = new Map<string, Item[]>()
  for (const item of items) {
    const group = groups.get(keyOf(item))
    if (group === undefined) groups.set(keyOf(item), [item])
    else group.push(item)
  }
  return [...groups.values()]
}
