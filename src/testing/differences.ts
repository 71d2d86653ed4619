import { invalidArgument } from '../errors.js'
import { errorText } from '../tracing/step.js'
import { capture } from '../values/capture.js'
import { isPlain } from '../values/fit.js'
import { silenceRejection } from '../values/silence-rejection.js'
import { isAsymmetric, isRecord, type StepExpectation } from './expectation.js'
import { show } from './show.js'
import { type StepLike, tokensOf } from './step-like.js'
import { asGiven } from './tree.js'

/** Returns the differences between a step and an expectation, a line for each; none when the step is as expected. */
export const differencesOf = (
  step: StepLike,
  expected: StepExpectation,
  all: readonly StepLike[],
): string[] => {
  const found: string[] = []
  for (const field of Object.keys(expected) as (keyof StepExpectation)[])
    found.push(...differencesIn(field, step, expected, all))
  return found
}

const differencesIn = (
  field: keyof StepExpectation,
  step: StepLike,
  expected: StepExpectation,
  all: readonly StepLike[],
): string[] => {
  const wanted: unknown = expected[field]
  switch (field) {
    case 'parent':
      return parentDifferences(step, expected.parent, all)
    case 'error':
      return errorDifferences(step.error, wanted)
    case 'input':
    case 'output':
      return compare(field, unwrapped(step[field], field, wanted), wanted)
    case 'tokens':
      return isPlain(wanted) && !isAsymmetric(wanted)
        ? compare(field, tokensOf(step), wanted)
        : compare(field, tokensOf(step).total, wanted)
    case 'thread': {
      const { threadId, thread } = step
      const isName = thread?.name != null && compare(field, thread.name, wanted).length === 0
      return isName ? [] : compare(field, threadId, wanted)
    }
    case 'tags':
    case 'scores':
    case 'attachments':
      return Array.isArray(wanted)
        ? missing(field, step[field] ?? [], wanted)
        : compare(field, step[field], wanted)
    default:
      return compare(field, step[field], wanted)
  }
}

const parentDifferences = (
  step: StepLike,
  expected: StepExpectation['parent'],
  all: readonly StepLike[],
): string[] => {
  const parent = all.find(({ id }) => id === step.parentId)
  if (expected == null)
    return step.parentId == null
      ? []
      : [`parent: expected none, got ${show(parent?.name ?? step.parentId)}`]
  const wanted = typeof expected === 'string' ? { name: expected } : expected
  if (parent === undefined) {
    const got = step.parentId == null ? 'none' : `one that is not recorded (${step.parentId})`
    return [`parent: expected ${show(expected)}, got ${got}`]
  }
  return differencesOf(parent, wanted, all).map((line) => `parent.${line}`)
}

const errorDifferences = (actual: unknown, expected: unknown): string[] => {
  if (expected === true) return actual == null ? ['error: expected any, got none'] : []
  const text = expected instanceof Error ? errorText(expected) : expected
  if (typeof text !== 'string') return compare('error', actual, expected)
  return typeof actual === 'string' && actual.includes(text)
    ? []
    : [`error: expected ${show(text)} in it, got ${actual == null ? 'none' : show(actual)}`]
}

/** Returns a value in the form in which it is expected: as it is stored, or as the application had it. */
const unwrapped = (actual: unknown, field: 'input' | 'output', expected: unknown): unknown => {
  if (isPlain(expected) && field in expected) return actual
  const inner = asGiven(actual, field)
  // A function or matcher may be written for either form.
  if (typeof expected === 'function' || isAsymmetric(expected))
    return compare(field, actual, expected).length === 0 ? actual : inner
  return inner
}

/** Returns a difference for each expected item that no other item is like. */
const missing = (path: string, actual: readonly unknown[], expected: unknown[]): string[] => {
  const left = [...actual]
  return expected.flatMap((item) => {
    const place = left.findIndex((one) => compare(path, one, item).length === 0)
    if (place >= 0) {
      left.splice(place, 1)
      return []
    }
    return [`${path}: expected ${show(item)} among them, got ${show(actual)}`]
  })
}

/** Compares a value with an expected one, which may be a part of it. */
const compare = (path: string, actual: unknown, expected: unknown): string[] => {
  const different = () => [
    `${path}: expected ${expected == null ? 'none' : show(expected)}, got ${actual == null ? 'none' : show(actual)}`,
  ]
  if (isAsymmetric(expected)) return expected.asymmetricMatch(actual) ? [] : different()
  if (typeof expected === 'function')
    return isAccepted(expected as (value: unknown) => unknown, actual) ? [] : different()
  if (expected instanceof RegExp)
    // `match` ignores the place that a RegExp with the flag `g` or `y` keeps.
    return typeof actual === 'string' && actual.search(expected) >= 0 ? [] : different()
  if (expected instanceof Date) {
    if (Number.isNaN(expected.getTime()))
      throw invalidArgument(`${path}: expected a valid Date, got ${expected}`)
    return compare(path, actual, expected.toISOString())
  }
  if (expected == null) return actual == null ? [] : different()
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual) || actual.length !== expected.length) return different()
    return expected.flatMap((item, index) => compare(`${path}[${index}]`, actual[index], item))
  }
  if (isPlain(expected)) {
    if (isPromise(expected))
      throw invalidArgument(`${path}: expected a value, got a promise of one: await it`)
    // Recorded values are captured: a Map is an object there, a Set a list.
    if (!isRecord(expected)) return compare(path, actual, capture(expected, MAX_VALUE_LENGTH))
    if (!isPlain(actual)) return different()
    return Object.entries(expected).flatMap(([name, value]) =>
      compare(`${path}.${name}`, Object.hasOwn(actual, name) ? actual[name] : undefined, value),
    )
  }
  return Object.is(actual, expected) ? [] : different()
}

/** A predicate that throws does not accept: it was written for values of another form. */
const isAccepted = (predicate: (value: unknown) => unknown, actual: unknown): boolean => {
  let answer: unknown
  try {
    answer = predicate(actual)
  } catch {
    return false
  }
  if (!isPromise(answer)) return Boolean(answer)
  silenceRejection(answer)
  throw invalidArgument(
    'expected a function that returns true or false, got one that returns a promise',
  )
}

const isPromise = (value: unknown): boolean =>
  typeof (value as { then?: unknown } | null | undefined)?.then === 'function'

const MAX_VALUE_LENGTH = 1_000_000
