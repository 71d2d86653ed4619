import { PARTS } from '../../../generated/model-calls/usage/usage.js'
import type { CostSource, Resolvers } from '../../../generated/resolvers.js'
import type { PriceEntry, Rates } from '../../domain/prices/book.js'
import { dollarsOf, perMillion } from '../../domain/prices/money.js'

const SOURCES: readonly CostSource[] = ['BOOK', 'PROJECT', 'CLIENT']

/** Returns the origin of a cost; null for a call without one. */
export const sourceOf = (source: string | null | undefined): CostSource | null =>
  SOURCES.find((known) => known === source) ?? null

/** Returns a cost in dollars. */
export const dollars = (picodollars: number | null | undefined): number | null =>
  picodollars == null ? null : dollarsOf(picodollars)

const rate = (part: keyof Rates) => (rates: Rates) => {
  const picodollars = rates[part]
  return picodollars === undefined ? null : perMillion(picodollars)
}

type RatePart = Exclude<(typeof PARTS)[number], 'unexplained'>
const rates = Object.fromEntries(
  PARTS.flatMap((part) => (part === 'unexplained' ? [] : [[part, rate(part)]])),
) as Record<RatePart, ReturnType<typeof rate>>

export const prices = {
  Query: {
    priceBook: (_, __, { domain }) => domain.prices.book(),
    prices: (_, __, { domain, caller }) => domain.prices.list(caller),
    repricing: (_, __, { domain, caller }) => domain.prices.repricing(caller),
  },
  Mutation: {
    setPrices: (_, { prices }, { domain, caller }) => domain.prices.set(caller, prices),
    deletePrice: (_, { id }, { domain, caller }) => domain.prices.delete(caller, id),
    reprice: (_, __, { domain, caller }) => domain.prices.reprice(caller),
  },
  Price: {
    id: ({ id }) => id ?? null,
    provider: ({ provider }) => provider || null,
    source: ({ source }) => source ?? null,
    asOf: ({ asOf }: PriceEntry) => asOf ?? null,
  },
  PriceRates: rates,
  CostDetails: {
    cost: ({ cost }) => dollars(cost),
    source: ({ source }) => sourceOf(source),
    price: ({ entry }) => entry,
    parts: ({ parts }) =>
      parts.map(({ part, tokens, rate, cost }) => ({
        part,
        tokens,
        price: perMillion(rate),
        cost: dollarsOf(cost),
      })),
  },
} satisfies Resolvers
