import { isObject } from '../../domain/values.js'
import { isTooDense } from '../../kernel/json-text.js'
import { whyNotStored } from '../../kernel/storable.js'
import type { Attributes } from '../encoding/schema.js'

/** Returns the first of some attributes that is a text and not empty. */
export const firstText = (attributes: Attributes, ...names: string[]): string | undefined => {
  for (const name of names) {
    const value = attributes.get(name)
    if (typeof value === 'string' && value !== '') return value
  }
  return undefined
}

/**
 * Returns the first of some attributes that is an id: a text, or a whole number, as databases count users and conversations.
 */
export const firstId = (attributes: Attributes, ...names: string[]): string | undefined => {
  for (const name of names) {
    const value = attributes.get(name)
    if (typeof value === 'string' && value !== '') return value
    if (Number.isSafeInteger(value)) return String(value)
    // A number beyond those that a double holds exactly.
    if (isObject(value) && typeof value.intValue === 'string') return value.intValue
  }
  return undefined
}

const NUMBER = /^-?\d{1,15}(?:\.\d{1,17})?(?:[eE][+-]?\d{1,3})?$/

/**
 * Returns a number, also one that is written as a text: tracers that Micrometer feeds, such as those of Spring AI, know no
 * other attributes.
 */
export const numberOf = (value: unknown): number | undefined => {
  const number = typeof value === 'string' && NUMBER.test(value) ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined
}

/** Returns the first of some attributes that is a number. */
export const firstNumber = (attributes: Attributes, ...names: string[]): number | undefined => {
  for (const name of names) {
    const value = numberOf(attributes.get(name))
    if (value !== undefined) return value
  }
  return undefined
}

/** Parses structure in a text: for a long time attributes could not hold any, so tracers write it as JSON. */
export const structure = (value: unknown): unknown => {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value) || isTooDense(value)) return value
  try {
    const parsed: unknown = JSON.parse(value)
    return whyNotStored(parsed) === undefined ? parsed : value
  } catch {
    return value
  }
}

/** Returns the first of some attributes that is present, with its name. */
export const firstOf = (
  attributes: Attributes,
  names: readonly string[],
): { name: string; value: unknown } | undefined => {
  for (const name of names) {
    const value = attributes.get(name)
    if (value !== undefined && value !== null && value !== '') return { name, value }
  }
  return undefined
}

/** Returns the first of some attributes that is present, with its structure. */
export const firstValue = (attributes: Attributes, ...names: string[]): unknown =>
  structure(firstOf(attributes, names)?.value)

/** Makes a payload, which is an object: any other value becomes its content. */
export const toPayload = (value: unknown): Record<string, unknown> | undefined =>
  value === undefined ? undefined : isObject(value) ? value : { content: value }

/** Returns a text, or the first characters of a longer one, without half of a surrogate pair. */
export const beginningOf = (text: string, characters: number): string =>
  text.length <= characters ? text : text.slice(0, characters).replace(/[\uD800-\uDBFF]$/, '')

/**
 * Returns the elements of a list whose members are attributes of their own: those of `beginning.0.infix.name` are
 * `name`, in the order of the numbers.
 */
export const elementsOf = (
  attributes: Attributes,
  beginning: string,
  infix = '',
): ReadonlyMap<string, unknown>[] => {
  const prefix = `${beginning}.`
  const found = new Map<number, Map<string, unknown>>()
  for (const [name, value] of attributes) {
    if (!name.startsWith(prefix)) continue
    const match = /^(\d{1,5})\.(.+)$/.exec(name.slice(prefix.length))
    if (match === null) continue
    const [, place, rest = ''] = match
    const member =
      infix !== '' && rest.startsWith(`${infix}.`) ? rest.slice(infix.length + 1) : rest
    const members = found.get(Number(place)) ?? new Map<string, unknown>()
    found.set(Number(place), members.set(member, value))
  }
  return [...found].sort(([a], [b]) => a - b).map(([, members]) => members)
}
