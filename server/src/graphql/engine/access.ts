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

/** The scopes of which a key must have one for a root field, as the schema says. */
export const scopesFor = (
  operation: `${OperationDefinitionNode['operation']}`,
  field: string,
): readonly Scope[] => {
  // The schema is no secret: every key may ask for it.
  if (field.startsWith('__')) return ['ingest', 'read', 'write']
  const scopes = saidOf(ROOTS[operation], field)
  if (scopes === undefined) throw new Error(`${ROOTS[operation]}.${field} says no scope`)
  return scopes
}

const saidOf = (type: string, field: string): readonly Scope[] | undefined => {
  const fields = said[type]
  return fields !== undefined && Object.hasOwn(fields, field) ? fields[field] : undefined
}

/** Refuses an operation of which some field is more than the key may do, before any of it is executed. */
export const checkAccess = (
  schema: GraphQLSchema,
  document: DocumentNode,
  { operation, selectionSet }: OperationDefinitionNode,
  scopes: readonly Scope[],
): void => {
  const root = schema.getType(ROOTS[operation])
  // Keys that may see or change anything get what mutations give back as it is, and so need no look below the root.
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

  /** Looks at the fields of a type, wherever fragments have them. */
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
