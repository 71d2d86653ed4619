const MAX_ITEMS = 500
/** Far below the limits of services and the proxies before them. */
const MAX_CHARACTERS = 4_000_000

/** Splits a list by count and size, in its order; an item that is too large for any batch goes alone. */
export function* batches<Item>(
  items: readonly Item[],
): Generator<{ items: Item[]; offset: number }> {
  let batch: Item[] = []
  let offset = 0
  let characters = 0
  for (const [index, item] of items.entries()) {
    const size = sizeOrNothing(item)
    if (batch.length > 0 && (batch.length >= MAX_ITEMS || characters + size > MAX_CHARACTERS)) {
      yield { items: batch, offset }
      batch = []
      offset = index
      characters = 0
    }
    batch.push(item)
    characters += size
  }
  if (batch.length > 0) yield { items: batch, offset }
}

/** Returns 0 for a value that contains itself; writing it as JSON throws a better error. */
const sizeOrNothing = (value: unknown): number => {
  try {
    return sizeOf(value)
  } catch {
    return 0
  }
}

/** Size of a number, of a key's quotes and colon, or of a bracket. */
const SMALL = 8

/** Estimates the length of a value's JSON: close enough to split by, and a fraction of the cost of writing it. */
const sizeOf = (value: unknown): number => {
  if (typeof value === 'string') return value.length + 2
  if (typeof value !== 'object' || value === null) return SMALL
  let size = SMALL
  if (Array.isArray(value)) for (const item of value) size += sizeOf(item)
  else for (const [key, item] of Object.entries(value)) size += key.length + SMALL + sizeOf(item)
  return size
}
