import { createHmac, timingSafeEqual } from 'node:crypto'

/**
 * Signs values, so that only texts of this service can be read again. Texts of one purpose are worth nothing for another.
 */
export class SignedTexts<Value> {
  readonly #secret: string
  readonly #prefix: string

  /** @param purpose - Empty for the sessions of earlier releases, which had no purpose. */
  constructor(secret: string, purpose: string) {
    this.#secret = secret
    this.#prefix = purpose === '' ? '' : `${purpose} `
  }

  write(value: Value): string {
    const text = Buffer.from(JSON.stringify(value)).toString('base64url')
    return `${text}.${this.#signature(text)}`
  }

  /** Returns undefined for a text that was not written here. */
  read(given: string): Value | undefined {
    const [text = '', signature = ''] = given.split('.')
    const [mine, theirs] = [Buffer.from(this.#signature(text)), Buffer.from(signature)]
    if (mine.length !== theirs.length || !timingSafeEqual(mine, theirs)) return undefined
    return JSON.parse(Buffer.from(text, 'base64url').toString()) as Value
  }

  #signature(text: string): string {
    return createHmac('sha256', this.#secret).update(`${this.#prefix}${text}`).digest('base64url')
  }
}
