interface Event {
  at: number
  number: number
  work: (() => void) | undefined
}

/** Simulated time: events happen one after the other, each at its moment, in the order in which they were scheduled. */
export class Clock {
  /** In milliseconds. */
  time = 0
  #count = 0
  readonly #heap: Event[] = []

  /** The time of the next event; infinite when there is none. */
  get nextAt(): number {
    while (this.#heap[0] !== undefined && this.#heap[0].work === undefined) this.#pop()
    return this.#heap[0]?.at ?? Number.POSITIVE_INFINITY
  }

  schedule(delayMs: number, work: () => void): () => void {
    const event: Event = { at: this.time + Math.max(0, delayMs), number: this.#count++, work }
    this.#push(event)
    return () => {
      event.work = undefined
    }
  }

  /** Runs the next event. Resolves once nothing is left to do at its moment. */
  async step(): Promise<void> {
    const event = this.#pop()
    if (event?.work === undefined) return
    this.time = Math.max(this.time, event.at)
    event.work()
    await settled()
  }

  #push(event: Event): void {
    const heap = this.#heap
    let index = heap.push(event) - 1
    while (index > 0) {
      const parent = (index - 1) >> 1
      if (isBefore(heap[parent] as Event, event)) break
      heap[index] = heap[parent] as Event
      index = parent
    }
    heap[index] = event
  }

  #pop(): Event | undefined {
    const heap = this.#heap
    const first = heap[0]
    const last = heap.pop()
    if (first === undefined || last === undefined || heap.length === 0) return first
    let index = 0
    for (;;) {
      const left = 2 * index + 1
      if (left >= heap.length) break
      const right = left + 1
      const isRight = right < heap.length && isBefore(heap[right] as Event, heap[left] as Event)
      const child = isRight ? right : left
      if (isBefore(last, heap[child] as Event)) break
      heap[index] = heap[child] as Event
      index = child
    }
    heap[index] = last
    return first
  }
}

const isBefore = (one: Event, other: Event): boolean =>
  one.at < other.at || (one.at === other.at && one.number < other.number)

const { nextTick } = process

/**
 * Resolves once all promises that could settle have: a tick comes when no other microtask is left. Turns of the event
 * loop, which nothing here needs, would take almost half of the time.
 */
export const settled = (): Promise<void> => new Promise((resolve) => nextTick(resolve))
