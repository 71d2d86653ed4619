import { createHash, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Database } from '../../database/database.js'
import { isDangling } from '../../database/failures.js'
import { forAsLong, withoutTimeLimit } from '../../database/task.js'
import { inAttempts, inTransaction } from '../../database/transactions/attempts.js'
import type { Caller } from '../../kernel/caller.js'
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
import { type Action, type Actor, actorOf, note, noteFor, SERVICE } from '../audit/entry.js'
import { FailedSignIns } from './failed-sign-ins.js'

/** Lists show this many characters of a key; of a short key that a person chose, at most a third. */
const PREFIX_LENGTH = 10
const prefixOf = (key: string) => key.slice(0, Math.min(PREFIX_LENGTH, Math.floor(key.length / 3)))
const MAX_NAME = 200
/** The name of keys that were made for people who signed in by a link. */
const SESSION_KEY = 'signed in by a link'
const MAX_REMEMBERED = 10_000
/** Time for which a key is cached, known or unknown: after that, changes by another process are seen here. */
const REMEMBERED_MS = 2000
/** Keys that never came before, and are looked up at once. */
const MAX_SOUGHT = 1000
/** Precision of the time of last use. */
const USE_NOTED_EVERY_MS = 60_000

/** Keys are stored only as their hash. They are long and random, so a plain hash cannot be searched. */
const hashOf = (key: string) => createHash('sha256').update(key).digest('hex')

const isSame = (a: string, b: string) => timingSafeEqual(Buffer.from(a), Buffer.from(b))

const generateKey = () => `lsk_${randomBytes(24).toString('base64url')}`

/** The project and the scopes that a key, or a person who is signed in, has. */
export type Opened = Pick<Caller, 'projectId' | 'keyId' | 'keyName' | 'person' | 'scopes'>

export interface NewKey {
  name: string
  scopes: readonly string[]
  expiresAt?: Instant | undefined
}

const checkName = (name: string): void => {
  if (name.trim() === '') throw invalid('name: expected a name, got an empty one')
  if (name.length > MAX_NAME)
    throw invalid(`name: expected at most ${MAX_NAME} characters, got ${name.length}`)
}

/** The API keys of projects. */
export class Keys {
  readonly #db: Database
  readonly #clock: Clock
  readonly #report: (error: unknown) => void
  readonly #failedSignIns: FailedSignIns
  readonly #known = new LRUCache<string, KeyRow>({ max: MAX_REMEMBERED, ttl: REMEMBERED_MS })
  readonly #sought = new Map<string, Promise<KeyRow | undefined>>()
  /** Hashes of keys that do not exist. */
  readonly #unknown = new LRUCache<string, true>({ max: MAX_REMEMBERED, ttl: REMEMBERED_MS })
  /** Hashes that are looked up in one statement, while the one before is under way. */
  #next: Promise<Map<string, StoredKey>> | undefined
  #nextHashes: string[] = []
  #running: Promise<unknown> = Promise.resolve()

  constructor(db: Database, clock: Clock, report: (error: unknown) => void) {
    this.#db = db
    this.#clock = clock
    this.#report = report
    this.#failedSignIns = new FailedSignIns(db)
  }

