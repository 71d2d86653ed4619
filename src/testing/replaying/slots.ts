/** Recorded answers of one kind, each given once. */
export class Slots<Item> {
  readonly #slots: { readonly item: Item; readonly key: string; isUsed: boolean }[] = []

  add(item: Item, key: string): void {
    this.#slots.push({ item, key, isUsed: false })
  }

  /** Takes the first unused item with a key. */
  take(key: string): Item | undefined {
    const slot = this.#slots.find((one) => !one.isUsed && one.key === key)
    if (slot === undefined) return undefined
    slot.isUsed = true
    return slot.item
  }

  /** Returns the last item with a key, used or not. */
  last(key: string): Item | undefined {
    return this.#slots.findLast((one) => one.key === key)?.item
  }

  /** Returns the items that are left; all of them when none is. */
  get candidates(): Item[] {
    const left = this.#slots.filter(({ isUsed }) => !isUsed)
    return (left.length > 0 ? left : this.#slots).map(({ item }) => item)
  }

  get size(): number {
    return this.#slots.length
  }
}

/** Returns the item with the fewest differences, and these. */
export const nearestOf = <Item>(
  items: readonly Item[],
  differencesOf: (item: Item) => string[],
): { item: Item; differences: string[] } | undefined => {
  let best: { item: Item; differences: string[] } | undefined
  for (const item of items) {
    const differences = differencesOf(item)
    if (best === undefined || differences.length < best.differences.length)
      best = { item, differences }
  }
  return best
}
