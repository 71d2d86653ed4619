import {
  findBreakingChanges,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
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
  const uses = operations.map((operation) => ({ operation, used: placesUsedBy(operation, before) }))
  const breaking = findBreakingChanges(before, after)
    .map(({ description }) => description)
    // It follows from others.
    .filter((description) => !description.startsWith('Standard scalar'))
  const changes = breaking.map((description) => {
    const places = placesIn(description, before)
    return {
      message: description.replace(/\.$/, ''),
      operations: uses
        .filter(({ used }) => places.some((place) => used.has(place)))
        .map(({ operation }) => operation),
    }
  })
  // What is found by no name, and operations that were never valid.
  const named = new Set(changes.flatMap((change) => change.operations))
  const rules = specifiedRules.filter((rule) => rule !== NoDeprecatedCustomRule)
  for (const operation of operations) {
    const [error] = named.has(operation) ? [] : validate(after, operation.document, rules)
    if (error !== undefined) changes.push({ message: error.message, operations: [operation] })
  }
  return changes.sort((a, b) => b.operations.length - a.operations.length)
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
        const type = getNamedType(field.type)
        if (isEnumType(type)) used.add(type.name)
      },
      Argument: ({ name }) => {
        const parent = info.getParentType()
        const field = info.getFieldDef()
        if (parent && field) used.add(`${parent.name}.${field.name}(${name.value})`)
        const type = info.getInputType()
        if (type) addInput(type)
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
const ARGUMENT_CHANGED = /(\w+\.\w+) arg (\w+)(?: has changed type from (\S+) to (\S+?)\.?$)?/
const MEMBER = /\w+\.\w+/

/** The places that a description names. */
const placesIn = (description: string, schema: GraphQLSchema): string[] => {
  const [, grown] = ARGUMENT_ADDED.exec(description) ?? []
  // Whoever asks for the field leaves out what has just become required.
  if (grown !== undefined) return [grown]
  const [, field, argument, from, to] = ARGUMENT_CHANGED.exec(description) ?? []
  if (field !== undefined) return [to === `${from}!` ? field : `${field}(${argument})`]
  const [member] = MEMBER.exec(description) ?? []
  if (member !== undefined) return [member]
  // Everything else names types.
  return [...description.matchAll(/\w+/g)]
    .map(([word]) => word)
    .filter((word) => schema.getType(word))
}
