import type { TypedDocumentNode } from '@graphql-typed-document-node/core'

/** Picks the variables of a document: callers may pass an object that was read, with more members. */
export const variablesFor = <Variables>(
  document: TypedDocumentNode<unknown, Variables>,
  given: Variables & object,
): Variables => {
  const names = document.definitions.flatMap((node) =>
    node.kind === 'OperationDefinition'
      ? (node.variableDefinitions ?? []).map(({ variable }) => variable.name.value)
      : [],
  )
  const entries = Object.entries(given).filter(([name]) => names.includes(name))
  return Object.fromEntries(entries) as Variables
}