  /** Creates a key of a project. Only the result holds it; it cannot be read again. */
  async create(
    actor: Actor,
    projectId: string,
    wanted: NewKey,
    key = generateKey(),
  ): Promise<{ key: string; id: string }> {
    const { name } = wanted
    checkName(name)
    const scopes = parseScopes(wanted.scopes)
    const id = await this.#insert(projectId, { ...wanted, scopes }, key, (transaction, id) =>
      note(transaction, projectId, actor, {
        action: 'CREATE_KEY',
        on: 'KEY',
        id,
        name,
        details: { scopes },
      }),
    )
    return { key, id }
  }

  /** Stores a key, with what the audit log has of it. Returns its id. */
  async #insert(
    projectId: string,
    { name, scopes, expiresAt }: NewKey & { scopes: Scope[] },
    key: string,
    noteIt: (transaction: Database, id: string) => Promise<void>,
  ): Promise<string> {
    const id = randomUUID().slice(0, 13)
    this.#unknown.delete(hashOf(key))
    await inTransaction(this.#db, async (transaction) => {
      await insertKey(transaction, {
        id,
        projectId,
        name,
        scopes,
        hash: hashOf(key),
        prefix: prefixOf(key),
        createdAt: this.#clock(),
        expiresAt,
      })
      await noteIt(transaction, id)
    }).catch((error) => {
      // The project was deleted since the caller or the link was let in.
      throw isDangling(error) ? notFound('project', projectId) : error
    })
    // Deleted again, as a request may have cached it in the meantime.
    this.#unknown.delete(hashOf(key))
    return id
  }

  /** Creates a key, and returns it with its row. */
  async make(caller: Caller, wanted: NewKey): Promise<{ key: string; row: KeyRow }> {
    const { projectId } = caller
    if (wanted.expiresAt !== undefined && Date.parse(wanted.expiresAt) <= Date.now())
      throw invalid(`expiresAt: expected a future time, got ${show(showInstant(wanted.expiresAt))}`)
    const { key, id } = await this.create(actorOf(caller), projectId, wanted)
    const row = await findKeyById(this.#db, projectId, id)
    if (row === undefined) throw notFound('key', id)
    return { key, row }
  }

  /** Creates a key for somebody who signed in without one; it is never shown. Returns its id. */
  async createForSession(projectId: string, expiresAt: Instant): Promise<string> {
    await deleteExpiredKeys(this.#db, projectId, SESSION_KEY, this.#clock())
    const wanted = { name: SESSION_KEY, scopes: ['admin' as const], expiresAt }
    return this.#insert(projectId, wanted, generateKey(), (transaction, keyId) =>
      noteFor(transaction, { projectId, keyId, keyName: SESSION_KEY }, signInOf(keyId, 'link')),
    )
  }

  /** Authenticates a key with which somebody signs in. Notes that, and also when the key is no longer valid. */
  async signIn(key: string): Promise<Opened> {
    const row = await this.#findByHash(hashOf(key))
    const over = row === undefined ? undefined : endOf(row)
    if (row !== undefined && over !== undefined) {
      const { projectId, id: keyId, name: keyName } = row
      // Without an entry the key is refused all the same.
      await this.#failedSignIns
        .note(`${projectId} ${keyId}`, (transaction, attempts) =>
          noteFor(
            transaction,
            { projectId, keyId, keyName },
            {
              action: 'FAIL_SIGN_IN',
              on: 'KEY',
              id: keyId,
              name: keyName,
              details: { by: 'key', reason: over, attempts },
            },
          ),
        )
        .catch(this.#report)
    }
    const found = opened('x-api-key', row)
    await noteFor(this.#db, found, signInOf(found.keyId, 'key'))
    return found
  }

  /** Notes that somebody signed out, and revokes the key if it was made for that session. Does nothing when it was revoked before. */
  async signOut(projectId: string, keyId: string, isByLink: boolean): Promise<void> {
    await inTransaction(this.#db, async (transaction) => {
      const keyName = isByLink
        ? await revokeKey(transaction, projectId, keyId, this.#clock())
        : await nameOfValid(transaction, projectId, keyId)
      if (keyName === undefined) return
      const caller = { projectId, keyId, keyName }
      await noteFor(transaction, caller, {
        action: 'SIGN_OUT',
        on: 'KEY',
        id: keyId,
        name: keyName,
      })
    })
    // A key that was given stays valid, and so do all that are remembered.
    if (isByLink) this.#forget()
  }

  list(projectId: string): Promise<KeyRow[]> {
    return listKeys(this.#db, projectId)
  }

  /** Revokes a key: here at once, in other processes within seconds. */
  async revoke(actor: Actor, projectId: string, id: string): Promise<void> {
    await inTransaction(this.#db, async (transaction) => {
      const name = await revokeKey(transaction, projectId, id, this.#clock())
      if (name === undefined) throw notFound('key', id)
      await note(transaction, projectId, actor, { action: 'REVOKE_KEY', on: 'KEY', id, name })
    })
    this.#forget()
  }

  #forget(): void {
    this.#known.clear()
    this.#sought.clear()
  }

  /** Replaces the keys of a name by the given one, as the settings of the service say. Needs a transaction. */
  async replace(projectId: string, name: string, key: string): Promise<void> {
    const found = await findKey(this.#db, hashOf(key))
    if (found !== undefined) return
    for (const id of await deleteKeysNamed(this.#db, projectId, name))
      await note(this.#db, projectId, SERVICE, { action: 'REVOKE_KEY', on: 'KEY', id, name })
    await this.create(SERVICE, projectId, { name, scopes: ['admin'] }, key)
  }

  /** Returns the project and scopes of a key. Throws when it is unknown, revoked or expired. */
  async authenticate(key: string): Promise<Opened> {
    const hash = hashOf(key)
    return opened('x-api-key', await this.#findByHash(hash))
  }

  /**
   * Keys that strangers make up cost next to nothing: no statement for one that was seen a moment ago, and one
   * statement for many others.
   */
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

  /** Returns the same for a key that was authenticated before, by its id. */
  async authenticateById(projectId: string, id: string): Promise<Opened> {
    return opened(
      'session',
      await this.#find(`${projectId} ${id}`, () => findKeyById(this.#db, projectId, id)),
    )
  }

  /**
   * Requests for the same key share one look-up, and so continue in the order in which they came. The time of none of them
   * limits it.
   */
  #find(name: string, read: () => Promise<StoredKey | undefined>) {
    const known = this.#known.get(name)
    if (known !== undefined) return known
    const sought = this.#sought.get(name)
    if (sought !== undefined) return forAsLong(sought)
    const search: Promise<KeyRow | undefined> = withoutTimeLimit(read)
      .then((row) => {
        if (row === undefined) return undefined
        // Don't cache a row read before the revocation.
        if (this.#sought.get(name) === search) this.#known.set(name, row)
        this.#noteUse(row)
        return row
      })
      .finally(() => {
        if (this.#sought.get(name) === search) this.#sought.delete(name)
      })
    this.#sought.set(name, search)
    return forAsLong(search)
  }

  #noteUse(row: StoredKey): void {
    const last = row.lastUsedAt === null ? 0 : Date.parse(row.lastUsedAt)
    // A last use in the future was noted before the clock was set back.
    const age = Date.now() - last
    if (age >= 0 && age < USE_NOTED_EVERY_MS) return
    inAttempts(() => noteUse(this.#db, row.hash, this.#clock())).catch(this.#report)
  }
}

const signInOf = (id: string, by: 'key' | 'link'): Action => ({
  action: 'SIGN_IN',
  on: 'KEY',
  id,
  details: { by },
})

/** Returns the name of a key that is not revoked. */
const nameOfValid = async (
  db: Database,
  projectId: string,
  id: string,
): Promise<string | undefined> => {
  const row = await findKeyById(db, projectId, id)
  return row?.revokedAt === null ? row.name : undefined
}

/** Returns why a key is no longer valid; undefined when it is. */
const endOf = ({ revokedAt, expiresAt }: KeyRow): 'revoked' | 'expired' | undefined => {
  if (revokedAt !== null) return 'revoked'
  return expiresAt !== null && Date.parse(expiresAt) <= Date.now() ? 'expired' : undefined
}

const opened = (field: string, row: KeyRow | undefined): Opened => {
  const refused = (what: string) => new DomainError('UNAUTHENTICATED', `${field}: ${what}`)
  if (row === undefined) throw refused('no project of this service has this API key')
  const over = endOf(row)
  if (over !== undefined)
    throw refused(over === 'revoked' ? 'this API key was revoked' : 'this API key has expired')
  return { projectId: row.projectId, keyId: row.id, keyName: row.name, scopes: row.scopes }
}
