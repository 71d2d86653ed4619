import {
  DeletePriceDocument,
  GetPriceBookDocument,
  GetPricesDocument,
  type GetPricesQuery,
  GetRepricingDocument,
  type PriceFieldsFragment,
  RepriceDocument,
  type RepricingFieldsFragment,
  SetPricesDocument,
} from '../../../generated/operations.js'
import type {
  PriceBook as SchemaBook,
  PriceInput as SchemaPriceInput,
} from '../../../generated/schema.js'
import { type Snake, toCamel, toSnake } from '../../spelling.js'
import type { Transport } from '../../transport/transport.js'
import { type IdParam, idOf } from '../calls/raw.js'

/** The prices of a model for a time, in dollars per million tokens. */
export type Price = PriceFieldsFragment
/** The prices that the service brings along. */
export type PriceBook = Pick<SchemaBook, 'asOf' | 'ageDays' | 'isOld'> & { prices: Price[] }
/** A run of `reprice`. */
export type Repricing = RepricingFieldsFragment
/** A price of the project. */
export type PriceInput = SchemaPriceInput

export const pricesApi = ({ call }: Transport) => {
  const getPriceBook = async (): Promise<PriceBook> =>
    (await call(GetPriceBookDocument, {})).priceBook
  const getPrices = async (): Promise<GetPricesQuery['prices']> =>
    (await call(GetPricesDocument, {})).prices
  const getRepricing = async (): Promise<Repricing | null> =>
    (await call(GetRepricingDocument, {})).repricing
  const setPrices = async (prices: readonly PriceInput[]): Promise<Price[]> => {
    return (await call(SetPricesDocument, { prices: [...prices] })).setPrices
  }
  const deletePrice = async (id: string): Promise<string | null> =>
    (await call(DeletePriceDocument, { id })).deletePrice?.id ?? null
  const reprice = async (): Promise<Repricing> => (await call(RepriceDocument, {})).reprice

  return {
    /**
     * Returns the price book of the service: prices of well-known models, with their source and day.
     *
     * @returns the book, its age in days, and if it is too old to rely on.
     * @throws `UNAUTHENTICATED` when the service does not know the key, as every call does.
     * @scope `read`
     * @example
     * const { asOf, isOld } = await stepwell.api.getPriceBook()
     * console.log(asOf, isOld ? 'prices have probably changed since' : '')
     */
    getPriceBook,
    /**
     * Returns the price book of the service; `getPriceBook` in the other spelling.
     *
     * @returns the book, its age in days, and if it is too old to rely on.
     * @throws `UNAUTHENTICATED` when the service does not know the key, as every call does.
     * @scope `read`
     * @example
     * console.log((await stepwell.api.get_price_book()).age_days)
     */
    get_price_book: async (): Promise<Snake<PriceBook>> =>
      toSnake(await getPriceBook(), 'PriceBook'),

    /**
     * Lists the prices of the project, by model. They come before those of the price book.
     *
     * @returns the prices; an empty list when the project has none of its own.
     * @throws `UNAUTHENTICATED` when the service does not know the key, as every call does.
     * @scope `read`
     * @example
     * for (const { models, rates } of await stepwell.api.getPrices()) console.log(models, rates.input, rates.output)
     */
    getPrices,
    /**
     * Lists the prices of the project; `getPrices` in the other spelling.
     *
     * @returns the prices; an empty list when the project has none of its own.
     * @throws `UNAUTHENTICATED` when the service does not know the key, as every call does.
     * @scope `read`
     * @example
     * for (const { models, rates } of await stepwell.api.get_prices()) console.log(models, rates.cache_write)
     */
    get_prices: async (): Promise<Snake<Price>[]> => toSnake(await getPrices(), 'Price'),

    /**
     * Returns the last run of `reprice`, with its progress.
     *
     * @returns the run, whose `endedAt` is null while it goes on; null when there was none.
     * @throws `UNAUTHENTICATED` when the service does not know the key, as every call does.
     * @scope `read`
     * @example
     * const run = await stepwell.api.getRepricing()
     * if (run?.endedAt === null) console.log(`${run.done} of ${run.total}`)
     */
    getRepricing,
    /**
     * Returns the last run of `reprice`; `getRepricing` in the other spelling.
     *
     * @returns the run, whose `ended_at` is null while it goes on; null when there was none.
     * @throws `UNAUTHENTICATED` when the service does not know the key, as every call does.
     * @scope `read`
     * @example
     * console.log((await stepwell.api.get_repricing())?.ended_at)
     */
    get_repricing: async (): Promise<Snake<Repricing> | null> =>
      toSnake(await getRepricing(), 'Repricing'),

    /**
     * Creates or replaces prices of the project, all or none. They hold for calls that arrive from now on; `reprice` applies
     * them to stored calls too. A price replaces the one of the same model, provider and first moment.
     *
     * @returns all prices of the project.
     * @throws `INVALID_ARGUMENT` when a price is negative or has more than six decimal places, when a name is empty, when
     * `until` is not after `from`, when the currency is not `USD`, or when there are more than 500 prices at once.
     * @throws `TOO_LARGE` when a name is larger than 1 MB.
     * @scope `write`
     * @example
     * await stepwell.api.setPrices([{ model: 'our-model', rates: { input: 0.4, output: 1.6 } }])
     */
    setPrices,
    /**
     * Creates or replaces prices of the project; `setPrices` in the other spelling.
     *
     * @returns all prices of the project.
     * @throws `INVALID_ARGUMENT` when a price is negative or has more than six decimal places, when a name is empty, when
     * `until` is not after `from`, when the currency is not `USD`, or when there are more than 500 prices at once.
     * @throws `TOO_LARGE` when a name is larger than 1 MB.
     * @scope `write`
     * @example
     * await stepwell.api.set_prices({ prices: [{ model: 'our-model', rates: { input: 0.4, audio_input: 6 } }] })
     */
    set_prices: async (params: {
      /** The prices, at most 500. */
      prices: readonly Snake<PriceInput>[]
    }): Promise<Snake<Price>[]> => {
      const prices = params.prices.map((price) => toCamel<PriceInput>(price as never, 'PriceInput'))
      return toSnake(await setPrices(prices), 'Price')
    },

    /**
     * Deletes a price of the project. Stored costs stay until `reprice`.
     *
     * @returns the id; null when no price had it.
     * @throws `INVALID_ARGUMENT` when the id is empty.
     * @scope `write`
     * @example
     * const [price] = await stepwell.api.setPrices([{ model: 'our-model', rates: { input: 0.4 } }])
     * if (price?.id != null) await stepwell.api.deletePrice(price.id)
     */
    deletePrice,
    /**
     * Deletes a price of the project; `deletePrice` in the other spelling.
     *
     * @returns the id; null when no price had it.
     * @throws `INVALID_ARGUMENT` when the id is empty.
     * @scope `write`
     * @example
     * const [price] = await stepwell.api.set_prices({ prices: [{ model: 'our-model', rates: { input: 0.4 } }] })
     * if (price?.id != null) await stepwell.api.delete_price({ id: price.id })
     */
    delete_price: (price: IdParam): Promise<string | null> => deletePrice(idOf(price)),

    /**
     * Computes the costs of all stored calls anew, by the prices that hold now. The service does it in the background, some
     * hundred calls at a time; `getRepricing` says how far it is. Both spellings are the same.
     *
     * @returns the run that has begun, with the number of calls.
     * @throws `UNAUTHENTICATED` when the service does not know the key, as every call does.
     * @scope `write`
     * @example
     * console.log((await stepwell.api.reprice()).total)
     */
    reprice,
  }
}
