import type {
  AttachmentPayloadInput,
  GenerationPayloadInput,
  ScorePayloadInput,
  StepType,
} from '../../generated/schema.js'
import { invalidArgument } from '../errors.js'

/** An asymmetric matcher, such as `expect.any(String)` of vitest and jest. */
export interface AsymmetricMatcher {
  /** Tells if a value is as expected. */
  asymmetricMatch(actual: unknown): boolean
}

/**
 * An expected value: the value itself, a function that returns true for it, or an asymmetric matcher; a RegExp for texts.
 * Objects may have further members, also inside; lists have the same length.
 */
export type Expected<Value> =
  | Value
  | AsymmetricMatcher
  // biome-ignore lint/suspicious/noExplicitAny: a predicate names the type that it expects
  | ((actual: any) => boolean)
  | (Value extends string ? RegExp : never)

/** Some fields of an object, each with what is expected there. */
export type ExpectedFields<Value> = {
  [Field in keyof Value]?: Expected<Value[Field]> | undefined
}

/** The expected fields of a step. Fields that are left out may hold anything; `undefined` and null expect nothing there. */
export interface StepExpectation {
  /** The name. */
  name?: Expected<string> | null | undefined
  /** The kind of work. */
  type?: Expected<StepType> | undefined
  /** The value that went in, or a part of it. A value that is no object is compared with the one that was stored as `{ input }`. */
  input?: unknown
  /** The value that came out, or a part of it. */
  output?: unknown
  /** A part of the error's text, or an error with it; true for any error. */
  error?: Expected<string> | Error | true | null | undefined
  /** The step inside which it ran: its name, or its fields; null for a step outside of every other. */
  parent?: string | StepExpectation | null | undefined
  /** The thread that it belongs to: its id or name. */
  thread?: Expected<string> | null | undefined
  /** Scores that are among its scores, each by some of its fields. */
  scores?: readonly ExpectedFields<ScorePayloadInput>[] | AsymmetricMatcher | undefined
  /** Tags that are among its tags. */
  tags?: readonly Expected<string>[] | AsymmetricMatcher | undefined
  /** The metadata, or a part of it. */
  metadata?: unknown
  /** The tokens of its model call: all, or those in and out. */
  tokens?: Expected<number> | TokenExpectation | null | undefined
  /** The model call, by some of its fields. */
  generation?: Expected<{ [Field in keyof GenerationPayloadInput]?: unknown }> | null | undefined
  /** Files that are among its files, each by some of its fields. */
  attachments?: readonly ExpectedFields<AttachmentPayloadInput>[] | AsymmetricMatcher | undefined
  /** The environment. */
  environment?: Expected<string> | null | undefined
  /** True for a step that has not ended. */
  isOpen?: boolean | undefined
}

/** The expected tokens of a model call. */
export interface TokenExpectation {
  /** Tokens in. */
  input?: Expected<number> | null | undefined
  /** Tokens out. */
  output?: Expected<number> | null | undefined
  /** Tokens in and out. */
  total?: Expected<number> | null | undefined
}

const FIELDS = [
  'name',
  'type',
  'input',
  'output',
  'error',
  'parent',
  'thread',
  'scores',
  'tags',
  'metadata',
  'tokens',
  'generation',
  'attachments',
  'environment',
  'isOpen',
]

/** Checks an expectation and returns it; a text is a name. Throws for fields that no step has: they would be ignored. */
export const readExpectation = (given: string | StepExpectation): StepExpectation => {
  if (typeof given === 'string') return { name: given }
  if (typeof given !== 'object' || given === null || !isRecord(given))
    throw invalidArgument(`step: expected a name or an object of fields, got ${String(given)}`)
  const unknown = Object.keys(given).filter((name) => !FIELDS.includes(name))
  if (unknown.length > 0)
    throw invalidArgument(
      `step: expected some of the fields ${FIELDS.join(', ')}, got ${unknown.join(', ')}`,
    )
  for (const list of ['scores', 'tags', 'attachments'] as const) {
    const value: unknown = given[list]
    if (value !== undefined && !Array.isArray(value) && !isAsymmetric(value))
      throw invalidArgument(`${list}: expected a list, got ${typeof value}`)
  }
  if (given.parent !== undefined && given.parent !== null) readExpectation(given.parent)
  return given
}

/** Returns true for an object as it is written in braces, not a list, a Map or an instance of another class. */
export const isRecord = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

/** Checks options. Throws for unknown ones: they would be ignored. */
export const readOptions = <Options extends object>(
  given: Options | null | undefined,
  names: readonly (keyof Options & string)[],
): Partial<Options> => {
  if (given === undefined || given === null) return {}
  const unknown = typeof given === 'object' ? Object.keys(given) : [String(given)]
  const wrong = unknown.filter((name) => !(names as readonly string[]).includes(name))
  if (wrong.length > 0)
    throw invalidArgument(`options: expected ${names.join(', ')}, got ${wrong.join(', ')}`)
  return given
}

export const isAsymmetric = (value: unknown): value is AsymmetricMatcher =>
  typeof value === 'object' &&
  value !== null &&
  typeof (value as { asymmetricMatch?: unknown }).asymmetricMatch === 'function'
