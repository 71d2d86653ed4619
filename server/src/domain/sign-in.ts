import { createHmac, timingSafeEqual } from 'node:crypto'
import { DomainError } from './errors.js'
import type { Keys } from './keys.js'
import type { Scope } from './scopes.js'

/** How long somebody stays signed in, in seconds. A key that is revoked or expires ends it before. */
export const SIGN_IN_SECONDS = 30 * 86_400

/** What stands in for a key where none is asked for. */
const NO_KEY = 'none'

interface Ticket {
  projectId: string
  keyId: string
  /** Seconds since 1970. */
  expires: number
}

/**
 * Lets people in at the web UI. A ticket names the key that was shown once, and never holds it; it is good for as long as
 * that key is. Where the service stands open to whoever reaches it, a ticket needs no key, and is good for as long as it
 * stands open.
 */
export class SignIn {
  readonly #keys: Keys
  readonly #secret: string
  readonly #openProjectId: string | undefined
  readonly #now: () => number

  constructor(
    keys: Keys,
    secret: string,
    openProjectId: string | undefined,
    now: () => number = Date.now,
  ) {
    this.#keys = keys
    this.#secret = secret
    this.#openProjectId = openProjectId
    this.#now = now
  }

  /** Whether the service asks for no key. */
  get isOpen(): boolean {
    return this.#openProjectId !== undefined
  }

  async withKey(key: string): Promise<string> {
    const { projectId, keyId } = await this.#keys.authenticate(key)
    return this.#write({ projectId, keyId, expires: this.#end() })
  }

  /** A ticket to the first project. */
  withoutKey(): string {
    if (this.#openProjectId === undefined)
      throw new DomainError(
        'UNAUTHENTICATED',
        'apiKey: expected the API key of a project, got none',
      )
    return this.#write({ projectId: this.#openProjectId, keyId: NO_KEY, expires: this.#end() })
  }

  /** Whose ticket it is, and what it may do. Throws when it is none, or no longer good. */
  async check(
    text: string,
  ): Promise<{ projectId: string; keyId: string; scopes: readonly Scope[] }> {
    const ticket = this.#read(text)
    if (ticket === undefined || ticket.expires * 1000 < this.#now()) throw signInAgain()
    if (ticket.keyId !== NO_KEY) return this.#keys.authenticateById(ticket.projectId, ticket.keyId)
    if (ticket.projectId !== this.#openProjectId) throw signInAgain()
    return { projectId: ticket.projectId, keyId: NO_KEY, scopes: ['admin'] }
  }

  #end(): number {
    return Math.floor(this.#now() / 1000) + SIGN_IN_SECONDS
  }

  #write(ticket: Ticket): string {
    const text = Buffer.from(JSON.stringify(ticket)).toString('base64url')
    return `${text}.${this.#signature(text)}`
  }

  #read(given: string): Ticket | undefined {
    const [text = '', signature = ''] = given.split('.')
    const [mine, theirs] = [Buffer.from(this.#signature(text)), Buffer.from(signature)]
    if (mine.length !== theirs.length || !timingSafeEqual(mine, theirs)) return undefined
    return JSON.parse(Buffer.from(text, 'base64url').toString()) as Ticket
  }

  #signature(text: string): string {
    return createHmac('sha256', this.#secret).update(text).digest('base64url')
  }
}

const signInAgain = () => new DomainError('UNAUTHENTICATED', 'session: it has ended; sign in again')
