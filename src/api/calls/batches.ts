const MAX_ITEMS = 500
/** Well below what services and the proxies before them take. */
const MAX_CHARACTERS = 4_000_000

/** Splits a list by count and size, in its order; what is too large for any batch goes alone. */
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

/** A value that contains itself has no size; writing it as JSON will say so. */
const sizeOrNothing = (value: unknown): number => {
  try {
    return sizeOf(value)
  } catch {
    return 0
  }
}

/** What a number, a key's quotes and colon, or a bracket come to. */
const SMALL = 8

/** How long a value's JSON is, about: near enough to split by, and a fraction of the cost of writing it. */
const sizeOf = (value: unknown): number => {
  if (typeof value === 'string') return value.length + 2
  if (typeof value !== 'object' || value === null) return SMALL
  let size = SMALL
  if (Array.isArray(value)) for (const item of value) size += sizeOf(item)
  else for (const [key, item] of Object.entries(value)) size += key.length + SMALL + sizeOf(item)
  return size
}
