import type { FieldNode, GraphQLResolveInfo, SelectionSetNode } from 'graphql'
import { DomainError } from '../../../kernel/errors.js'
import type { Context } from '../context.js'

/**
 * Limit of the values that an answer has of lists that are in it already. Lists without a size are read once, whatever their length,
 * and counted by what they take in memory; a short document could have each of them in its answer a hundred times.
 */
const MAX_REPEATED = 500_000

interface Answered {
  lists: WeakSet<readonly unknown[]>
  repeated: number
}

const answeredOf = new WeakMap<Context, Answered>()

/**
 * Counts a list that a field answers with.
 * @throws DomainError `TOO_LARGE` when the answer repeats too much.
 */
export const countRepeated = (
  items: readonly unknown[],
  { fieldName, fieldNodes, fragments }: GraphQLResolveInfo,
  context: Context,
): void => {
  const answered = answeredOf.get(context) ?? { lists: new WeakSet(), repeated: 0 }
  answeredOf.set(context, answered)
  if (!answered.lists.has(items)) {
    answered.lists.add(items)
    return
  }
  const fields = fieldNodes.reduce((sum, node) => sum + countInside(node, fragments), 0)
  answered.repeated += items.length * fields
  if (answered.repeated > MAX_REPEATED)
    throw new DomainError(
      'TOO_LARGE',
      `${fieldName}: the document asks for the same rows several times, by other names, for more than ${MAX_REPEATED.toLocaleString('en')} values in all; ask for them once`,
    )
}

const counted = new WeakMap<FieldNode, number>()

/** Returns the number of fields inside a field. */
const countInside = (node: FieldNode, fragments: GraphQLResolveInfo['fragments']): number => {
  const known = counted.get(node)
  if (known !== undefined) return known
  const inSet = (set: SelectionSetNode | undefined): number =>
    (set?.selections ?? []).reduce((sum, selection) => {
      if (selection.kind === 'Field') return sum + 1 + inSet(selection.selectionSet)
      if (selection.kind === 'InlineFragment') return sum + inSet(selection.selectionSet)
      return sum + inSet(fragments[selection.name.value]?.selectionSet)
    }, 0)
  const count = inSet(node.selectionSet)
  counted.set(node, count)
  return count
}
