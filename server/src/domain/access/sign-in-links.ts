import { randomUUID } from 'node:crypto'
import type { Database } from '../../database/database.js'
import { parseInstant } from '../../kernel/instant.js'
import { noteUsedLink } from '../../storage/access/used-links.js'
import { SignedTexts } from './signed-texts.js'

/** Lifetime of an unused link, in seconds. */
const LINK_SECONDS = 3600

const instantOf = (ms: number) => parseInstant('expires', new Date(ms).toISOString())

interface Link {
  id: string
  projectId: string
  /** Seconds since 1970. */
  expires: number
}

/**
 * The tokens of links that sign in once. They are signed, so that any process of the service takes them; the database
 * has those that were used, which grant nothing any more.
 */
export class SignInLinks {
  readonly #db: Database
  readonly #texts: SignedTexts<Link>
  readonly #now: () => number

  constructor(db: Database, secret: string, now: () => number = () => Date.now()) {
    this.#db = db
    this.#texts = new SignedTexts(secret, 'sign-in link')
    this.#now = now
  }

  /** Creates a token that signs in to a project. */
  create(projectId: string): string {
    const expires = Math.floor(this.#now() / 1000) + LINK_SECONDS
    return this.#texts.write({ id: randomUUID(), projectId, expires })
  }

  /**
   * Takes a token, which then is used up. Returns its project; undefined when it was used before, is too old or was
   * never made.
   */
  async take(token: string): Promise<string | undefined> {
    const link = this.#texts.read(token)
    const now = this.#now()
    if (link === undefined || link.expires * 1000 <= now) return undefined
    const isNew = await noteUsedLink(
      this.#db,
      { id: link.id, expiresAt: instantOf(link.expires * 1000) },
      instantOf(now),
    )
    return isNew ? link.projectId : undefined
  }
}
