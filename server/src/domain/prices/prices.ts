import { randomUUID } from 'node:crypto'
import { PARTS, type Part } from '../../../generated/model-calls/usage/usage.js'
import type { PriceInput, PriceRatesInput } from '../../../generated/resolvers.js'
import type { Database } from '../../database/database.js'
import { inTransaction } from '../../database/transactions/attempts.js'
import type { Caller } from '../../kernel/caller.js'
import { invalid, show } from '../../kernel/errors.js'
import { type Clock, type Instant, parseInstant } from '../../kernel/instant.js'
import { countCallsBefore, findCallInputs } from '../../storage/prices/costs.js'
import {
  beginRevision,
  countPrices,
  deletePrice,
  findPriceState,
  findPrices,
  startRepricing,
  upsertPrice,
} from '../../storage/prices/prices.js'
import { noteFor } from '../audit/entry.js'
import type { Values } from '../values.js'
import { ageOfBook, BOOK, BOOK_AS_OF, type PriceEntry, type Rates, type Tier } from './book.js'
import { parseRate } from './money.js'
import { costOf } from './pricer.js'
import { entryOf, type ProjectPrices } from './project-prices.js'
import type { ShownCost } from './shown.js'

const MAX_AT_ONCE = 500
const MAX_PRICES = 2000
const MAX_TIERS = 20
const MAX_NAME = 200
const FIRST_MOMENT = '1970-01-01T00:00:00.000Z'

export interface RepricingState {
  total: number
  done: number
  startedAt: Instant
  endedAt: Instant | null
}

/** The prices of a project, and the costs that they make. */
export class Prices {
  readonly #db: Database
  readonly #values: Values
  readonly #clock: Clock
  readonly #current: ProjectPrices

  constructor(db: Database, values: Values, clock: Clock, current: ProjectPrices) {
    this.#db = db
    this.#values = values
    this.#clock = clock
    this.#current = current
  }

  book() {
    return { asOf: BOOK_AS_OF, ...ageOfBook(this.#clock()), prices: [...BOOK] }
  }

  async list({ projectId }: Caller): Promise<PriceEntry[]> {
    return (await findPrices(this.#db, projectId)).map(entryOf)
  }

  /** Creates or replaces prices. Returns all of the project. */
  async set(caller: Caller, given: readonly PriceInput[]): Promise<PriceEntry[]> {
    const { projectId } = caller
    if (given.length > MAX_AT_ONCE)
      throw invalid(`prices: expected at most ${MAX_AT_ONCE}, got ${given.length}`)
    const prices = given.map((price, index) => this.#parse(`prices[${index}].`, price))
    const stored = await this.#change(projectId, async (db) => {
      for (const price of prices) await upsertPrice(db, projectId, price)
      const count = await countPrices(db, projectId)
      if (count > MAX_PRICES)
        throw invalid(`prices: expected at most ${MAX_PRICES} in the project, got ${count}`)
      const models = [...new Set(prices.map(({ model }) => model))]
      await noteFor(db, caller, {
        action: 'SET_PRICES',
        on: 'PRICE',
        details: { prices: prices.length, models },
      })
      return findPrices(db, projectId)
    })
    return stored.map(entryOf)
  }

  /** Returns null when there is no such price. */
  async delete(caller: Caller, given: string): Promise<{ id: string } | null> {
    const { projectId } = caller
    const id = this.#values.requiredId('id', given)
    return this.#change(projectId, async (db) => {
      const name = await deletePrice(db, projectId, id)
      if (name === undefined) return null
      await noteFor(db, caller, { action: 'DELETE_PRICE', on: 'PRICE', id, name })
      return { id }
    })
  }

  async repricing({ projectId }: Caller): Promise<RepricingState | null> {
    const state = await findPriceState(this.#db, projectId)
    return state === undefined || state.startedAt === null
      ? null
      : { ...state, startedAt: state.startedAt }
  }

  /** Lets the costs of all calls be computed anew. */
  reprice(caller: Caller): Promise<RepricingState> {
    const { projectId } = caller
    const startedAt = this.#clock()
    return this.#change(projectId, async (db, revision) => {
      const total = await countCallsBefore(db, projectId, revision)
      await startRepricing(db, projectId, total, startedAt)
      await noteFor(db, caller, { action: 'REPRICE', on: 'PRICE', details: { calls: total } })
      return { total, done: 0, startedAt, endedAt: null }
    })
  }

