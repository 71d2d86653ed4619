import { isObject } from '../domain/values.js'
import { isTooDeep } from '../kernel/depth.js'
import { isTooDense } from '../kernel/json-text.js'
import type { Attributes } from './schema.js'

/** The first of some attributes that is a text with something in it. */
export const firstText = (attributes: Attributes, ...names: string[]): string | undefined => {
  for (const name of names) {
    const value = attributes.get(name)
    if (typeof value === 'string' && value !== '') return value
  }
  return undefined
}

/** The first of some attributes that is a number. */
export const firstNumber = (attributes: Attributes, ...names: string[]): number | undefined => {
  for (const name of names) {
    const value = attributes.get(name)
    if (typeof value === 'number' && Number.isFinite(value)) return value
  }
  return undefined
}

/** Tracers write structure as text, as attributes had none for long. */
export const structure = (value: unknown): unknown => {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value) || isTooDense(value)) return value
  try {
    const parsed: unknown = JSON.parse(value)
    return isTooDeep(parsed) ? value : parsed
  } catch {
    return value
  }
}

/** The first of some attributes that is there, with its structure. */
export const firstValue = (attributes: Attributes, ...names: string[]): unknown => {
  for (const name of names) {
    const value = attributes.get(name)
    if (value !== undefined && value !== null && value !== '') return structure(value)
  }
  return undefined
}

/** A payload is an object: what is none becomes its content. */
export const toPayload = (value: unknown): Record<string, unknown> | undefined =>
  value === undefined ? undefined : isObject(value) ? value : { content: value }
