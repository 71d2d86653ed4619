import { MAX_EXCERPT, shorten } from './shorten.js'

/** Characters of a piece that are looked at: the beginning of a long text may be white space. */
const MAX_PIECE = 2000

/** One line of text, which takes pieces until it is full. */
export class ExcerptLine {
  #text = ''
  #isCut = false

  get isFull(): boolean {
    return this.#text.length > MAX_EXCERPT
  }

  get isEmpty(): boolean {
    return this.#text === ''
  }

  /** Adds a piece, with its white space as single spaces. */
  add(piece: string): void {
    if (this.isFull) return
    const start = piece.length > MAX_PIECE ? piece.trimStart() : piece
    const flat = start.slice(0, MAX_PIECE).replace(/\s+/g, ' ')
    this.#text += this.#text === '' || this.#text.endsWith(' ') ? flat.trimStart() : flat
    this.#isCut = start.length > MAX_PIECE
  }

  /** Adds a space between this and what follows. */
  space(): void {
    if (!this.isEmpty) this.add(' ')
  }

  toString(): string {
    return shorten(this.#text.trimEnd(), this.#isCut)
  }
}
