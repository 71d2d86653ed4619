import {
  INPUT_PARTS,
  OUTPUT_PARTS,
  PARTS,
  type Part,
  type Usage,
} from '../../../generated/model-calls/usage/usage.js'
import type { Instant } from '../../kernel/instant.js'
import { isObject } from '../values.js'
import type { PriceEntry, Rates } from './book.js'
import { MAX_COST } from './money.js'

/** The recorded values of a model call that its cost depends on. */
export interface PricedCall {
  provider: string | null
  model: string | null
  usage: Usage | null
  /** Sums of clients that tell no parts. */
  tokenCount: number | null
  inputTokenCount: number | null
  outputTokenCount: number | null
  settings: unknown
  /** The cost that the client sent, in picodollars. */
  clientCost: number | null
  /** The start of the call, or the arrival of its step. */
  moment: Instant
}

/** The reason for a part without a price. */
type UnpricedReason = 'NO_MODEL' | 'NO_PRICE' | 'NO_TIER' | 'NO_TOKENS' | 'TOO_LARGE'

export interface PricedPart {
  part: Part
  tokens: number
  /** Picodollars per token, and for all of them. */
  rate: number
  cost: number
}

export interface UnpricedPart {
  part: Part
  /** Null when they are unknown. */
  tokens: number | null
  reason: UnpricedReason
}

export interface CallCost {
  /** Picodollars; null when no part has a price. */
  cost: number | null
  source: 'BOOK' | 'PROJECT' | 'CLIENT' | 'NONE'
  /** True when some part has no price. */
  isPartial: boolean
  entry: PriceEntry | null
  serviceTier: string | null
  parts: readonly PricedPart[]
  unpriced: readonly UnpricedPart[]
}

/** Finds the prices of a model at a moment. */
export type FindPrice = (
  provider: string | null,
  model: string,
  moment: Instant,
) => PriceEntry | undefined

/**
 * Computes the cost of a call. A cost that the client sent is the cost. Of all others each part of the tokens is priced
 * alone; one that has no price for certain is left out, and listed.
 */
export const priceCall = (call: PricedCall, find: FindPrice): CallCost => {
  const { provider, model, clientCost, moment } = call
  if (clientCost !== null)
    return { ...NOTHING, cost: clientCost, source: 'CLIENT', isPartial: false }
  const tokens = partsOf(call)
  const serviceTier = serviceTierOf(call.settings)
  const entry = model === null || model === '' ? undefined : find(provider, model, moment)
  if (entry === undefined) return unpriced(tokens, 'NO_MODEL', { serviceTier })
  const chosen = { entry, serviceTier }
  if (tokens.size === 0) return unpriced(tokens, 'NO_TOKENS', chosen)
  const rates = ratesOf(entry, tokens, serviceTier)
  if (rates === undefined) return unpriced(tokens, 'NO_TIER', chosen)
  return sumOf(tokens, rates, chosen)
}

const NOTHING = {
  cost: null,
  source: 'NONE',
  isPartial: true,
  entry: null,
  serviceTier: null,
  parts: [],
  unpriced: [],
} as const satisfies CallCost

type Tokens = ReadonlyMap<Part, number>
type Chosen = { entry?: PriceEntry; serviceTier: string | null }

const unpriced = (
  tokens: Tokens,
  reason: UnpricedReason,
  { entry, serviceTier }: Chosen,
): CallCost => ({
  ...NOTHING,
  entry: entry ?? null,
  serviceTier,
  unpriced: [...tokens].flatMap(([part, count]) =>
    count === 0 ? [] : [{ part, tokens: count, reason }],
  ),
})

const sumOf = (tokens: Tokens, rates: Rates, { entry, serviceTier }: Chosen): CallCost => {
  const parts: PricedPart[] = []
  const others: UnpricedPart[] = []
  let sum = 0
  for (const [part, count] of tokens) {
    // Providers bill reasoning as output; a price of its own comes first.
    const rate = rates[part] ?? (part === 'reasoning' ? rates.output : undefined)
    const cost = rate === undefined ? 0 : rate * count
    if (sum + cost > MAX_COST) others.push({ part, tokens: count, reason: 'TOO_LARGE' })
    else if (rate !== undefined) {
      parts.push({ part, tokens: count, rate, cost })
      sum += cost
    } else if (count > 0) others.push({ part, tokens: count, reason: 'NO_PRICE' })
  }
  for (const [side, first] of SIDES)
    if (rates[first] !== undefined && !side.some((part) => tokens.has(part)))
      others.push({ part: first, tokens: null, reason: 'NO_TOKENS' })
  return {
    cost: parts.length === 0 ? null : sum,
    source: parts.length === 0 || entry === undefined ? 'NONE' : entry.id ? 'PROJECT' : 'BOOK',
    isPartial: others.length > 0 || parts.length === 0,
    entry: entry ?? null,
    serviceTier,
    parts,
    unpriced: others,
  }
}

const SIDES = [
  [INPUT_PARTS, 'input'],
  [OUTPUT_PARTS, 'output'],
] as const satisfies readonly (readonly [readonly Part[], Part])[]

/** Returns the parts that are known. Sums without parts are taken as plain input and output, and a rest as unexplained. */
const partsOf = ({ usage, tokenCount, inputTokenCount, outputTokenCount }: PricedCall): Tokens => {
  const tokens = new Map<Part, number>()
  if (usage !== null) {
    for (const part of PARTS) {
      const count = usage[part]
      if (typeof count === 'number') tokens.set(part, count)
    }
    return tokens
  }
  if (inputTokenCount !== null) tokens.set('input', Math.max(0, inputTokenCount))
  if (outputTokenCount !== null) tokens.set('output', Math.max(0, outputTokenCount))
  const rest = (tokenCount ?? 0) - (inputTokenCount ?? 0) - (outputTokenCount ?? 0)
  if (rest > 0) tokens.set('unexplained', rest)
  return tokens
}

/** Service tiers that cost the plain price. */
const STANDARD = new Set(['', 'auto', 'default', 'standard', 'standard_only', 'on_demand'])

/** Returns the service tier that the settings of a call name; null for the plain one. */
const serviceTierOf = (settings: unknown): string | null => {
  if (!isObject(settings)) return null
  const given = settings.service_tier ?? settings.serviceTier
  if (given === undefined || given === null) return null
  const tier = typeof given === 'string' ? given.toLowerCase() : 'unknown'
  return STANDARD.has(tier) ? null : tier
}

/** Returns the prices of a call: those of the highest tier that its input reaches. Undefined when that is not known. */
const ratesOf = (
  { rates, tiers }: PriceEntry,
  tokens: Tokens,
  serviceTier: string | null,
): Rates | undefined => {
  const among = tiers.filter((tier) => (tier.serviceTier ?? null) === serviceTier)
  const input = INPUT_PARTS.reduce((sum, part) => sum + (tokens.get(part) ?? 0), 0)
  const isKnown = INPUT_PARTS.some((part) => tokens.has(part))
  let [found, above] = [serviceTier === null ? rates : undefined, -1]
  for (const tier of among) {
    const least = tier.aboveInputTokens ?? 0
    if (least > 0 && !isKnown) return undefined
    if (least > above && (least === 0 || input > least)) [found, above] = [tier.rates, least]
  }
  return found
}
