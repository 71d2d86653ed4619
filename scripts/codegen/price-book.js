// Writes the price book for the service: moments in full, prices as whole picodollars per token, so that no price is a
// fraction.
import { readFileSync } from 'node:fs'

const BOOK = new URL('../../server/prices/book.json', import.meta.url)

export const plugin = () => {
  const { asOf, currency, tokens, models } = JSON.parse(readFileSync(BOOK, 'utf8'))
  if (currency !== 'USD' || tokens !== 1_000_000)
    throw new Error('book.json: expected prices in USD per 1000000 tokens')
  const entries = models.flatMap(({ provider, models: names, source, asOf, prices }) =>
    prices.map(({ from, until, rates, tiers = [] }) => ({
      provider,
      models: names,
      from: instantOf(from),
      until: until === undefined ? null : instantOf(until),
      rates: ratesOf(rates),
      tiers: tiers.map((tier) => ({ ...tier, rates: ratesOf(tier.rates) })),
      source,
      asOf,
    })),
  )
  return `/** The prices of server/prices/book.json, in picodollars per token. */
export const PRICE_BOOK = {
  asOf: ${JSON.stringify(asOf)},
  entries: [\n${entries.map((entry) => `    ${JSON.stringify(entry)},\n`).join('')}  ],
} as const\n`
}

const instantOf = (text) => new Date(text).toISOString().replace(/Z$/, '000Z')

/** Returns the price of a token in picodollars: dollars per million tokens have the same digits, six places on. */
const ratesOf = (rates) =>
  Object.fromEntries(
    Object.entries(rates).map(([part, dollars]) => {
      if (!/^\d{1,6}(\.\d{1,6})?$/.test(dollars))
        throw new Error(`book.json: expected a decimal with at most six places, got ${dollars}`)
      const [whole, fraction = ''] = dollars.split('.')
      return [part, Number(`${whole}${fraction.padEnd(6, '0')}`)]
    }),
  )
