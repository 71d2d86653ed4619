import type { Outline } from '../outline/outline.js'

/** One entry of a conversation. */
export type ChatItem =
  /** A message, or the answer of a model in a turn whose answers are no steps of their own. */
  | { kind: 'message' | 'speech'; place: number }
  | { kind: 'tool'; place: number }
  /** Calls that are folded away: everything from a place up to another. */
  | { kind: 'more'; place: number; until: number; count: number }
  /** The steps between two messages, of which at least one has no entry. */
  | Work

export interface Work {
  kind: 'work'
  place: number
  until: number
  count: number
  errors: number
  ms: number
}

/** Ids of calls that were folded away and then opened. */
type Ids = Pick<ReadonlySet<string>, 'has'>

/** Calls of tools that show in a row; the ones between the first and the last of more are folded. */
const MAX_CALLS = 8
const KEPT_AT_EITHER_END = 3

/** Returns the key of an entry, which stays when steps are added to the thread. */
export const keyOf = (outline: Outline, { kind, place }: ChatItem): string =>
  `${kind} ${outline.ids[place]}`

/**
 * Returns a thread as a conversation: its messages, between them the calls of tools and one entry for the work behind.
 */
export const chatItemsOf = (outline: Outline, unfolded: Ids = new Set()): ChatItem[] => {
  const items: ChatItem[] = []
  const messages: number[] = []
  for (let place = 0; place < outline.count; place++)
    if (outline.isMessage(place)) messages.push(place)
  const answered = answeredFrom(outline, messages)
  for (const [index, place] of messages.entries()) {
    items.push({ kind: 'message', place })
    const until = messages[index + 1] ?? outline.count
    addWork(outline, items, place + 1, until, !answered[index], unfolded)
  }
  return items
}

/** Returns the calls of tools and the answers of models of a run in a thread without messages, and its work. */
export const itemsOfRun = (
  outline: Outline,
  from: number,
  until: number,
  unfolded: Ids,
): ChatItem[] => {
  const items: ChatItem[] = []
  addWork(outline, items, from, until, true, unfolded)
  return items
}

/** Returns for each message whether its turn, up to the next question, has a message of the assistant. */
const answeredFrom = (outline: Outline, messages: readonly number[]): boolean[] => {
  const answered: boolean[] = []
  let start = 0
  let has = false
  const close = (end: number) => {
    for (let index = start; index < end; index++) answered[index] = has
    start = end
    has = false
  }
  for (const [index, place] of messages.entries()) {
    const type = outline.type(place)
    if (type === 'user_message') close(index)
    if (type === 'assistant_message') has = true
  }
  close(messages.length)
  return answered
}

const addWork = (
  outline: Outline,
  items: ChatItem[],
  from: number,
  until: number,
  hasSpeech: boolean,
  unfolded: Ids,
): void => {
  if (from >= until) return
  const shown: ChatItem[] = []
  const work: Work = { kind: 'work', place: from, until, count: until - from, errors: 0, ms: 0 }
  // The end of the call of a tool; calls of models inside of it speak to it alone.
  let inTool = 0
  for (let place = from; place < until; place++) {
    const type = outline.type(place)
    if (outline.hasFailed(place)) work.errors++
    const start = outline.start[from] ?? Number.NaN
    const end = (outline.start[place] ?? Number.NaN) + (outline.duration[place] || 0)
    if (!Number.isNaN(end - start)) work.ms = Math.max(work.ms, end - start)
    if (type === 'tool') {
      shown.push({ kind: 'tool', place })
      inTool = Math.max(inTool, place + (outline.size[place] ?? 1))
    } else if (type === 'llm' && hasSpeech && place >= inTool) shown.push({ kind: 'speech', place })
  }
  if (shown.length < work.count) items.push(work)
  if (shown.length <= MAX_CALLS) {
    items.push(...shown)
    return
  }
  let middle: ChatItem[] = []
  const close = () => {
    const [first] = middle
    const last = middle.at(-1)
    if (first === undefined || last === undefined) return
    // Calls that arrive among opened ones, or split them by failing, fold none of them again.
    if (middle.some(({ place }) => unfolded.has(outline.ids[place] ?? '')))
      for (const item of middle) items.push(item)
    else
      items.push({
        kind: 'more',
        place: first.place,
        until: last.place + 1,
        count: middle.length,
      })
    middle = []
  }
  for (const [index, item] of shown.entries()) {
    const isKept =
      index < KEPT_AT_EITHER_END ||
      index >= shown.length - KEPT_AT_EITHER_END ||
      outline.hasFailed(item.place)
    if (!isKept) {
      middle.push(item)
      continue
    }
    close()
    items.push(item)
  }
}

/** Returns the ids of the steps that an entry stands for. */
export const idsIn = (
  outline: Outline,
  { place, until }: { place: number; until: number },
): readonly string[] => outline.ids.slice(place, until)

/** Returns the entry that shows a step, or stands for it; -1 before the first message. Entries ascend by place but for work. */
export const itemOf = (items: readonly ChatItem[], place: number): number => {
  let standing = -1
  for (const [index, item] of items.entries()) {
    if (item.kind === 'work' || item.kind === 'more') {
      if (item.place <= place && place < item.until) standing = index
    } else if (item.place === place) return index
  }
  return standing
}
