import { capture, reasonOf } from '../values/capture.js'

/** The most characters of a value that is written as JSON. */
const MAX_LENGTH = 1_000_000

/** A value as OTLP/JSON writes it. */
export type AnyValue =
  | { stringValue: string }
  | { boolValue: boolean }
  | { intValue: string }
  /** NaN and the infinities are texts, as in all JSON of Protocol Buffers. */
  | { doubleValue: number | string }
  | { arrayValue: { values: (AnyValue | Record<string, never>)[] } }

export interface KeyValue {
  key: string
  value: AnyValue | Record<string, never>
}

/** Returns an attribute's value. Objects, and lists with any, are JSON, as few collectors search in nested values. */
const anyValueOf = (value: unknown): AnyValue => {
  switch (typeof value) {
    case 'string':
      return { stringValue: value }
    case 'boolean':
      return { boolValue: value }
    case 'number':
      if (Number.isSafeInteger(value)) return { intValue: String(value) }
      return { doubleValue: Number.isFinite(value) ? value : String(value) }
    default:
      return Array.isArray(value) && value.every(isPlain)
        ? { arrayValue: { values: value.map((one) => (one == null ? {} : anyValueOf(one))) } }
        : { stringValue: JSON.stringify(capture(value, MAX_LENGTH)) ?? 'null' }
  }
}

const isPlain = (value: unknown): boolean => value == null || typeof value !== 'object'

/** Returns the attributes that have a value, in their order. */
export const attributesOf = (members: Readonly<Record<string, unknown>>): KeyValue[] =>
  Object.entries(members).flatMap(([key, value]) =>
    value === undefined || value === null ? [] : [{ key, value: anyValueOf(value) }],
  )

/** Returns all attributes of a span. Those without a value stay, and one that can't be read costs no other. */
export const allAttributesOf = (members: Readonly<Record<string, unknown>>): KeyValue[] =>
  Object.keys(members).map((key) => {
    try {
      const value = members[key]
      return { key, value: value == null ? {} : anyValueOf(value) }
    } catch (error) {
      return { key, value: { stringValue: `[unreadable: ${reasonOf(error)}]` } }
    }
  })
