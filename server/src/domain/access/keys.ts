import { createHash, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Database } from '../../database/database.js'
import { DomainError, invalid, notFound, show } from '../../kernel/errors.js'
import { type Clock, type Instant, showInstant } from '../../kernel/instant.js'
import { parseScopes, type Scope } from '../../kernel/scopes.js'
import {
  deleteExpiredKeys,
  deleteKeysNamed,
  findKey,
  findKeyById,
  findKeys,
  insertKey,
  type KeyRow,
  listKeys,
  noteUse,
  revokeKey,
  type StoredKey,
} from '../../storage/keys.js'

/** So much of a key is shown in lists; of a short one that somebody chose, no more than a third. */
const PREFIX_LENGTH = 10
const prefixOf = (key: string) => key.slice(0, Math.min(PREFIX_LENGTH, Math.floor(key.length / 3)))
const MAX_NAME = 200
/** What keys are called that stand for somebody who signed in by a link. */
const SESSION_KEY = 'signed in by a link'
const MAX_REMEMBERED = 10_000
/** How long a key is taken to be what it was, or to be unknown: after that, changes by another process are seen here. */
const REMEMBERED_MS = 2000
/** Keys that never came before, and are looked up at once. */
const MAX_SOUGHT = 1000
/** How exactly the last use is known. */
const USE_NOTED_EVERY_MS = 60_000

/** Keys are stored as their hash alone. They are long and random, so a plain hash can't be searched. */
const hashOf = (key: string) => createHash('sha256').update(key).digest('hex')

const isSame = (a: string, b: string) => timingSafeEqual(Buffer.from(a), Buffer.from(b))

const generateKey = () => `lsk_${randomBytes(24).toString('base64url')}`

/** The project that a key opens, and what it may do there. */
export interface Opened {
  projectId: string
  keyId: string
  scopes: readonly Scope[]
}

export interface NewKey {
  name: string
  scopes: readonly string[]
  expiresAt?: Instant | undefined
}

/** What opens projects. */
export class Keys {
  readonly #db: Database
  readonly #clock: Clock
  readonly #report: (error: unknown) => void
  readonly #known = new LRUCache<string, KeyRow>({ max: MAX_REMEMBERED, ttl: REMEMBERED_MS })
  readonly #sought = new Map<string, Promise<KeyRow | undefined>>()
  /** Hashes of keys that do not exist. */
  readonly #unknown = new LRUCache<string, true>({ max: MAX_REMEMBERED, ttl: REMEMBERED_MS })
  /** Looked up in one statement, while the one before is under way. */
  #next: Promise<Map<string, StoredKey>> | undefined
  #nextHashes: string[] = []
  #running: Promise<unknown> = Promise.resolve()

  constructor(db: Database, clock: Clock, report: (error: unknown) => void) {
    this.#db = db
    this.#clock = clock
    this.#report = report
  }

