import { fromLocal } from '../format/local-time.js'
import {
  type Condition,
  isGroup,
  isInstant,
  localTimeIn,
  type Node,
  showFilter,
} from './language.js'

/** A day or time without a zone is one of the viewer's, which the service does not know. */
const inUtc = (condition: Condition): Condition =>
  condition.field.kind === 'instant' && condition.values !== null
    ? { ...condition, values: condition.values.map(momentOf) }
    : condition

const momentOf = (value: string): string => {
  const local = localTimeIn(value)
  const moment = local === undefined ? undefined : fromLocal(local)?.toISOString()
  // At either end of the calendar the moment may be in a year that the service does not know.
  return moment !== undefined && isInstant(moment) ? moment : value
}

const zoned = (node: Node): Node =>
  isGroup(node) ? { ...node, of: node.of.map(zoned) } : inUtc(node)

/** Writes conditions for the service; undefined when there are none. */
export const queryText = (nodes: readonly Node[]): string | undefined =>
  nodes.length === 0 ? undefined : showFilter(nodes.map(zoned))
