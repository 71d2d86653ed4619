import {
  type DirectiveNode,
  type DocumentNode,
  type FieldNode,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isObjectType,
  type OperationDefinitionNode,
  type SelectionSetNode,
  valueFromASTUntyped,
} from 'graphql'
import { fragmentsOf } from '../fragments.js'

/** An operation and the variables for it. */
export interface Asked {
  schema: GraphQLSchema
  document: DocumentNode
  operation: OperationDefinitionNode
  variables: Record<string, unknown>
}

/** A field that will be executed. */
export interface Executed {
  node: FieldNode
  /** The type that has it. */
  type: GraphQLNamedType | undefined
  /** Undefined for a field of every type. */
  field: GraphQLField<unknown, unknown> | undefined
  /** Returns the value of an argument, or its default. */
  argument: (name: string) => unknown
}

/**
 * Visits the fields of an operation that will be executed: directives leave others out. `visit` gets what it returned
 * for the field around; fields inside one for which it returned undefined are not visited.
 */
export const visitExecuted = <State>(
  { schema, document, operation, variables }: Asked,
  first: State,
  visit: (field: Executed, around: State) => State | undefined,
): void => {
  const fragments = fragmentsOf(document)
  const given = { ...defaultsOf(operation), ...variables }

  const walk = (
    { selections }: SelectionSetNode,
    of: GraphQLOutputType | undefined,
    around: State,
  ): void => {
    const type = of === undefined ? undefined : getNamedType(of)
    for (const node of selections) {
      if (isLeftOut(node.directives, given)) continue
      if (node.kind !== 'Field') {
        const inner = node.kind === 'InlineFragment' ? node : fragments.get(node.name.value)
        if (inner !== undefined) walk(inner.selectionSet, of, around)
        continue
      }
      const field = isObjectType(type) ? type.getFields()[node.name.value] : undefined
      const argument = (name: string): unknown =>
        argumentOf(node, name, given) ?? field?.args.find((one) => one.name === name)?.defaultValue
      const inside = visit({ node, type, field, argument }, around)
      if (inside !== undefined && node.selectionSet !== undefined)
        walk(node.selectionSet, field?.type, inside)
    }
  }

  walk(operation.selectionSet, schema.getRootType(operation.operation) ?? undefined, first)
}

const defaultsOf = ({ variableDefinitions = [] }: OperationDefinitionNode) =>
  Object.fromEntries(
    variableDefinitions.flatMap(({ variable, defaultValue }) =>
      defaultValue === undefined ? [] : [[variable.name.value, valueFromASTUntyped(defaultValue)]],
    ),
  )

const argumentOf = (
  { arguments: passed = [] }: FieldNode | DirectiveNode,
  name: string,
  given: Record<string, unknown>,
): unknown => {
  const node = passed.find((one) => one.name.value === name)?.value
  return node === undefined ? undefined : valueFromASTUntyped(node, given)
}

/** Only true and false are Booleans: an operation with another value, or without one, fails before it reads anything. */
const isLeftOut = (
  directives: readonly DirectiveNode[] = [],
  given: Record<string, unknown>,
): boolean =>
  directives.some((directive) => {
    const decision = argumentOf(directive, 'if', given)
    return (
      (directive.name.value === 'skip' && decision === true) ||
      (directive.name.value === 'include' && decision === false)
    )
  })
