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

  /** Gives up the items that pass a test. */
  drop(test: (item: Item) => boolean): void {
    for (const slot of this.#slots) if (test(slot.item)) slot.isUsed = true
  }

  /** Returns the last item with a key, used or not. */
  last(key: string): Item | undefined {
    return this.#slots.findLast((one) => one.key === key)?.item
  }

  /** Returns true when an item with a key is left. */
  hasKey(key: string): boolean {
    return this.#slots.some((one) => !one.isUsed && one.key === key)
  }

  /** Returns the items that are left; all of them when none is. */
  get candidates(): Item[] {
    const left = this.#slots.filter(({ isUsed }) => !isUsed)
    return (left.length > 0 ? left : this.#slots).map(({ item }) => item)
  }

  /** The number of items that are left. */
  get left(): number {
    return this.#slots.reduce((sum, { isUsed }) => (isUsed ? sum : sum + 1), 0)
  }

  /** Returns true when an item that is left passes a test. */
  has(test: (item: Item) => boolean): boolean {
    return this.#slots.some(({ item, isUsed }) => !isUsed && test(item))
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
