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

/** A change of a schema that can break whoever relied on the old one. */
export interface Breakage {
  /** What changed, in words. */
  message: string
  /** The operations that it breaks; none of them may use what changed. */
  operations: Operation[]
}

/** What would break when a schema takes the place of another. Changes that break operations come first. */
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
    // It follows from others.
    .filter(({ description }) => !description.startsWith('Standard scalar'))
  const changes = breaking.map(({ type, description }) => {
    const places = placesIn(type, description, before)
    // What is written into a document, the document can be asked about; variables may be anything.
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
  // What is found by no name, and operations that were never valid.
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

/** Fields of inputs, and arguments, that may no longer be left out, as what stood in for them has gone. */
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
 * What an operation relies on: `Type`, `Type.field`, `Type.field(argument)` and, for what goes in, all fields of its input
 * types, as variables may fill any of them.
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
        // Values of an enum that are gone no longer come, and a union has fewer kinds.
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
/** The type that is left is what operations ask for: a union or interface. */
const LEFT = /was removed from union type (\w+)|no longer implements interface (\w+)/

/** The places that the description of a change names. */
const placesIn = (type: Change['type'], description: string, schema: GraphQLSchema): string[] => {
  const [, grown] = ARGUMENT_ADDED.exec(description) ?? []
  // Whoever asks for the field leaves out what has just become required.
  if (grown !== undefined) return [grown]
  const [, field, argument] = ARGUMENT.exec(description) ?? []
  if (field !== undefined)
    return type === BreakingChangeType.ARG_CHANGED_KIND ? [field] : [`${field}(${argument})`]
  const [member] = MEMBER.exec(description) ?? []
  if (member !== undefined) return [member]
  const [, union, implemented] = LEFT.exec(description) ?? []
  const left = union ?? implemented
  if (left !== undefined) return [left]
  // Everything else names types.
  return [...description.matchAll(/\w+/g)]
    .map(([word]) => word)
    .filter((word) => schema.getType(word))
}
