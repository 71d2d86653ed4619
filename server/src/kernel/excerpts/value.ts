import type { ExcerptLine } from './excerpt-line.js'

/** Writes a value inside another one: texts as they are, objects and lists in brackets. */
export const writeValue = (line: ExcerptLine, value: unknown): void => {
  if (line.isFull) return
  if (typeof value !== 'object' || value === null) {
    line.add(String(value))
    return
  }
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  line.add(open as string)
  writeMembers(line, value)
  line.add(close as string)
}

/** Writes the members of an object or a list, until the line is full. */
export const writeMembers = (line: ExcerptLine, value: object): void => {
  if (Array.isArray(value)) writeItems(line, value)
  else writeEntries(line, value)
}

const writeItems = (line: ExcerptLine, items: readonly unknown[]): void => {
  for (const [index, item] of items.entries()) {
    if (line.isFull) return
    if (index > 0) line.add(', ')
    writeValue(line, item)
  }
}

const writeEntries = (line: ExcerptLine, value: object): void => {
  let isFirst = true
  for (const key in value) {
    if (line.isFull) return
    const member: unknown = value[key as keyof typeof value]
    if (member === undefined) continue
    line.add(`${isFirst ? '' : ', '}${key}: `)
    isFirst = false
    writeValue(line, member)
  }
}
