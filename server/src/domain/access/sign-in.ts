import { DomainError } from '../../kernel/errors.js'
import type { Keys, Opened } from './keys.js'
import type { SignInLinks } from './sign-in-links.js'
import { SignedTexts } from './signed-texts.js'

/** Time for which somebody stays signed in, in seconds. Revoking or expiry of the key ends it earlier. */
export const SIGN_IN_SECONDS = 30 * 86_400

interface SessionToken {
  projectId: string
  keyId: string
  /** Seconds since 1970. */
  expires: number
  /** True when the key was made for this session, and so ends with it. */
  isByLink?: boolean
}

/**
 * Signs people in at the web UI, by a key or by a link that the service printed. A session token names a key and never
 * holds it; it is valid as long as that key is. For a link a key is made that is never shown: it is listed and revoked
 * like the others.
 */
export class SignIn {
  readonly #keys: Keys
  readonly #links: SignInLinks
  readonly #texts: SignedTexts<SessionToken>
  readonly #now: () => number

  constructor(keys: Keys, links: SignInLinks, secret: string, now: () => number = Date.now) {
    this.#keys = keys
    this.#links = links
    this.#texts = new SignedTexts(secret, '')
    this.#now = now
  }

  async withKey(key: string): Promise<string> {
    const { projectId, keyId } = await this.#keys.signIn(key)
    return this.#texts.write({ projectId, keyId, expires: this.#end() })
  }

  /** Signs in by a link, which then is used up. */
  async withLink(token: string): Promise<string> {
    const projectId = await this.#links.take(token)
    if (projectId === undefined) throw linkExpected()
    const expires = this.#end()
    const keyId = await this.#keys
      .createForSession(projectId, new Date(expires * 1000).toISOString())
      .catch((error) => {
        // A link may be older than the end of its project.
        throw error instanceof DomainError && error.code === 'NOT_FOUND' ? linkExpected() : error
      })
    return this.#texts.write({ projectId, keyId, expires, isByLink: true })
  }

  /** Returns the key and the scopes of a session token. Throws when it is malformed or no longer valid. */
  async check(text: string): Promise<Opened> {
    const sessionToken = this.#texts.read(text)
    if (sessionToken === undefined || sessionToken.expires * 1000 < this.#now()) throw signInAgain()
    return this.#keys.authenticateById(sessionToken.projectId, sessionToken.keyId)
  }

  /** Returns the project of a session token and the end of its time; undefined when it is malformed or too old. */
  read(text: string): { projectId: string; expires: number } | undefined {
    const sessionToken = this.#texts.read(text)
    if (sessionToken === undefined || sessionToken.expires * 1000 < this.#now()) return undefined
    const { projectId, expires } = sessionToken
    return { projectId, expires }
  }

  /**
   * Signs out. A session that began with a link ends for all copies of its token; a key that was given stays, as it has
   * other uses.
   */
  async end(text: string): Promise<void> {
    const sessionToken = this.#texts.read(text)
    if (sessionToken === undefined) return
    const { projectId, keyId, isByLink = false } = sessionToken
    await this.#keys.signOut(projectId, keyId, isByLink)
  }

  #end(): number {
    return Math.floor(this.#now() / 1000) + SIGN_IN_SECONDS
  }
}

const linkExpected = () =>
  new DomainError(
    'UNAUTHENTICATED',
    'token: expected that of a new, unused link; `stepwell sign-in` prints one',
  )

export const signInAgain = () =>
  new DomainError('UNAUTHENTICATED', 'session: it has ended; sign in again')
