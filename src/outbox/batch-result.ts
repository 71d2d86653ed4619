import type { DropReason } from './account.js'
import {
  type Batch,
  dividedBatch,
  type Item,
  newBatch,
  type Session,
  shrink,
  shrunkThread,
  type ThreadItem,
  threadItem,
} from './batch.js'
import type { Outcome, Refused } from './sending/answer.js'

/** The results of the parts of a batch that the service answered. */
export interface BatchResult {
  stored: Item[]
  dropped: { item: Item; reason: DropReason; message: string }[]
  /** Threads that need not be kept any longer: stored, or refused. */
  settledThreads: ThreadItem[]
  refusedThreads: { thread: ThreadItem; message: string }[]
  /** To be sent again at once, in this order. */
  again: Batch[]
  /** Sent again without most of their content. */
  shrunk: Item[]
  /** Parts that the service could not store now; undefined when there are none. */
  unavailable: Batch | undefined
  /** True when nothing of it is left, so that the end in it has been reported. */
  isOver: boolean
}

const result = (part: Partial<BatchResult>): BatchResult => ({
  stored: [],
  dropped: [],
  settledThreads: [],
  refusedThreads: [],
  again: [],
  shrunk: [],
  unavailable: undefined,
  isOver: false,
  ...part,
})

/**
 * Resolves a batch that the service accepted: a refusal is final for a step, unless the service failed or the step can
 * shrink.
 */
export const resolveAccepted = (
  batch: Batch,
  { refused, refusedThreads }: Outcome & { kind: 'delivered' },
): BatchResult => {
  const { session, items, threads, isEnd } = batch
  if (refused.length + refusedThreads.length === 0)
    return result({ stored: items, settledThreads: threads, isOver: true })
  const resolved = result({})
  const refusals = new Map(refused.map((one) => [one.index, one]))
  const retried: Item[] = []
  const smaller: Item[] = []
  for (const [index, item] of items.entries()) {
    const refusal = refusals.get(index)
    if (refusal === undefined) resolved.stored.push(item)
    else if (isPassing(refusal)) retried.push(item)
    else if (refusal.code === 'TOO_LARGE' && shrink(item, refusal.message)) smaller.push(item)
    else {
      const reason = refusal.code === 'TOO_LARGE' ? 'too_large' : 'refused'
      resolved.dropped.push({ item, reason, message: refusal.message })
    }
  }
  const threadRefusals = new Map(refusedThreads.map((one) => [one.index, one]))
  const retriedThreads: ThreadItem[] = []
  for (const [index, thread] of threads.entries()) {
    const refusal = threadRefusals.get(index)
    if (refusal !== undefined && isPassing(refusal)) {
      retriedThreads.push(thread)
      continue
    }
    if (refusal !== undefined && thread.changes.length > 1) {
      resolved.again.push(...changesApart(session, thread))
      continue
    }
    const smallerThread =
      refusal?.code === 'TOO_LARGE' ? shrunkThread(thread, refusal.message) : undefined
    if (smallerThread !== undefined) {
      resolved.again.push(newBatch(session, { threads: [smallerThread] }))
      continue
    }
    resolved.settledThreads.push(thread)
    if (refusal !== undefined) resolved.refusedThreads.push({ thread, message: refusal.message })
  }
  resolved.shrunk = smaller
  if (smaller.length > 0) resolved.again.push(newBatch(session, { items: smaller }))
  if (retried.length + retriedThreads.length > 0) {
    const { failures, blame } = batch
    const parts = newBatch(session, { items: retried, threads: retriedThreads, isEnd })
    resolved.unavailable = { ...parts, failures, blame }
  } else resolved.again = withEnd(resolved.again, { ...batch, losses: [] })
  resolved.isOver = resolved.unavailable === undefined && resolved.again.length === 0
  return resolved
}

/** Moves the losses and the end of a batch to the last of some others. */
const withEnd = (parts: Batch[], { losses, isEnd }: Batch): Batch[] => {
  const last = parts.pop()
  return last === undefined ? [] : [...parts, { ...last, losses, isEnd }]
}

const isPassing = ({ code }: Refused): boolean => code === 'UNAVAILABLE' || code === 'INTERNAL'

/** Resolves a batch that the service refused as a whole: its parts are tried, to find the one at fault. */
export const resolveRejected = (
  batch: Batch,
  { kind, message }: { kind: 'tooLarge' | 'rejected'; message: string },
): BatchResult => {
  const { items, threads } = batch
  const parts = dividedBatch(batch)
  if (parts.length > 1) return result({ again: parts })
  const [item] = items
  const [thread] = threads
  if (thread !== undefined && thread.changes.length > 1)
    return result({ again: withEnd(changesApart(batch.session, thread), batch) })
  if (item === undefined) {
    const smaller = thread && kind === 'tooLarge' ? shrunkThread(thread, message) : undefined
    if (smaller !== undefined) return result({ again: [{ ...batch, threads: [smaller] }] })
    return result({
      settledThreads: threads,
      refusedThreads: threads.map((thread) => ({ thread, message })),
      isOver: true,
    })
  }
  if (kind === 'tooLarge' && shrink(item, message))
    return result({ again: [batch], shrunk: [item] })
  const reason = kind === 'tooLarge' ? 'too_large' : 'refused'
  return result({ dropped: [{ item, reason, message }], isOver: true })
}

/** When merged changes are refused, each is sent on its own, in their order. */
const changesApart = (session: Session, { changes }: ThreadItem): Batch[] =>
  changes.map((change) => newBatch(session, { threads: [threadItem(change)] }))
