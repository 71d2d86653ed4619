import {
  defaultFieldResolver,
  type GraphQLField,
  getNullableType,
  isCompositeType,
  isListType,
} from 'graphql'
import type { Turn } from '../../kernel/sharing/turns.js'
import type { Context } from './context.js'

/** Time that an operation works on its answer before it asks for another turn. */
const SLICE_MS = 5
/** Objects of a list that are answered at once. */
const AT_ONCE = 20

/** Returns a turn that is asked for by each of many small parts of an operation, and is taken now and then. */
export const paced = (turn: Turn): Turn => {
  let since = performance.now()
  return () => {
    if (performance.now() - since < SLICE_MS) return undefined
    return Promise.resolve(turn()).then(() => {
      since = performance.now()
    })
  }
}

/**
 * Makes the field of a list of objects answer in turns. graphql-js works on all of a list without a break, and on all
 * lists of a loader: a list whose objects come some at a time lets other requests have their turn in between.
 */
export const answerInTurns = (field: GraphQLField<unknown, Context>): void => {
  const type = getNullableType(field.type)
  if (!isListType(type) || !isCompositeType(getNullableType(type.ofType))) return
  const { resolve = defaultFieldResolver } = field
  field.resolve = (source, args, context, info) => {
    const items: unknown = resolve(source, args, context, info)
    return items instanceof Promise
      ? items.then((settled) => inTurns(settled, context.turn))
      : inTurns(items, context.turn)
  }
}

const inTurns = (items: unknown, turn: Turn): unknown => {
  if (!Array.isArray(items) || items.length === 0) return items
  let before = turn()
  if (items.length <= AT_ONCE) return before === undefined ? items : before.then(() => items)
  const late: unknown[] = []
  for (let from = 0; from < items.length; from += AT_ONCE) {
    const ready = before
    for (const item of items.slice(from, from + AT_ONCE))
      late.push(ready === undefined ? item : ready.then(() => item))
    before = ready === undefined ? Promise.resolve().then(turn) : ready.then(turn)
  }
  return late
}
