import { isObject } from '../domain/values.js'
import { isTooDeep } from '../kernel/depth.js'
import { isTooDense } from '../kernel/json-text.js'
import type { Attributes } from './schema.js'

/** Returns the first of some attributes that is a text and not empty. */
export const firstText = (attributes: Attributes, ...names: string[]): string | undefined => {
  for (const name of names) {
    const value = attributes.get(name)
    if (typeof value === 'string' && value !== '') return value
  }
  return undefined
}

/** Returns the first of some attributes that is a number. */
export const firstNumber = (attributes: Attributes, ...names: string[]): number | undefined => {
  for (const name of names) {
    const value = attributes.get(name)
    if (typeof value === 'number' && Number.isFinite(value)) return value
  }
  return undefined
}

/** Parses structure in a text: for a long time attributes could not hold any, so tracers write it as JSON. */
export const structure = (value: unknown): unknown => {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value) || isTooDense(value)) return value
  try {
    const parsed: unknown = JSON.parse(value)
    return isTooDeep(parsed) ? value : parsed
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
