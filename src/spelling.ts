import { type ShapeName, shapes } from '../generated/shapes.js'
import { invalidArgument, StepwellError } from './errors.js'
import type { PlatformBlob, PlatformStream } from './platform.js'

/** `threadId` -> `thread_id`, in types. */
type SnakeCase<Text extends string> = Text extends `${infer Head}${infer Tail}`
  ? `${Head extends Lowercase<Head> ? Head : `_${Lowercase<Head>}`}${SnakeCase<Tail>}`
  : ''

/**
 * A type of the SDK with its fields in snake_case, and those of the schema's objects inside it. What the user stores
 * (`unknown`, and objects with any keys) stays as it is.
 */
export type Snake<Value> = Value extends readonly (infer Item)[]
  ? Snake<Item>[]
  : Value extends
        | Date
        | PlatformBlob
        | ArrayBuffer
        | ArrayBufferView
        | PlatformStream
        | AsyncIterable<unknown>
    ? Value
    : Value extends object
      ? string extends keyof Value
        ? Value
        : { [Key in keyof Value as SnakeCase<Key & string>]: Snake<Value[Key]> }
      : Value

export const toSnakeCase = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

export const toCamelCase = (name: string): string =>
  name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())

/** Renames the arguments in an error's message to those of the form that was called. */
export const inSnakeCase = (error: unknown): unknown => {
  if (!StepwellError.is(error) || error.code !== 'INVALID_ARGUMENT' || error.status !== undefined)
    return error
  const name = /^[\w.[\]]+(?=: expected)/.exec(error.message)?.[0]
  return name === undefined
    ? error
    : invalidArgument(toSnakeCase(name) + error.message.slice(name.length))
}

/** Converts a result of the service to snake_case. The shape names the fields that hold objects of the schema. */
export const toSnake = <Value>(value: Value, shape: ShapeName): Snake<Value> =>
  rename(value, shape, toSnakeCase, (field) => field) as Snake<Value>

/** Converts snake_case parameters to the service's names. */
export const toCamel = <Value>(value: Snake<Value>, shape: ShapeName): Value =>
  rename(value, shape, toCamelCase, toCamelCase) as Value

/**
 * Renames the parameters of a call, one level deep: objects inside belong to the user, or have a shape of their own.
 */
export const camelKeys = <Params extends object>(params: Snake<Params>): Params =>
  Object.fromEntries(
    Object.entries(params).map(([name, value]) => [toCamelCase(name), value]),
  ) as Params

/** Converts a result of the SDK itself to snake_case, one level deep. */
export const snakeKeys = <Value extends object>(value: Value): Snake<Value> =>
  Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [toSnakeCase(name), inner]),
  ) as Snake<Value>

const rename = (
  value: unknown,
  shape: ShapeName,
  change: (name: string) => string,
  fieldOf: (name: string) => string,
): unknown => {
  if (Array.isArray(value)) return value.map((item) => rename(item, shape, change, fieldOf))
  if (typeof value !== 'object' || value === null) return value
  const nested: Partial<Record<string, ShapeName>> = shapes[shape]
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => {
      const field = fieldOf(name)
      const innerShape = Object.hasOwn(nested, field) ? nested[field] : undefined
      return [
        change(name),
        innerShape === undefined ? inner : rename(inner, innerShape, change, fieldOf),
      ]
    }),
  )
}
