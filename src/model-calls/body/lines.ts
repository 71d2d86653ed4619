/** Characters of a line, or of an event, that are kept: a longer one is left out. */
export const MAX_LINE = 32_000_000
const LINE_FEED = 10

/**
 * Divides a text into lines, however it is cut into pieces, in time that is proportional to its length. A line ends by a
 * line feed, a carriage return, or both.
 */
export class Lines {
  readonly #onLine: (line: string) => void
  /** Pieces of the line that has not ended, and their characters. */
  #pieces: string[] = []
  #length = 0
  /** True after a carriage return, as a line feed may belong to it. */
  #isReturned = false

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine
  }

  /** True while no line has begun. */
  get isIdle(): boolean {
    return this.#length === 0 && !this.#isReturned
  }

  push(text: string): void {
    if (text === '') return
    let start = this.#isReturned && text.charCodeAt(0) === LINE_FEED ? 1 : 0
    this.#isReturned = false
    if (text.includes('\r', start)) start = this.#pushReturns(text, start)
    else
      for (let end = text.indexOf('\n', start); end >= 0; end = text.indexOf('\n', start)) {
        this.#line(text.slice(start, end))
        start = end + 1
      }
    if (start < text.length) this.#keep(start === 0 ? text : text.slice(start))
  }

  end(): void {
    if (this.#length > 0) this.#line('')
  }

  /** Reads the lines of a text with carriage returns; returns the place of the last one's end. */
  #pushReturns(text: string, from: number): number {
    let start = from
    const ends = /\r\n?|\n/g
    ends.lastIndex = from
    for (let end = ends.exec(text); end !== null; end = ends.exec(text)) {
      this.#line(text.slice(start, end.index))
      start = ends.lastIndex
    }
    this.#isReturned = text.endsWith('\r')
    return start
  }

  #keep(piece: string): void {
    this.#length += piece.length
    if (this.#length <= MAX_LINE) this.#pieces.push(piece)
    else this.#pieces = []
  }

  #line(last: string): void {
    if (this.#length === 0) {
      this.#onLine(last)
      return
    }
    this.#keep(last)
    const line = this.#length <= MAX_LINE ? this.#pieces.join('') : undefined
    this.#pieces = []
    this.#length = 0
    if (line !== undefined) this.#onLine(line)
  }
}
