import type { DropReason } from './account.js'
import type { Outcome, Refused } from './answer.js'
import { type Batch, type Item, shrunkText, type ThreadItem, textOfItem } from './batch.js'

/** What is to be done about a batch that was not taken as it was. */
export interface Verdict {
  /** Stored by the service. */
  stored: Item[]
  /** To be sent again, in this order. */
  again: Batch[]
  dropped: { item: Item; reason: DropReason; message: string }[]
  /** Sent again without most of their content. */
  shrunk: Item[]
  refusedThreads: { thread: ThreadItem; message: string }[]
  /** The service could not take what it will: it needs time. */
  mustWait: boolean
  /** Its threads, and the end that it tells of, are done with. */
  isOver: boolean
}

const verdict = (part: Partial<Verdict>): Verdict => ({
  stored: [],
  again: [],
  dropped: [],
  shrunk: [],
  refusedThreads: [],
  mustWait: false,
  isOver: false,
  ...part,
})

/** For a batch of which the service took most: a refusal is the end of a step, unless the service failed or it can shrink. */
export const judgeDelivered = (
  batch: Batch,
  { refused, refusedThreads }: Outcome & { kind: 'delivered' },
): Verdict => {
  const result = verdict({
    isOver: true,
    refusedThreads: refusedThreads.flatMap(({ index, message }) => {
      const thread = batch.threads[index]
      return thread === undefined ? [] : [{ thread, message }]
    }),
  })
  if (refused.length === 0) return { ...result, stored: batch.items }
  const refusals = new Map(refused.map((one) => [one.index, one]))
  const again: Item[] = []
  for (const [index, item] of batch.items.entries()) {
    const refusal = refusals.get(index)
    if (refusal === undefined) result.stored.push(item)
    else if (passes(refusal)) {
      again.push(item)
      result.mustWait = true
    } else if (refusal.code === 'TOO_LARGE' && shrink(item)) {
      result.shrunk.push(item)
      again.push(item)
    } else
      result.dropped.push({
        item,
        reason: refusal.code === 'TOO_LARGE' ? 'too_large' : 'refused',
        message: refusal.message,
      })
  }
  if (again.length > 0) result.again.push(partOf(batch, again, []))
  return result
}

const passes = ({ code }: Refused): boolean => code === 'UNAVAILABLE' || code === 'INTERNAL'

/** For a batch that the service did not take as a whole: its parts are tried, to find out what it objects to. */
export const judgeRejected = (
  batch: Batch,
  { kind, message }: Outcome & { kind: 'tooLarge' | 'rejected' },
): Verdict => {
  const { items, threads } = batch
  const [item] = items
  if (items.length > 1) return verdict({ again: halves(batch) })
  if (item !== undefined && threads.length > 0)
    return verdict({ again: [partOf(batch, [], threads), partOf(batch, items, [])] })
  if (item !== undefined) {
    if (kind === 'rejected') return verdict({ dropped: [{ item, reason: 'refused', message }] })
    return shrink(item)
      ? verdict({ again: [batch], shrunk: [item] })
      : verdict({ dropped: [{ item, reason: 'too_large', message }] })
  }
  if (threads.length > 1)
    return verdict({
      again: threads.map((thread, index) => ({
        ...partOf(batch, [], [thread]),
        isEnd: batch.isEnd && index === threads.length - 1,
      })),
    })
  return verdict({ isOver: true, refusedThreads: threads.map((thread) => ({ thread, message })) })
}

/** A batch in two. */
export const halves = (batch: Batch): [Batch, Batch] => {
  const middle = Math.ceil(batch.items.length / 2)
  return [
    partOf(batch, batch.items.slice(0, middle), batch.threads),
    partOf(batch, batch.items.slice(middle), []),
  ]
}

const partOf = (batch: Batch, items: Item[], threads: ThreadItem[]): Batch => ({
  session: batch.session,
  items,
  threads,
  losses: [],
  isEnd: false,
})

/** Gives up most of what a step holds; it can be done once. */
const shrink = (item: Item): boolean => {
  if (item.isShrunk) return false
  item.text = shrunkText(textOfItem(item))
  item.record = undefined
  item.isShrunk = true
  return true
}
