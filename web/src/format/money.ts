const cents = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD' })
const exact = new Intl.NumberFormat('en', {
  style: 'currency',
  currency: 'USD',
  maximumFractionDigits: 12,
})

/** Formats dollars: to the cent from one dollar on, from a cent on with three significant digits, below it with two. Unknown is `–`, never 0. */
export const dollars = (value: number | null | undefined): string => {
  if (value == null) return '–'
  if (value === 0 || value >= 1) return cents.format(value)
  return exact.format(Number(value.toPrecision(value < 0.01 ? 2 : 3)))
}

/** Formats dollars with all of their digits. */
export const exactDollars = (value: number): string => exact.format(value)

/** Formats a cost without some parts that have no price: it is at least as much. */
export const atLeast = (value: number | null | undefined, isPartial: boolean): string =>
  value != null && isPartial ? `≥ ${dollars(value)}` : dollars(value)
