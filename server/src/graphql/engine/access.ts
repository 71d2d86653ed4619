import {
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql'
import { FIELD_SCOPES } from '../../../generated/scopes.js'
import { demand, onlyRecords, type Scope } from '../../kernel/scopes.js'

const ROOTS = { query: 'Query', mutation: 'Mutation', subscription: 'Subscription' } as const
const said: Record<string, Record<string, readonly Scope[]>> = FIELD_SCOPES

/** Returns the scopes of which a key must have one for a root field, as the schema defines them. */
export const scopesFor = (
  operation: `${OperationDefinitionNode['operation']}`,
  field: string,
): readonly Scope[] => {
  // The schema is public: every key may query it.
  if (field.startsWith('__')) return ['ingest', 'read', 'write']
  const scopes = saidOf(ROOTS[operation], field)
  if (scopes === undefined) throw new Error(`${ROOTS[operation]}.${field} says no scope`)
  return scopes
}

const saidOf = (type: string, field: string): readonly Scope[] | undefined => {
  const fields = said[type]
  return fields !== undefined && Object.hasOwn(fields, field) ? fields[field] : undefined
}

/** Rejects an operation with a field that the key may not use, before any of it is executed. */
export const checkAccess = (
  schema: GraphQLSchema,
  document: DocumentNode,
  { operation, selectionSet }: OperationDefinitionNode,
  scopes: readonly Scope[],
): void => {
  const root = schema.getType(ROOTS[operation])
  // Keys that may read or change anything see the whole result of a mutation, so only fields of the root need a check.
  const isDeep = onlyRecords(scopes)
  if (isObjectType(root))
    new SelectionVisitor(schema, document, scopes, isDeep).visit(root, selectionSet)
}

class SelectionVisitor {
  readonly #schema: GraphQLSchema
  readonly #document: DocumentNode
  readonly #scopes: readonly Scope[]
  readonly #isDeep: boolean
  readonly #seen = new Set<string>()

  constructor(
    schema: GraphQLSchema,
    document: DocumentNode,
    scopes: readonly Scope[],
    isDeep: boolean,
  ) {
    this.#schema = schema
    this.#document = document
    this.#scopes = scopes
    this.#isDeep = isDeep
  }

  /** Visits the fields of a type, in fragments too. */
  visit(type: GraphQLObjectType, { selections }: SelectionSetNode): void {
    for (const node of selections) {
      if (node.kind === Kind.FIELD) {
        this.#demand(type, node.name.value)
        const inner = getNamedType(type.getFields()[node.name.value]?.type)
        if (this.#isDeep && node.selectionSet !== undefined && isObjectType(inner))
          this.visit(inner, node.selectionSet)
      } else if (node.kind === Kind.INLINE_FRAGMENT) this.visit(type, node.selectionSet)
      else if (!this.#seen.has(node.name.value)) {
        this.#seen.add(node.name.value)
        const fragment = this.#document.definitions.find(
          (definition): definition is FragmentDefinitionNode =>
            definition.kind === Kind.FRAGMENT_DEFINITION &&
            definition.name.value === node.name.value,
        )
        const inner = this.#schema.getType(fragment?.typeCondition.name.value ?? '')
        if (fragment !== undefined && isObjectType(inner)) this.visit(inner, fragment.selectionSet)
      }
    }
  }

  #demand({ name: type }: GraphQLObjectType, field: string): void {
    const operation = type === 'Query' ? 'query' : type === 'Mutation' ? 'mutation' : undefined
    if (operation !== undefined) demand(this.#scopes, scopesFor(operation, field), field)
    else if (this.#isDeep) {
      const scopes = saidOf(type, field)
      if (scopes !== undefined) demand(this.#scopes, scopes, `${type}.${field}`)
    }
  }
}
