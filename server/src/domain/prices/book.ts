import type { Part } from '../../../generated/model-calls/usage/usage.js'
import { PRICE_BOOK } from '../../../generated/price-book.js'
import type { Instant } from '../../kernel/instant.js'
import { type ModelName, readModelName } from './names.js'

/** Prices in picodollars per token, for the parts that have one. */
export type Rates = { readonly [part in Part]?: number }

/** Prices of some calls, instead of those of the entry. Without rates where these are not known, as those of the entry are too low. */
export interface Tier {
  /** For calls whose input has more tokens. */
  aboveInputTokens?: number | undefined
  /** For calls of this service tier, such as `batch`. */
  serviceTier?: string | undefined
  rates: Rates
}

/** The prices of a model from a moment on, until another one, exclusive. */
export interface PriceEntry {
  provider: string
  models: readonly string[]
  from: Instant
  until: Instant | null
  rates: Rates
  tiers: readonly Tier[]
  /** The page of the prices, and the day up to which they are known to hold; absent for those of a project. */
  source?: string
  asOf?: string
  /** The id of a price of a project. */
  id?: string
}

/** The day of the prices in the book. */
export const BOOK_AS_OF: string = PRICE_BOOK.asOf

/** Days after which prices have probably changed. */
const OLD_AFTER_DAYS = 60

/** Returns the age of the book in days, and if it is too old to rely on. */
export const ageOfBook = (now: Instant): { ageDays: number; isOld: boolean } => {
  const ageDays = Math.max(0, Math.floor((Date.parse(now) - Date.parse(BOOK_AS_OF)) / 86_400_000))
  return { ageDays, isOld: ageDays > OLD_AFTER_DAYS }
}

export const BOOK: readonly PriceEntry[] = PRICE_BOOK.entries

const byName = new Map<string, PriceEntry[]>()
for (const entry of BOOK)
  for (const model of entry.models) {
    const entries = byName.get(model)
    if (entries === undefined) byName.set(model, [entry])
    else entries.push(entry)
  }

export const isValidAt = ({ from, until }: PriceEntry, moment: Instant): boolean =>
  from <= moment && (until === null || moment < until)

/** The names of applications are few, and each is read for every call. */
const readNames = new Map<string, ModelName | undefined>()
const MAX_READ_NAMES = 1000

const namesOf = (provider: string | null, model: string): ModelName | undefined => {
  const key = `${provider ?? ''}\n${model}`
  if (readNames.has(key)) return readNames.get(key)
  if (readNames.size >= MAX_READ_NAMES) readNames.clear()
  const name = readModelName(provider, model)
  readNames.set(key, name)
  return name
}

/**
 * Finds the prices of a call in the book: by the exact name of the model, and of its provider. Without a provider, only a
 * model that one provider alone has.
 */
export const findInBook = (
  recordedProvider: string | null,
  recordedModel: string,
  moment: Instant,
): PriceEntry | undefined => {
  const name = namesOf(recordedProvider, recordedModel)
  const entries = name === undefined ? undefined : byName.get(name.model)
  if (name === undefined || entries === undefined) return undefined
  const provider = name.provider ?? entries[0]?.provider
  if (name.provider === undefined && entries.some((entry) => entry.provider !== provider))
    return undefined
  return entries.find((entry) => entry.provider === provider && isValidAt(entry, moment))
}
