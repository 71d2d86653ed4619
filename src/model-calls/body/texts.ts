const BYTE_ORDER_MARK = 0xfeff

let whole: TextDecoder | undefined

/** Decodes pieces of a text in UTF-8, between which its characters may be divided. */
export class Texts {
  /** Holds the beginning of a character; undefined while there is none. */
  #divided: TextDecoder | undefined
  #isBegun = false

  of(bytes: Uint8Array): string {
    const text = this.#decoded(bytes)
    if (this.#isBegun || text === '') return text
    this.#isBegun = true
    // Left to the engine, a mark between divided pieces would be lost in some.
    return text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text
  }

  #decoded(bytes: Uint8Array): string {
    const endsWhole = (bytes[bytes.length - 1] ?? 0) < 0x80
    // Nearly every piece: engines decode it several times faster.
    if (endsWhole && this.#divided === undefined) {
      whole ??= new TextDecoder('utf-8', { ignoreBOM: true })
      return whole.decode(bytes)
    }
    const decoder = this.#divided ?? new TextDecoder('utf-8', { ignoreBOM: true })
    this.#divided = endsWhole && bytes.length > 0 ? undefined : decoder
    return decoder.decode(bytes, { stream: this.#divided !== undefined })
  }
}
