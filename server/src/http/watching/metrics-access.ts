import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { isOutage, isTooSlow } from '../../database/failures.js'
import { withTimeLimit } from '../../database/task.js'
import type { Opened } from '../../domain/access/keys.js'
import { demand } from '../../kernel/scopes.js'

const LOOK_UP_MS = 2000
const MAX_REMEMBERED = 100
/** As long as an outage that somebody has to watch. */
const REMEMBERED_MS = 24 * 3_600_000

/** Returns the key of a request: as `x-api-key`, or as a Bearer token, which is what collectors of metrics can send. */
export const metricsKeyOf = (headers: Headers): string | undefined =>
  headers.get('x-api-key') ||
  /^Bearer +(\S+) *$/i.exec(headers.get('authorization') ?? '')?.[1] ||
  undefined

/** Admits keys to the metrics; while the database is away, those that it admitted before. */
export class MetricsAccess {
  readonly #authenticate: (key: string) => Promise<Opened>
  readonly #admitted = new LRUCache<string, true>({ max: MAX_REMEMBERED, ttl: REMEMBERED_MS })

  constructor(authenticate: (key: string) => Promise<Opened>) {
    this.#authenticate = authenticate
  }

  async admit(key: string): Promise<void> {
    const digest = createHash('sha256').update(key).digest('hex')
    try {
      const { scopes } = await withTimeLimit(LOOK_UP_MS, () => this.#authenticate(key))
      demand(scopes, ['metrics'], '/metrics')
      this.#admitted.set(digest, true)
    } catch (error) {
      if ((isOutage(error) || isTooSlow(error)) && this.#admitted.has(digest)) return
      if (!isOutage(error) && !isTooSlow(error)) this.#admitted.delete(digest)
      throw error
    }
  }
}
