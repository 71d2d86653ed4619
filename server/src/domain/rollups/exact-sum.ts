/** Digits of which numbers are whole without doubt, and the size from which on a sum of such numbers may not be. */
const SAFE_DIGITS = 15
const SAFE_SUM = 2 ** 52

/** A sum of whole numbers of any size, which come as texts: most are small, and added up as numbers. */
export class ExactSum {
  #small = 0
  #large = 0n
  #isEmpty = true

  /** Adds a number; null is none. */
  add(text: string | null): void {
    if (text === null) return
    this.#isEmpty = false
    if (text.length > SAFE_DIGITS) {
      this.#large += BigInt(text)
      return
    }
    this.#small += Number(text)
    if (Math.abs(this.#small) < SAFE_SUM) return
    this.#large += BigInt(this.#small)
    this.#small = 0
  }

  /** Returns the sum; null when no number was added. */
  value(): bigint | null {
    return this.#isEmpty ? null : this.#large + BigInt(this.#small)
  }
}
