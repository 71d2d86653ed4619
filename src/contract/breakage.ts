import {
  BreakingChangeType,
  findBreakingChanges,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isEnumType,
  isInputObjectType,
  isNonNullType,
  isObjectType,
  isRequiredArgument,
  isRequiredInputField,
  NoDeprecatedCustomRule,
  specifiedRules,
  TypeInfo,
  typeFromAST,
  validate,
  visit,
  visitWithTypeInfo,
} from 'graphql'
import type { Operation } from './operations.js'

/** A change of a schema that can break clients that relied on the old one. */
export interface Breakage {
  /** Describes the change. */
  message: string
  /** The operations that it breaks; none of them may use the changed part. */
  operations: Operation[]
}

/** Returns what would break if one schema replaced another. Changes that break operations come first. */
export const breakagesBetween = (
  before: GraphQLSchema,
  after: GraphQLSchema,
  operations: readonly Operation[],
): Breakage[] => {
  const rules = specifiedRules.filter((rule) => rule !== NoDeprecatedCustomRule)
  const uses = operations.map((operation) => ({
    operation,
    used: placesUsedBy(operation, before),
    error: validate(after, operation.document, rules)[0],
  }))
  const breaking = [...findBreakingChanges(before, after), ...defaultsLost(before, after)]
    // It follows from other changes.
    .filter(({ description }) => !description.startsWith('Standard scalar'))
  const changes = breaking.map(({ type, description }) => {
    const places = placesIn(type, description, before)
    // A literal in a document can be checked; variables may be anything.
    const mustFail = type === BreakingChangeType.ARG_CHANGED_KIND
    return {
      message: description.replace(/\.$/, ''),
      operations: uses
        .filter(
          ({ used, error }) => places.some((place) => used.has(place)) && (!mustFail || error),
        )
        .map(({ operation }) => operation),
    }
  })
  // Operations that fail because of a change without a name in the schema, or that were invalid before.
  const named = new Set(changes.flatMap((change) => change.operations))
  for (const { operation, error } of uses)
    if (error !== undefined && !named.has(operation))
      changes.push({ message: error.message, operations: [operation] })
  return changes.sort((a, b) => b.operations.length - a.operations.length)
}

interface Change {
  type: BreakingChangeType | 'DEFAULT_LOST'
  description: string
}

/** Finds input fields and arguments that have become required, because their default is gone. */
const defaultsLost = (before: GraphQLSchema, after: GraphQLSchema): Change[] => {
  const lost: Change[] = []
  const note = (place: string) =>
    lost.push({
      type: 'DEFAULT_LOST',
      description: `${place} lost its default and is required now`,
    })
  for (const type of Object.values(before.getTypeMap())) {
    const other = after.getType(type.name)
    if (isInputObjectType(type) && isInputObjectType(other))
      for (const field of Object.values(type.getFields())) {
        const now = other.getFields()[field.name]
        if (
          now &&
          isNonNullType(field.type) &&
          !isRequiredInputField(field) &&
          isRequiredInputField(now)
        )
          note(`${type.name}.${field.name}`)
      }
    if (isObjectType(type) && isObjectType(other))
      for (const field of Object.values(type.getFields()))
        for (const argument of field.args) {
          const now = other.getFields()[field.name]?.args.find(({ name }) => name === argument.name)
          if (
            now &&
            isNonNullType(argument.type) &&
            !isRequiredArgument(argument) &&
            isRequiredArgument(now)
          )
            note(`${type.name}.${field.name}`)
        }
  }
  return lost
}

/**
 * Returns the parts of the schema that an operation relies on: `Type`, `Type.field`, `Type.field(argument)` and, for
 * inputs, all fields of the input types, as variables may fill any of them.
 */
const placesUsedBy = ({ document }: Operation, schema: GraphQLSchema): Set<string> => {
  const used = new Set<string>()
  const addInput = (type: GraphQLInputType) => {
    const named = getNamedType(type)
    if (used.has(named.name)) return
    used.add(named.name)
    if (isInputObjectType(named))
      for (const field of Object.values(named.getFields())) {
        used.add(`${named.name}.${field.name}`)
        addInput(field.type)
      }
  }
  const info = new TypeInfo(schema)
  visit(
    document,
    visitWithTypeInfo(info, {
      Field: () => {
        const parent = info.getParentType()
        const field = info.getFieldDef()
        if (!parent || !field) return
        used.add(parent.name)
        used.add(`${parent.name}.${field.name}`)
        // It relies on the whole type: an enum may lose a value, a union a member.
        const type = getNamedType(field.type)
        if (isEnumType(type) || isAbstractType(type)) used.add(type.name)
      },
      Argument: ({ name }) => {
        const parent = info.getParentType()
        const field = info.getFieldDef()
        if (parent && field) used.add(`${parent.name}.${field.name}(${name.value})`)
      },
      VariableDefinition: ({ type }) => {
        const known = typeFromAST(schema, type as Parameters<typeof typeFromAST>[1])
        if (known) addInput(known as GraphQLInputType)
      },
    }),
  )
  return used
}

/** Descriptions are written for people, in forms that have long been the same. */
const ARGUMENT_ADDED = /arg \w+ on (\w+\.\w+) was added/
const ARGUMENT = /(\w+\.\w+) arg (\w+)/
const MEMBER = /\w+\.\w+/
/** Operations ask for the type that lost a member: a union or interface. */
const LEFT = /was removed from union type (\w+)|no longer implements interface (\w+)/

/** Returns the parts of the schema that the description of a change names. */
const placesIn = (type: Change['type'], description: string, schema: GraphQLSchema): string[] => {
  const [, grown] = ARGUMENT_ADDED.exec(description) ?? []
  // Operations with this field do not send the argument or input that has just become required.
  if (grown !== undefined) return [grown]
  const [, field, argument] = ARGUMENT.exec(description) ?? []
  if (field !== undefined)
    return type === BreakingChangeType.ARG_CHANGED_KIND ? [field] : [`${field}(${argument})`]
  const [member] = MEMBER.exec(description) ?? []
  if (member !== undefined) return [member]
  const [, union, implemented] = LEFT.exec(description) ?? []
  const left = union ?? implemented
  if (left !== undefined) return [left]
  // All other descriptions name types.
  return [...description.matchAll(/\w+/g)]
    .map(([word]) => word)
    .filter((word) => schema.getType(word))
}
