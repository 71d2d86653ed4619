import { isJson, type Json } from '../json.js'
import type { Joined } from './api.js'

/** Members that are sent once, or repeated, and never in pieces. */
const WHOLE = new Set(['id', 'type', 'role', 'name', 'format', 'object', 'finish_reason'])

/**
 * Adds a piece of a message to those before it: texts are joined, lists go by their items' `index`, objects member by
 * member.
 */
export const addDelta = (into: Json, delta: Json): void => {
  for (const name in delta) {
    const value = delta[name]
    const before = into[name]
    if (value === null || value === undefined) into[name] ??= value
    else if (typeof value === 'string') into[name] = joined(name, before, value)
    else if (Array.isArray(value)) into[name] = addItems(Array.isArray(before) ? before : [], value)
    else if (isJson(value)) {
      const target: Json = isJson(before) ? before : {}
      addDelta(target, value)
      into[name] = target
    } else into[name] = value
  }
}

const joined = (name: string, before: unknown, value: string): string => {
  if (typeof before !== 'string') return value
  if (WHOLE.has(name)) return value === '' ? before : value
  return before + value
}

const addItems = (list: unknown[], items: readonly unknown[]): unknown[] => {
  for (const item of items) {
    const index = isJson(item) ? item.index : undefined
    const known =
      typeof index === 'number' ? list.find((one) => isJson(one) && one.index === index) : undefined
    if (isJson(known) && isJson(item)) addDelta(known, item)
    else if (isJson(item)) {
      const copy: Json = {}
      addDelta(copy, item)
      list.push(copy)
    } else list.push(item)
  }
  return list
}

/** Returns the only text that a piece adds; undefined when it adds several, or something else. */
export const onlyText = (delta: Json): Joined | undefined => {
  const found: Joined[] = []
  return addsTexts(delta, found) && found.length === 1 ? found[0] : undefined
}

/** Collects the texts that a piece adds. Returns false when adding it twice would change something else. */
const addsTexts = (delta: Json, found: Joined[]): boolean => {
  for (const name in delta) {
    const value = delta[name]
    if (typeof value === 'string') {
      if (value !== '' && !WHOLE.has(name)) found.push({ name, text: value })
    } else if (Array.isArray(value)) {
      for (const item of value)
        if (!isJson(item) || typeof item.index !== 'number' || !addsTexts(item, found)) return false
    } else if (isJson(value) && !addsTexts(value, found)) return false
  }
  return true
}

/** Returns a copy of a message without the numbers by which its pieces were put together. */
export const withoutIndexes = (message: Json): Json => {
  const copy: Json = {}
  for (const name in message) {
    const value = message[name]
    copy[name] = Array.isArray(value)
      ? value.map((item) => {
          if (!isJson(item) || typeof item.index !== 'number') return item
          const { index: _, ...rest } = item
          return rest
        })
      : value
  }
  return copy
}
