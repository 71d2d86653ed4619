/** Numbers as ranges: a session may have had millions. */
export class Ranges {
  readonly #ranges: [number, number][]
  #isSorted = true

  constructor(other?: Ranges) {
    this.#ranges = other === undefined ? [] : other.#sort().map(([from, to]) => [from, to])
  }

  get last(): number {
    return this.#sort().at(-1)?.[1] ?? 0
  }

  add(from: number, to: number): void {
    const last = this.#ranges.at(-1)
    if (last !== undefined && from >= last[0] && from <= last[1] + 1)
      last[1] = Math.max(last[1], to)
    else {
      this.#isSorted &&= last === undefined || from > last[1]
      this.#ranges.push([from, to])
    }
  }

  has(number: number): boolean {
    const ranges = this.#sort()
    let low = 0
    let high = ranges.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((ranges[middle] as [number, number])[1] < number) low = middle + 1
      else high = middle
    }
    return (ranges[low]?.[0] ?? Number.POSITIVE_INFINITY) <= number
  }

  /** Returns the missing numbers, from 1 to a last one. */
  gaps(last: number): [number, number][] {
    const gaps: [number, number][] = []
    let next = 1
    for (const [from, to] of this.#sort()) {
      if (from > next) gaps.push([next, from - 1])
      next = to + 1
    }
    if (next <= last) gaps.push([next, last])
    return gaps
  }

  #sort(): [number, number][] {
    if (this.#isSorted) return this.#ranges
    const merged: [number, number][] = []
    for (const [from, to] of this.#ranges.sort(([one], [other]) => one - other)) {
      const last = merged.at(-1)
      if (last !== undefined && from <= last[1] + 1) last[1] = Math.max(last[1], to)
      else merged.push([from, to])
    }
    this.#ranges.splice(0, this.#ranges.length, ...merged)
    this.#isSorted = true
    return this.#ranges
  }
}
