import { useState } from 'react'
import type { PricesSectionQuery } from '../../../../generated/operations.js'
import { PriceTable } from './price-table.js'

/** The prices that the service brings along. */
export const Book = ({ book }: { book: PricesSectionQuery['priceBook'] }) => {
  const [text, setText] = useState('')
  const wanted = text.trim().toLowerCase()
  const found = book.prices.filter(
    ({ models, provider }) =>
      wanted === '' || provider?.includes(wanted) || models.some((model) => model.includes(wanted)),
  )
  return (
    <section aria-label="Price book">
      <h2>Price book of {book.asOf}</h2>
      <input
        className="field"
        aria-label="Find a model in the price book"
        placeholder="Find a model"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <PriceTable label="Price book" prices={found} />
    </section>
  )
}