  /** Makes a key of a project. It is in the result, and nowhere else from then on. */
  async create(
    projectId: string,
    { name, scopes, expiresAt }: NewKey,
    key = generateKey(),
  ): Promise<{ key: string; id: string }> {
    const id = randomUUID().slice(0, 13)
    this.#unknown.delete(hashOf(key))
    await insertKey(this.#db, {
      id,
      projectId,
      name,
      scopes: parseScopes(scopes),
      hash: hashOf(key),
      prefix: prefixOf(key),
      createdAt: this.#clock(),
      expiresAt,
    })
    // Again, as somebody may have asked meanwhile.
    this.#unknown.delete(hashOf(key))
    return { key, id }
  }

  /** Makes a key, and gives it with what is said of it. */
  async make(projectId: string, wanted: NewKey): Promise<{ key: string; row: KeyRow }> {
    if (wanted.name.trim() === '' || wanted.name.length > MAX_NAME)
      throw invalid(`name: expected a name of at most ${MAX_NAME} characters`)
    if (wanted.expiresAt !== undefined && Date.parse(wanted.expiresAt) <= Date.now())
      throw invalid(`expiresAt: expected a future time, got ${show(showInstant(wanted.expiresAt))}`)
    const { key, id } = await this.create(projectId, wanted)
    const row = await findKeyById(this.#db, projectId, id)
    if (row === undefined) throw notFound('key', id)
    return { key, row }
  }

  /** Makes a key that nobody ever sees, for somebody who signed in without one. Gives its id. */
  async createForSession(projectId: string, expiresAt: Instant): Promise<string> {
    await deleteExpiredKeys(this.#db, projectId, SESSION_KEY, this.#clock())
    const { id } = await this.create(projectId, { name: SESSION_KEY, scopes: ['admin'], expiresAt })
    return id
  }

  list(projectId: string): Promise<KeyRow[]> {
    return listKeys(this.#db, projectId)
  }

  /** Ends a key: here at once, in other processes within seconds. */
  async revoke(projectId: string, id: string): Promise<void> {
    if (!(await revokeKey(this.#db, projectId, id, this.#clock()))) throw notFound('key', id)
    this.#known.clear()
    this.#sought.clear()
  }

  /** Replaces the keys of a name by one that is given. */
  async replace(projectId: string, name: string, key: string): Promise<void> {
    const found = await findKey(this.#db, hashOf(key))
    if (found !== undefined) return
    await deleteKeysNamed(this.#db, projectId, name)
    await this.create(projectId, { name, scopes: ['admin'] }, key)
  }

  /** Whose key it is, and what it may do. Throws when it is unknown, revoked or expired. */
  async authenticate(key: string): Promise<Opened> {
    const hash = hashOf(key)
    return opened('x-api-key', await this.#findByHash(hash))
  }

  /** What strangers make up costs next to nothing: no statement for a key of a moment ago, and one for many others. */
  async #findByHash(hash: string): Promise<KeyRow | undefined> {
    if (this.#unknown.has(hash)) return undefined
    if (!this.#known.has(hash) && !this.#sought.has(hash) && this.#sought.size >= MAX_SOUGHT)
      throw new DomainError(
        'RATE_LIMITED',
        'x-api-key: too many requests with unknown keys; try again in a moment',
      )
    const row = await this.#find(hash, async () => {
      const found = (await this.#lookUp(hash)).get(hash)
      return found !== undefined && isSame(found.hash, hash) ? found : undefined
    })
    if (row === undefined) this.#unknown.set(hash, true)
    return row
  }

  #lookUp(hash: string): Promise<Map<string, StoredKey>> {
    this.#nextHashes.push(hash)
    this.#next ??= this.#running.then(async () => {
      const hashes = this.#nextHashes
      this.#next = undefined
      this.#nextHashes = []
      const search = findKeys(this.#db, hashes)
      this.#running = search.catch(() => undefined)
      return new Map((await search).map((row) => [row.hash, row]))
    })
    return this.#next
  }

  /** The same for a key that was shown before, by its id. */
  async authenticateById(projectId: string, id: string): Promise<Opened> {
    return opened(
      'session',
      await this.#find(`${projectId} ${id}`, () => findKeyById(this.#db, projectId, id)),
    )
  }

  /** Requests that want the same key wait for one look at the database, and so go on in the order in which they came. */
  #find(name: string, read: () => Promise<StoredKey | undefined>) {
    const known = this.#known.get(name)
    if (known !== undefined) return known
    const sought = this.#sought.get(name)
    if (sought !== undefined) return sought
    const search: Promise<KeyRow | undefined> = read()
      .then((row) => {
        if (row === undefined) return undefined
        // What is read while a key is revoked is of before, and is not remembered.
        if (this.#sought.get(name) === search) this.#known.set(name, row)
        this.#noteUse(row)
        return row
      })
      .finally(() => {
        if (this.#sought.get(name) === search) this.#sought.delete(name)
      })
    this.#sought.set(name, search)
    return search
  }

  #noteUse(row: StoredKey): void {
    const last = row.lastUsedAt === null ? 0 : Date.parse(row.lastUsedAt)
    // A use in the future is one of before the clock was set back.
    const age = Date.now() - last
    if (age >= 0 && age < USE_NOTED_EVERY_MS) return
    noteUse(this.#db, row.hash, this.#clock()).catch(this.#report)
  }
}

const opened = (field: string, row: KeyRow | undefined): Opened => {
  const refused = (what: string) => new DomainError('UNAUTHENTICATED', `${field}: ${what}`)
  if (row === undefined) throw refused('no project of this service has this API key')
  if (row.revokedAt !== null) throw refused('this API key was revoked')
  if (row.expiresAt !== null && Date.parse(row.expiresAt) <= Date.now())
    throw refused('this API key has expired')
  return { projectId: row.projectId, keyId: row.id, scopes: row.scopes }
}
