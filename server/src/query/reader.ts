import type { Sign } from './condition.js'

const SIGNS: readonly Sign[] = ['!=', '!~', '!:', '>=', '<=', '=', '~', ':', '>', '<']

export class MistakeError extends Error {
  readonly at: number | undefined

  constructor(message: string, at?: number) {
    super(message)
    this.at = at
  }
}

export class Reader {
  readonly text: string
  at = 0
  /** Number of open brackets. Outside of all of them, a closing one is part of a word. */
  depth = 0

  constructor(text: string) {
    this.text = text
  }

  get isDone(): boolean {
    return this.at >= this.text.length
  }

  get peek(): string | undefined {
    return this.text[this.at]
  }

  /** True at the bracket that closes a group. */
  get isClosing(): boolean {
    return this.depth > 0 && this.peek === ')'
  }

  match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at
    const [found] = pattern.exec(this.text) ?? []
    if (found !== undefined) this.at += found.length
    return found
  }

  skipSpace(): void {
    this.match(/\s*/y)
  }

  /** Skips to the next space outside of quotes, or to the bracket that closes a group: reading goes on after a mistake. */
  skipWord(): void {
    const start = this.at
    while (!this.isDone && !/\s/.test(this.peek ?? '')) {
      if (this.match(/"(?:\\[\s\S]|[^"\\])*"?/y) !== undefined) continue
      if (this.isClosing && this.at > start) return
      this.at++
    }
  }

  /** A minus alone is a word. */
  skipMinus(): boolean {
    return this.match(/-(?=\S)/y) !== undefined
  }

  /** Reads a word of the language in capital letters. */
  skipKeyword(word: 'OR' | 'AND' | 'NOT'): boolean {
    if (!this.text.startsWith(word, this.at)) return false
    const next = this.text[this.at + word.length]
    const isWhole =
      next === undefined || /\s/.test(next) || next === '(' || (this.depth > 0 && next === ')')
    if (isWhole) this.at += word.length
    return isWhole
  }

  sign(): Sign | undefined {
    const sign = SIGNS.find((one) => this.text.startsWith(one, this.at))
    if (sign !== undefined) this.at += sign.length
    return sign
  }

  bracketed(): string {
    const start = this.at
    this.at++
    const text = this.peek === '"' ? this.quoted() : (this.match(/[^\]]*/y) ?? '')
    if (this.peek !== ']') throw new MistakeError('expected ] after the path', start)
    this.at++
    if (text === '') throw new MistakeError('expected a path inside [ ]', start)
    return text
  }

  value(isListed: boolean): string {
    if (this.peek === '"') {
      const text = this.quoted()
      const end = isListed ? /[\s,]/ : /\s/
      if (!this.isDone && !this.isClosing && !end.test(this.peek ?? ' '))
        throw new MistakeError('expected a space after the closing "', this.at)
      return text
    }
    const text = this.#bare(isListed ? /[\s,"]/ : /[\s"]/)
    if (text === '') throw new MistakeError('expected a value', this.at)
    return text
  }

  quoted(): string {
    const start = this.at
    const found = this.match(/"(?:\\[\s\S]|[^"\\])*"/y)
    if (found === undefined) throw new MistakeError('expected a closing "', start)
    return found.slice(1, -1).replace(/\\([\s\S])/g, '$1')
  }

  /** Reads up to a character, or up to the bracket that closes a group; brackets may be in pairs inside of a value. */
  #bare(end: RegExp): string {
    const start = this.at
    let open = 0
    for (; !this.isDone && !end.test(this.peek ?? ''); this.at++) {
      if (this.peek === '(') open++
      if (this.peek !== ')') continue
      if (open === 0 && this.isClosing) break
      open = Math.max(0, open - 1)
    }
    return this.text.slice(start, this.at)
  }
}
