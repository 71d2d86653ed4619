import {
  type ArgumentNode,
  type DirectiveNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLError,
  Kind,
  print,
  type SelectionSetNode,
} from 'graphql'
import { fragmentsOf } from './fragments.js'

type Fragments = ReadonlyMap<string, FragmentDefinitionNode>

/**
 * Rejects different fields that answer under one name. GraphQL's own rule compares every pair of them, which takes
 * minutes for a document of some hundred kilobytes; this one visits each field once. It relies on every selection of
 * this schema having one object type: a test checks that, and compares it with the rule that it replaces.
 */
export const conflictIn = (document: DocumentNode): GraphQLError | undefined => {
  const fragments = fragmentsOf(document)
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue
    const conflict = conflictAmong([definition.selectionSet], fragments)
    if (conflict !== undefined) return conflict
  }
  return undefined
}

/** Finds a conflict among the fields of one place in the answer. */
const conflictAmong = (
  sets: readonly SelectionSetNode[],
  fragments: Fragments,
): GraphQLError | undefined => {
  const groups = new Map<string, FieldNode[]>()
  const seen = new Set<string>()
  for (const set of sets) collect(set, fragments, groups, seen)
  for (const [name, fields] of groups) {
    const [first, ...others] = fields
    if (first === undefined) continue
    if (others.length > 0) {
      const expected = signatureOf(first)
      const other = others.find((field) => signatureOf(field) !== expected)
      if (other !== undefined)
        return new GraphQLError(
          `Fields "${name}" conflict because they are different fields or have different arguments. Use different aliases on the fields to fetch both if this was intentional.`,
          { nodes: [first, other] },
        )
    }
    const inner = fields.flatMap(({ selectionSet }) => selectionSet ?? [])
    const conflict = inner.length === 0 ? undefined : conflictAmong(inner, fragments)
    if (conflict !== undefined) return conflict
  }
  return undefined
}

const collect = (
  { selections }: SelectionSetNode,
  fragments: Fragments,
  groups: Map<string, FieldNode[]>,
  seen: Set<string>,
): void => {
  for (const node of selections) {
    if (node.kind === Kind.FIELD) {
      const name = (node.alias ?? node.name).value
      const group = groups.get(name)
      if (group === undefined) groups.set(name, [node])
      else group.push(node)
    } else if (node.kind === Kind.INLINE_FRAGMENT) {
      collect(node.selectionSet, fragments, groups, seen)
    } else if (!seen.has(node.name.value)) {
      seen.add(node.name.value)
      const fragment = fragments.get(node.name.value)
      if (fragment !== undefined) collect(fragment.selectionSet, fragments, groups, seen)
    }
  }
}

const signatureOf = ({ name, arguments: args, directives }: FieldNode): string =>
  [
    name.value,
    ...(args ?? []).map(textOf).sort(),
    ...(directives ?? []).filter(({ name: { value } }) => value === 'stream').map(textOf),
  ].join('\n')

const textOf = (node: ArgumentNode | DirectiveNode) => print(node)
