import {
  defaultFieldResolver,
  type GraphQLField,
  getNullableType,
  isCompositeType,
  isListType,
} from 'graphql'
import type { Turn } from '../../kernel/sharing/turns.js'
import type { Context } from './context.js'
import { countRepeated } from './limits/repeated-lists.js'

/** Time that an operation works on its answer before it asks for another turn. */
const SLICE_MS = 5
/** Objects of a list that are answered at once, as many as a page has: a promise for each of them costs more than they do. */
const AT_ONCE = 1000

/**
 * Returns a turn for the parts of an operation, which come one after the other. The time is looked at when a part begins, as all
 * that a loader found asks at once.
 */
export const inOrder = (turn: Turn): (() => Promise<void>) => {
  let since = performance.now()
  let last = Promise.resolve()
  return () => {
    last = last.then(async () => {
      if (performance.now() - since < SLICE_MS) return
      await turn()
      since = performance.now()
    })
    return last
  }
}

/**
 * Makes the field of a list of objects answer in turns. graphql-js works on all of a list without a break, and on all
 * lists of a loader: lists that come one after the other, and long ones in portions, let other requests have their turn
 * in between.
 */
export const answerInTurns = (field: GraphQLField<unknown, Context>): void => {
  const type = getNullableType(field.type)
  if (!isListType(type) || !isCompositeType(getNullableType(type.ofType))) return
  const { resolve = defaultFieldResolver } = field
  field.resolve = (source, args, context, info) => {
    const answer = (items: unknown) => {
      if (!Array.isArray(items) || items.length === 0) return items
      countRepeated(items, info, context)
      return inTurns(items, context.turn)
    }
    const items: unknown = resolve(source, args, context, info)
    return items instanceof Promise ? items.then(answer) : answer(items)
  }
}

const inTurns = async (
  items: readonly unknown[],
  turn: Context['turn'],
): Promise<readonly unknown[]> => {
  await turn()
  if (items.length <= AT_ONCE) return items
  const late: unknown[] = items.slice(0, AT_ONCE)
  let ready = Promise.resolve()
  for (let from = AT_ONCE; from < items.length; from += AT_ONCE) {
    ready = ready.then(turn)
    const portion = ready
    for (const item of items.slice(from, from + AT_ONCE)) late.push(portion.then(() => item))
  }
  return late
}
