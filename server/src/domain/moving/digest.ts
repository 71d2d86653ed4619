const MODULUS = 1n << 256n

/** The number of rows, and the sum of their hashes: the same whatever their order, and kept as rows are replaced. */
export class Digest {
  #rows = 0
  #sum = 0n

  get rows(): number {
    return this.#rows
  }

  get text(): string {
    return this.#sum.toString(16).padStart(64, '0')
  }

  add(hash: string): void {
    this.#rows++
    this.#sum = (this.#sum + BigInt(`0x${hash}`)) % MODULUS
  }

  /** Undefined for a row that was not there, or is not there any more. */
  replace(before: string | undefined, after: string | undefined): void {
    if (before !== undefined) {
      this.#rows--
      this.#sum = (this.#sum - BigInt(`0x${before}`) + MODULUS) % MODULUS
    }
    if (after !== undefined) this.add(after)
  }
}
