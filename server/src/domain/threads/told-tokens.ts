import type { Database } from '../../database/database.js'
import { portionsOf } from '../../database/portions.js'
import type { StepsOfThreads } from '../../storage/conversations/steps-of-threads.js'
import {
  type CallRow,
  findCalls,
  noteToldTokens,
  type ToldTokens,
} from '../../storage/ingestion/nested-calls.js'
import { type Tokens, toldBelow } from './nested-calls.js'

/** Steps that are read at once, and those that a statement changes. */
const READ_AT_ONCE = 5000
const CHANGED_AT_ONCE = { mostRows: 2000, mostWeight: 2_000_000 }

interface Noting {
  searched: AsyncIterable<StepsOfThreads> | Iterable<StepsOfThreads>
  /** Threads some of whose steps were deleted, and their figures kept: what deleted calls have told stays noted. */
  partlyDeleted: ReadonlySet<string>
  /** Makes a change of steps. */
  change: (work: (db: Database) => Promise<void>) => Promise<void>
}

/**
 * Notes of the calls of models in steps which of their tokens calls in them have told too. Returns false when all of that was
 * noted before. Holds one trace at a time in memory. Steps that are searched in several parts come in the order of their ids.
 */
export const noteNestedCalls = async (
  db: Database,
  projectId: string,
  { searched, partlyDeleted, change }: Noting,
): Promise<boolean> => {
  let isChanged = false
  for await (const calls of callsOfTraces(db, projectId, searched))
    for (const some of portionsOf(changesOf(calls, partlyDeleted), CHANGED_AT_ONCE)) {
      await change((changing) => noteToldTokens(changing, projectId, some))
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

/** Reads calls, some whole traces at a time: spans are in spans of their own trace. */
async function* callsOfTraces(
  db: Database,
  projectId: string,
  searched: Noting['searched'],
): AsyncGenerator<readonly CallRow[]> {
  let waiting: CallRow[] = []
  for await (const part of searched)
    for (let isMore = true, after = ''; isMore; ) {
      const calls = await findCalls(db, projectId, part, after, READ_AT_ONCE)
      isMore = calls.length === READ_AT_ONCE
      waiting.push(...calls)
      const last = calls.at(-1)
      if (last === undefined) break
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