  /** Returns the costs of the calls of some steps, by the prices that hold now; none for steps without a call. */
  async costsOf(
    { projectId }: Caller,
    ids: readonly string[],
  ): Promise<(ShownCost & { id: string })[]> {
    const calls = await findCallInputs(this.#db, projectId, ids)
    if (calls.length === 0) return []
    const { find } = await this.#current.of(this.#db, projectId)
    return calls.map((call) => {
      const cost = costOf(call, find)
      const isStored = call.genCostRevision > 0
      const isOutdated =
        isStored && (call.genCost !== cost.cost || call.genCostPartial !== cost.isPartial)
      return { id: call.id, ...cost, isOutdated }
    })
  }

  /** Changes prices, and begins a revision: calls from now on have it. */
  async #change<Result>(
    projectId: string,
    change: (db: Database, revision: number) => Promise<Result>,
  ): Promise<Result> {
    const result = await inTransaction(this.#db, async (db) => {
      const { revision } = await beginRevision(db, projectId)
      return change(db, revision)
    })
    this.#current.forget(projectId)
    return result
  }

  #parse(path: string, price: PriceInput) {
    const { currency } = price
    if (currency != null && currency !== 'USD')
      throw invalid(`${path}currency: expected USD, got ${show(currency)}`)
    const validFrom = parseInstant(`${path}from`, price.from ?? FIRST_MOMENT)
    const validUntil = price.until == null ? null : parseInstant(`${path}until`, price.until)
    if (validUntil !== null && validUntil <= validFrom)
      throw invalid(`${path}until: expected a moment after from, got ${show(price.until)}`)
    const tiers = price.tiers ?? []
    if (tiers.length > MAX_TIERS)
      throw invalid(`${path}tiers: expected at most ${MAX_TIERS}, got ${tiers.length}`)
    return {
      id: randomUUID(),
      provider: this.#name(`${path}provider`, price.provider ?? '', 0),
      model: this.#name(`${path}model`, price.model, 1),
      validFrom,
      validUntil,
      rates: ratesOf(`${path}rates.`, price.rates),
      tiers: tiers.map((tier, index): Tier => {
        const at = `${path}tiers[${index}].`
        const { aboveInputTokens, serviceTier } = tier
        if (aboveInputTokens == null && !serviceTier)
          throw invalid(`${at}aboveInputTokens, ${at}serviceTier: expected one of them`)
        if (aboveInputTokens != null && aboveInputTokens < 1)
          throw invalid(`${at}aboveInputTokens: expected tokens from 1 on, got ${aboveInputTokens}`)
        return {
          ...(aboveInputTokens == null ? {} : { aboveInputTokens }),
          ...(serviceTier ? { serviceTier: this.#name(`${at}serviceTier`, serviceTier, 1) } : {}),
          rates: ratesOf(`${at}rates.`, tier.rates),
        }
      }),
      updatedAt: this.#clock(),
    }
  }

  #name(field: string, given: string, least: number): string {
    const name = this.#values.text(field, given).trim().toLowerCase()
    if (name.length < least || name.length > MAX_NAME)
      throw invalid(`${field}: expected ${least} to ${MAX_NAME} characters, got ${show(given)}`)
    return name
  }
}

const ratesOf = (path: string, given: PriceRatesInput): Rates => {
  const rates: { [part in Part]?: number } = {}
  for (const part of PARTS) {
    const rate = part === 'unexplained' ? undefined : given[part]
    if (rate != null) rates[part] = parseRate(`${path}${part}`, rate)
  }
  return rates
}
