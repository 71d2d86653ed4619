import type { DocumentNode, FragmentDefinitionNode } from 'graphql'

/** Returns the fragments of a document by their names. */
export const fragmentsOf = ({
  definitions,
}: DocumentNode): ReadonlyMap<string, FragmentDefinitionNode> => {
  const fragments = new Map<string, FragmentDefinitionNode>()
  for (const definition of definitions)
    if (definition.kind === 'FragmentDefinition') fragments.set(definition.name.value, definition)
  return fragments
}
