import { isPlain } from '../../values/fit.js'
import { show } from '../show.js'

/** Differences of one value that are listed. */
const MAX_LISTED = 5

/** Characters of a text around its first difference. */
const AROUND = 40

/** Lists the differences of two values in their normal forms, a line for each. */
export const exactDifferences = (path: string, expected: unknown, actual: unknown): string[] =>
  listed(differing(path, expected, actual))

/** Lists the differences of two values by structure: members and their types, but not texts, numbers and lengths of lists. */
export const shapeDifferences = (path: string, expected: unknown, actual: unknown): string[] =>
  listed(misshapen(path, expected, actual))

const listed = (lines: readonly string[]): string[] =>
  lines.length <= MAX_LISTED
    ? [...lines]
    : [...lines.slice(0, MAX_LISTED), `… and ${lines.length - MAX_LISTED} more`]

const differing = (path: string, expected: unknown, actual: unknown): string[] => {
  if (expected === actual) return []
  if (Array.isArray(expected) && Array.isArray(actual)) {
    const length = Math.max(expected.length, actual.length)
    return Array.from({ length }, (_, at) => at).flatMap((at) =>
      differing(`${path}[${at}]`, expected[at], actual[at]),
    )
  }
  if (isPlain(expected) && isPlain(actual))
    return namesOf(expected, actual).flatMap((name) =>
      differing(`${path}.${name}`, expected[name], actual[name]),
    )
  if (expected == null && actual == null) return []
  if (typeof expected === 'string' && typeof actual === 'string') {
    const [one, other] = aroundDifference(expected, actual)
    return [`${path}: expected ${show(one)}, got ${show(other)}`]
  }
  return [`${path}: expected ${shown(expected)}, got ${shown(actual)}`]
}

/** Of long texts, shows where they begin to differ. */
const aroundDifference = (one: string, other: string): [string, string] => {
  if (one.length <= AROUND * 3 && other.length <= AROUND * 3) return [one, other]
  let at = 0
  while (at < one.length && one[at] === other[at]) at++
  const begin = Math.max(0, at - AROUND)
  const part = (text: string) => `${begin > 0 ? '…' : ''}${text.slice(begin, at + AROUND * 2)}`
  return [part(one), part(other)]
}

const misshapen = (path: string, expectedText: unknown, actualText: unknown): string[] => {
  if (expectedText === actualText) return []
  const [expected, actual] = [readJson(expectedText), readJson(actualText)]
  const [kind, other] = [kindOf(expected), kindOf(actual)]
  if (kind !== other) return [`${path}: expected ${kind}, got ${other}`]
  if (Array.isArray(expected) && Array.isArray(actual)) {
    // Lists have thousands of items, and few structures.
    const shapes = new Map<string, unknown>()
    for (const one of expected) {
      const shape = shapeOf(one)
      if (!shapes.has(shape)) shapes.set(shape, one)
    }
    return actual.flatMap((item, at) => {
      if (shapes.has(shapeOf(item))) return []
      // Items of a list may be of several kinds: the nearest one counts.
      const options = [...shapes.values()].map((one) => misshapen(`${path}[${at}]`, one, item))
      return options.reduce(
        (best, one) => (one.length < best.length ? one : best),
        options[0] ?? [],
      )
    })
  }
  if (isPlain(expected) && isPlain(actual))
    return namesOf(expected, actual).flatMap((name) =>
      misshapen(`${path}.${name}`, expected[name], actual[name]),
    )
  return []
}

/** Returns a text that is the same for values of one structure. */
const shapeOf = (given: unknown): string => {
  const value = readJson(given)
  if (Array.isArray(value)) return `[${[...new Set(value.map(shapeOf))].sort().join()}]`
  if (!isPlain(value)) return kindOf(value)
  const members = Object.entries(value).filter(([, member]) => member != null)
  return `{${members
    .map(([name, member]) => `${JSON.stringify(name)}:${shapeOf(member)}`)
    .sort()
    .join()}}`
}

/** Tools answer JSON as a text. */
const readJson = (value: unknown): unknown => {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}

const kindOf = (value: unknown): string => {
  if (value == null) return 'none'
  if (Array.isArray(value)) return 'a list'
  const kind = { string: 'a text', number: 'a number', boolean: 'true or false' }[
    typeof value as string
  ]
  return kind ?? 'an object'
}

const namesOf = (one: object, other: object): string[] => [
  ...new Set([...Object.keys(one), ...Object.keys(other)]),
]

const shown = (value: unknown): string => (value == null ? 'none' : show(value))
