import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql'
import { demand, type Scope } from '../domain/scopes.js'

/** What only adds to what is recorded. Whoever may change things may do that too. */
const INGESTION = new Set([
  'ingestStep',
  'ingestSteps',
  'createStep',
  'createGeneration',
  'createAttachment',
  'createThread',
  'upsertThread',
])

/** What is about keys. */
const ADMINISTRATION = new Set(['apiKeys', 'createApiKey', 'revokeApiKey'])

/** The scopes of which a key must have one for a root field: what is new and not listed is changing something. */
export const scopesFor = (
  operation: `${OperationDefinitionNode['operation']}`,
  field: string,
): readonly Scope[] => {
  // The schema is no secret: whoever has a key may ask for it.
  if (field.startsWith('__')) return ['ingest', 'read', 'write']
  if (ADMINISTRATION.has(field)) return []
  if (operation !== 'mutation') return ['read']
  return INGESTION.has(field) ? ['ingest', 'write'] : ['write']
}

/** Refuses an operation of which some root field is more than the key may do, before any of it is executed. */
export const checkAccess = (
  document: DocumentNode,
  { operation, selectionSet }: OperationDefinitionNode,
  scopes: readonly Scope[],
): void => {
  for (const { name } of rootFields(document, selectionSet))
    demand(scopes, scopesFor(operation, name.value), name.value)
}

/** The fields at the root, wherever fragments have them. */
function* rootFields(
  document: DocumentNode,
  { selections }: SelectionSetNode,
  seen = new Set<string>(),
): Generator<FieldNode> {
  for (const node of selections) {
    if (node.kind === Kind.FIELD) yield node
    else if (node.kind === Kind.INLINE_FRAGMENT)
      yield* rootFields(document, node.selectionSet, seen)
    else if (!seen.has(node.name.value)) {
      seen.add(node.name.value)
      const fragment = document.definitions.find(
        (definition): definition is FragmentDefinitionNode =>
          definition.kind === Kind.FRAGMENT_DEFINITION && definition.name.value === node.name.value,
      )
      if (fragment !== undefined) yield* rootFields(document, fragment.selectionSet, seen)
    }
  }
}
