import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

/** Lifetime of an unused link, in seconds. */
const LINK_SECONDS = 3600
/** Links at once; beyond that the oldest becomes invalid. */
const MAX_LINKS = 100
const TOKEN_BYTES = 32

interface Link {
  digest: Buffer
  projectId: string
  /** Milliseconds since 1970. */
  expires: number
}

const digestOf = (token: string) => createHash('sha256').update(token).digest()

/**
 * The tokens of links that sign in once. Only this process has them, as hashes: a link ends with the service that
 * printed it, and nothing that is stored grants access.
 */
export class SignInLinks {
  readonly #now: () => number
  #links: Link[] = []

  constructor(now: () => number = () => Date.now()) {
    this.#now = now
  }

  /** Creates a token that signs in to a project. */
  create(projectId: string): string {
    const token = randomBytes(TOKEN_BYTES).toString('base64url')
    const expires = this.#now() + LINK_SECONDS * 1000
    this.#links = [...this.#links, { digest: digestOf(token), projectId, expires }].slice(
      -MAX_LINKS,
    )
    return token
  }

  /**
   * Takes a token, which then is used up. Returns its project; undefined when it was used before, is too old or was
   * never made.
   */
  take(token: string): string | undefined {
    const now = this.#now()
    this.#links = this.#links.filter(({ expires }) => expires > now)
    const digest = digestOf(token)
    let found: Link | undefined
    // Compares with all links, so that the time it takes reveals nothing.
    for (const link of this.#links) if (timingSafeEqual(link.digest, digest)) found = link
    this.#links = this.#links.filter((link) => link !== found)
    return found?.projectId
  }
}
