import { beginningOf, MAX_EXCERPT, shorten } from './shorten.js'

/** Characters of a piece that are looked at first, and at most: the beginning of a long text may be white space. */
const FIRST_PIECE = 2 * MAX_EXCERPT
const MAX_PIECE = 2000
/** Most texts of one line have none of this, and need no copy. */
const UNEVEN = /[^\S ]| {2}/

/** One line of text, which takes pieces until it is full. */
export class ExcerptLine {
  #text = ''
  #isCut = false

  get isFull(): boolean {
    return this.#isCut || this.#text.length > MAX_EXCERPT
  }

  get isEmpty(): boolean {
    return this.#text === ''
  }

  /** Adds a piece, with its white space as single spaces. */
  add(piece: string): void {
    if (this.isFull) return
    const start = piece.length > FIRST_PIECE ? piece.trimStart() : piece
    const first = flat(beginningOf(start, FIRST_PIECE))
    const isEnough = start.length <= FIRST_PIECE || first.length > MAX_EXCERPT
    const added = isEnough ? first : flat(beginningOf(start, MAX_PIECE))
    this.#text += this.#text === '' || this.#text.endsWith(' ') ? added.trimStart() : added
    this.#isCut = start.length > (isEnough ? FIRST_PIECE : MAX_PIECE)
  }

  /** Adds a space between this and what follows. */
  space(): void {
    if (!this.isEmpty) this.add(' ')
  }

  toString(): string {
    return shorten(this.#text.trimEnd(), this.#isCut)
  }
}

const flat = (text: string): string => (UNEVEN.test(text) ? text.replace(/\s+/g, ' ') : text)
