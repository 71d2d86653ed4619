import { type ChatItem, chatItemsOf, itemsOfRun } from '../chat/chat-items.js'
import type { Contents } from '../chat/contents.js'
import { saidBy, saidIn, wordsIn } from '../chat/said.js'
import type { Outline } from '../outline/outline.js'
import { subtreeSums } from '../outline/sums.js'
import type { TurnWords } from './align.js'

/**
 * A question and everything up to the next one; before the first question, everything up to it. In a thread without
 * messages, a run.
 */
export interface Turn {
  items: readonly ChatItem[]
  /** The place of the question; -1 in the part before the first one. */
  question: number
  /** The place of the run, in a thread without messages; else -1. */
  root: number
  /** The places of tools that were called, in order. */
  tools: readonly number[]
  /** The places of messages and answers of models after the question, in order. */
  answers: readonly number[]
  errors: number
  /** From the first start to the last end; NaN without times. */
  ms: number
  tokens: number
}

/** Divides a thread into turns. */
export const turnsOf = (outline: Outline): Turn[] => {
  let hasMessages = false
  for (let place = 0; place < outline.count && !hasMessages; place++)
    hasMessages = outline.isMessage(place)
  const starts: number[] = []
  for (let place = 0; place < outline.count; place++)
    if (hasMessages ? outline.type(place) === 'user_message' : (outline.parent[place] ?? -1) < 0)
      starts.push(place)
  if (outline.count > 0 && starts[0] !== 0) starts.unshift(0)
  const items = hasMessages ? chatItemsOf(outline, EVERYTHING) : []
  const sums = subtreeSums(outline, outline.tokens)
  let at = 0
  return starts.map((first, index) => {
    const until = starts[index + 1] ?? outline.count
    const mine = hasMessages ? [] : itemsOfRun(outline, first, until, EVERYTHING)
    for (; (items[at]?.place ?? Number.POSITIVE_INFINITY) < until; at++)
      mine.push(items[at] as ChatItem)
    const tools: number[] = []
    let [errors, tokens, end] = [0, 0, Number.NaN]
    for (let place = first; place < until; place++) {
      if (outline.type(place) === 'tool') tools.push(place)
      if (outline.hasFailed(place)) errors++
      // Parents before the turn have sums of other turns too.
      if ((outline.parent[place] ?? -1) < first) tokens += sums[place] || 0
      const to = (outline.start[place] ?? Number.NaN) + (outline.duration[place] || 0)
      if (!Number.isNaN(to)) end = Number.isNaN(end) ? to : Math.max(end, to)
    }
    const question = outline.type(first) === 'user_message' ? first : -1
    return {
      items: mine,
      question,
      root: hasMessages ? -1 : first,
      tools,
      answers: mine
        .filter(
          ({ kind, place }) => (kind === 'message' || kind === 'speech') && place !== question,
        )
        .map(({ place }) => place),
      errors,
      tokens,
      ms: end - (outline.start[first] ?? Number.NaN),
    }
  })
}

/** Both sides show all calls, as folded ones could not be compared by eye. */
const EVERYTHING = { has: () => true }

/** Returns the words by which a turn is aligned; its question must have been read. */
export const wordsOf = (
  outline: Outline,
  { question, root, tools }: Turn,
  contents: Contents,
): TurnWords => ({
  text:
    root < 0
      ? textAt(outline, question, contents)
      : (contents.tools.get(outline.ids[root] ?? '')?.inputPreview ?? ''),
  tools: tools.map((place) => outline.name(place)),
})

/** Returns the text of a message, empty for one without words. */
export const textAt = (outline: Outline, place: number, { messages }: Contents): string => {
  const message = messages.get(outline.ids[place] ?? '')
  return message === undefined ? '' : saidBy(message).trim()
}

/** Returns what a turn begins with: its question, or the input of its run. */
export const askedIn = (outline: Outline, { question, root }: Turn, contents: Contents): string =>
  root < 0
    ? textAt(outline, question, contents)
    : (wordsIn(contents.messages.get(outline.ids[root] ?? '')?.input) ?? '').trim()

/** Returns the words of a run's output, empty for none. */
export const outputOf = (outline: Outline, root: number, { messages }: Contents): string => {
  const message = messages.get(outline.ids[root] ?? '')
  return message === undefined ? '' : (wordsIn(saidIn({ ...message, input: null })) ?? '').trim()
}
