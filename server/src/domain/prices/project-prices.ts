import { LRUCache } from 'lru-cache'
import type { Database } from '../../database/database.js'
import type { Instant } from '../../kernel/instant.js'
import { findPriceState, findPrices, type PriceRow } from '../../storage/prices/prices.js'
import { findInBook, isValidAt, type PriceEntry, type Rates, type Tier } from './book.js'
import type { FindPrice } from './price-call.js'

/** The prices that hold in a project at present. */
export interface CurrentPrices {
  /** Costs are stored with it. A project whose prices never changed has the first revision. */
  revision: number
  /** Calls of an earlier revision are to be priced anew. */
  target: number
  find: FindPrice
}

/** Time after which a change by another process holds here too. */
const KEPT_MS = 5000
const MAX_PROJECTS = 10_000

/** Returns a price of a project as an entry like those of the book. */
export const entryOf = (row: PriceRow): PriceEntry => ({
  id: row.id,
  provider: row.provider,
  models: [row.model],
  from: row.validFrom,
  until: row.validUntil,
  rates: row.rates as Rates,
  tiers: row.tiers as Tier[],
})

/** Finds a price: one of the project, for this provider rather than for any, the latest first; else that of the book. */
const finderOf = (rows: readonly PriceRow[]): FindPrice => {
  const byModel = new Map<string, PriceEntry[]>()
  for (const row of rows) {
    const entries = byModel.get(row.model)
    if (entries === undefined) byModel.set(row.model, [entryOf(row)])
    else entries.push(entryOf(row))
  }
  const own = (provider: string, model: string, moment: Instant) =>
    byModel.get(model)?.findLast((entry) => entry.provider === provider && isValidAt(entry, moment))
  return (provider, model, moment) => {
    const book = () => findInBook(provider, model, moment)
    if (byModel.size === 0) return book()
    const name = model.trim().toLowerCase()
    const given = provider?.trim().toLowerCase() ?? ''
    return own(given, name, moment) ?? own('', name, moment) ?? book()
  }
}

const BOOK_ONLY: CurrentPrices = { revision: 1, target: 1, find: findInBook }

/** The prices of each project. They are kept for a moment, as every call that arrives needs them. */
export class ProjectPrices {
  readonly #kept = new LRUCache<string, CurrentPrices>({ max: MAX_PROJECTS, ttl: KEPT_MS })
  /** Counts the changes, as prices that change while they are read are not kept. */
  #changes = 0

  /** Reads by the given session, which may be a transaction. */
  async of(db: Database, projectId: string): Promise<CurrentPrices> {
    const kept = this.#kept.get(projectId)
    if (kept !== undefined) return kept
    const changes = this.#changes
    // The state first: prices that change in between then count as older than they are, and are computed again.
    const state = await findPriceState(db, projectId)
    const current =
      state === undefined
        ? BOOK_ONLY
        : {
            revision: state.revision,
            target: state.target,
            find: finderOf(await findPrices(db, projectId)),
          }
    if (changes === this.#changes) this.#kept.set(projectId, current)
    return current
  }

  forget(projectId: string): void {
    this.#changes++
    this.#kept.delete(projectId)
  }
}
