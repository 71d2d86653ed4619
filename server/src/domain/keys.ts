import { createHash, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto'
import type { Database } from '../storage/database.js'
import {
  deleteKeysNamed,
  findKey,
  insertKey,
  type KeyRow,
  listKeys,
  noteUse,
  revokeKey,
} from '../storage/keys.js'
import { DomainError, notFound } from './errors.js'
import type { Clock, Instant } from './instant.js'
import { parseScopes, type Scope } from './scopes.js'

const PREFIX_LENGTH = 10
const MOST_REMEMBERED = 10_000
/** How long a key is taken to be what it was: after that, what another process did to it is seen here. */
const REMEMBERED_MS = 2000
/** How exactly the last use is known. */
const USE_NOTED_EVERY_MS = 60_000

/** Keys are stored as their hash alone. They are long and random, so a plain hash can't be searched. */
const hashOf = (key: string) => createHash('sha256').update(key).digest('hex')

const isSame = (a: string, b: string) => timingSafeEqual(Buffer.from(a), Buffer.from(b))

const generateKey = () => `lsk_${randomBytes(24).toString('base64url')}`

interface Known {
  row: KeyRow
  readAt: number
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
  readonly #known = new Map<string, Known>()
  readonly #sought = new Map<string, Promise<KeyRow | undefined>>()

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
    await insertKey(this.#db, {
      id,
      projectId,
      name,
      scopes: parseScopes(scopes),
      hash: hashOf(key),
      prefix: key.slice(0, PREFIX_LENGTH),
      createdAt: this.#clock(),
      expiresAt,
    })
    return { key, id }
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
  async authenticate(
    key: string,
  ): Promise<{ projectId: string; keyId: string; scopes: readonly Scope[] }> {
    const hash = hashOf(key)
    const row = await this.#find(hash)
    const refused = (what: string) => new DomainError('UNAUTHENTICATED', `x-api-key: ${what}`)
    if (row === undefined) throw refused('this service knows no project with this API key')
    if (row.revokedAt !== null) throw refused('this API key was revoked')
    if (row.expiresAt !== null && Date.parse(row.expiresAt) <= Date.now())
      throw refused('this API key has expired')
    return { projectId: row.projectId, keyId: row.id, scopes: row.scopes }
  }

  /** Requests that want the same key wait for one look at the database, and so go on in the order in which they came. */
  #find(hash: string): Promise<KeyRow | undefined> | KeyRow {
    const known = this.#known.get(hash)
    if (known !== undefined && performance.now() - known.readAt < REMEMBERED_MS) return known.row
    const sought = this.#sought.get(hash)
    if (sought !== undefined) return sought
    const search: Promise<KeyRow | undefined> = this.#read(
      hash,
      () => this.#sought.get(hash) === search,
    ).finally(() => {
      if (this.#sought.get(hash) === search) this.#sought.delete(hash)
    })
    this.#sought.set(hash, search)
    return search
  }

  /** What is read while a key is revoked is of before, and is not remembered. */
  async #read(hash: string, isCurrent: () => boolean): Promise<KeyRow | undefined> {
    const row = await findKey(this.#db, hash)
    if (row === undefined || !isSame(row.hash, hash)) return undefined
    if (isCurrent()) {
      if (this.#known.size >= MOST_REMEMBERED) this.#known.clear()
      this.#known.set(hash, { row, readAt: performance.now() })
    }
    this.#noteUse(hash, row)
    return row
  }

  #noteUse(hash: string, row: KeyRow): void {
    const last = row.lastUsedAt === null ? 0 : Date.parse(row.lastUsedAt)
    // A use in the future is one of before the clock was set back.
    const age = Date.now() - last
    if (age >= 0 && age < USE_NOTED_EVERY_MS) return
    noteUse(this.#db, hash, this.#clock()).catch(this.#report)
  }
}
