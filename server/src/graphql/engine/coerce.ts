import {
  coerceInputValue,
  type GraphQLInputType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql'
import { type Refusal, shorten } from '../../kernel/errors.js'
import { withoutStacks } from '../../kernel/without-stacks.js'

/**
 * GraphQL's own coercion keeps a path to each value for error messages, and determines each value's type again: a fifth
 * of the cost of reading a step. This one is built once for each type, accepts plainly valid values, and leaves
 * everything else to GraphQL's.
 */
type Reader = (value: unknown) => unknown

const UNUSUAL = new Error('not plainly right')
const readers = new WeakMap<GraphQLInputType, Reader>()

const readerOf = (type: GraphQLInputType): Reader => {
  const known = readers.get(type)
  if (known !== undefined) return known
  // Types may contain themselves: until this one's reader is made, each use looks it up again.
  readers.set(type, (value) => readerOf(type)(value))
  const made = makeReader(type)
  readers.set(type, made)
  return made
}

const makeReader = (type: GraphQLInputType): Reader => {
  if (isNonNullType(type)) {
    const read = readerOf(type.ofType)
    return (value) => {
      if (value === null || value === undefined) throw UNUSUAL
      return read(value)
    }
  }
  if (isListType(type)) {
    const read = readerOf(type.ofType)
    return (value) => {
      if (value === null) return null
      if (!Array.isArray(value)) throw UNUSUAL
      return value.map(read)
    }
  }
  if (isInputObjectType(type)) {
    const fields = new Map(
      Object.values(type.getFields()).map((field) => [field.name, readerOf(field.type)]),
    )
    // Required fields, and those with a default value.
    const others = Object.values(type.getFields()).filter(
      (field) => isNonNullType(field.type) || field.defaultValue !== undefined,
    )
    return (value) => {
      if (value === null) return null
      if (typeof value !== 'object' || Array.isArray(value) || type.isOneOf) throw UNUSUAL
      const read: Record<string, unknown> = {}
      // No Object.entries: in a value with a million members, the search ends at the first unknown one.
      for (const name of Object.keys(value)) {
        const reader = fields.get(name)
        if (reader === undefined) throw UNUSUAL
        const given = (value as Record<string, unknown>)[name]
        if (given !== undefined) read[name] = reader(given)
      }
      for (const { name } of others) if (read[name] === undefined) throw UNUSUAL
      return read
    }
  }
  return (value) => {
    if (value === null) return null
    const parsed = type.parseValue(value)
    if (parsed === undefined) throw UNUSUAL
    return parsed
  }
}

/** Returns a value as its type requires it, or the reason for its refusal. `where` names it in the message. */
export const coerce = (
  where: string,
  value: unknown,
  type: GraphQLInputType,
): { value: unknown } | { refused: Refusal } =>
  withoutStacks(() => {
    try {
      return { value: readerOf(type)(value) }
    } catch {
      return coerceSlowly(where, value, type)
    }
  })

const coerceSlowly = (
  where: string,
  value: unknown,
  type: GraphQLInputType,
): { value: unknown } | { refused: Refusal } => {
  try {
    return {
      value: coerceInputValue(value, type, (path, _, error) => {
        const field = [where, ...path].filter((part) => part !== '').join('.')
        throw new Wrong(invalidValue(field === '' ? error.message : `${field}: ${error.message}`))
      }),
    }
  } catch (error) {
    if (error instanceof Wrong) return { refused: error.refusal }
    throw error
  }
}

/** Ends the search at the first error: a value may have a million of them, and one is reported. */
class Wrong {
  readonly refusal: Refusal

  constructor(refusal: Refusal) {
    this.refusal = refusal
  }
}

export const invalidValue = (message: string): Refusal => ({
  code: 'INVALID_ARGUMENT',
  message: shorten(message),
})
