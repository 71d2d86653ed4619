import { type Condition, isGroup, isLocal, type Node, showFilter } from './language.js'

/** A time without a zone is one of the viewer's, which the service does not know. */
const inUtc = (condition: Condition): Condition =>
  condition.field.kind === 'instant' && condition.values !== null
    ? { ...condition, values: condition.values.map(momentOf) }
    : condition

const momentOf = (value: string): string =>
  isLocal(value) ? new Date(value.replace(/[ t]/, 'T')).toISOString() : value

const zoned = (node: Node): Node =>
  isGroup(node) ? { ...node, of: node.of.map(zoned) } : inUtc(node)

/** Writes conditions for the service; undefined when there are none. */
export const queryText = (nodes: readonly Node[]): string | undefined =>
  nodes.length === 0 ? undefined : showFilter(nodes.map(zoned))
