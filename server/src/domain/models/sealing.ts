import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'

const ALGORITHM = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16

/**
 * Encrypts keys of models under a secret of the service. A key is bound to a context, so that a stored text that is
 * copied to another project or endpoint opens nothing.
 */
export class Sealing {
  readonly #key: Buffer

  constructor(secret: string) {
    this.#key = createHash('sha256').update(`model keys ${secret}`).digest()
  }

  seal(text: string, context: string): string {
    const nonce = randomBytes(NONCE_BYTES)
    const cipher = createCipheriv(ALGORITHM, this.#key, nonce).setAAD(Buffer.from(context))
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url')
  }

  /** Returns undefined for a text that was sealed under another secret or context. */
  open(text: string, context: string): string | undefined {
    const bytes = Buffer.from(text, 'base64url')
    const [nonce, tag] = [
      bytes.subarray(0, NONCE_BYTES),
      bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES),
    ]
    try {
      const decipher = createDecipheriv(ALGORITHM, this.#key, nonce)
        .setAAD(Buffer.from(context))
        .setAuthTag(tag)
      const opened = [decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]
      return Buffer.concat(opened).toString()
    } catch {
      return undefined
    }
  }
}
