import { type Item, indexOfOrder } from './batch.js'

/**
 * Taken items are cut off the list once there are this many: doing it for each batch would copy the rest every time.
 */
const MAX_TAKEN = 4096

/** Steps that have not been sent, in their order. */
export class Queue {
  #items: Item[] = []
  #head = 0
  #size = 0

  get length(): number {
    return this.#items.length - this.#head
  }

  /** Their approximate total size. */
  get size(): number {
    return this.#size
  }

  get first(): Item | undefined {
    return this.#items[this.#head]
  }

  /** Returns true when the step that was recorded at a place is here. */
  has(order: number): boolean {
    return indexOfOrder(this.#items, order, this.#head) !== undefined
  }

  push(item: Item): void {
    this.#items.push(item)
    this.#size += item.size
  }

  /** Takes the first steps, up to a number, and to about a size. */
  take(most: number, mostSize: number): Item[] {
    const from = this.#head
    let size = 0
    while (this.#head < this.#items.length && this.#head - from < most) {
      const next = (this.#items[this.#head] as Item).size
      if (this.#head > from && size + next > mostSize) break
      size += next
      this.#head++
    }
    const taken = this.#items.slice(from, this.#head)
    this.#size -= size
    if (this.#head === this.#items.length || this.#head > MAX_TAKEN) {
      this.#items = this.#items.slice(this.#head)
      this.#head = 0
    }
    return taken
  }
}
