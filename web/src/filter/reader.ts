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

  constructor(text: string) {
    this.text = text
  }

  get isDone(): boolean {
    return this.at >= this.text.length
  }

  get peek(): string | undefined {
    return this.text[this.at]
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

  /** Skips to the next space outside of quotes: reading continues after a mistake. */
  skipWord(): void {
    this.match(/(?:"(?:\\.|[^"\\])*"?|[^\s"])*/y)
  }

  /** A minus alone is a word. */
  skipMinus(): boolean {
    return this.match(/-(?=\S)/y) !== undefined
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
      if (!this.isDone && !/[\s,]/.test(this.peek ?? ' '))
        throw new MistakeError('expected a space after the closing "', this.at)
      return text
    }
    const text = this.match(isListed ? /[^\s,"]+/y : /[^\s"]+/y)
    if (text === undefined) throw new MistakeError('expected a value', this.at)
    return text
  }

  quoted(): string {
    const start = this.at
    const found = this.match(/"(?:\\[\s\S]|[^"\\])*"/y)
    if (found === undefined) throw new MistakeError('expected a closing "', start)
    return found.slice(1, -1).replace(/\\([\s\S])/g, '$1')
  }
}
