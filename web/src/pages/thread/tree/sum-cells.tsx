import { atLeast } from '../../../format/money.js'
import { count } from '../../../format/number.js'
import type { Outline } from '../outline/outline.js'
import { PICODOLLARS } from '../outline/step-arrays.js'
import { sumOfSiblings } from '../outline/sums.js'

/** The sums at and below each step. */
export interface RowSums {
  tokens: Float64Array
  /** In picodollars; undefined in a tree without any cost. */
  costs: Float64Array | undefined
}

/** The tokens and the cost of a row, with those of all steps below. */
export const SumCells = ({
  outline,
  place,
  until,
  isFolded,
  sums: { tokens, costs },
}: {
  outline: Outline
  place: number
  /** The end of the steps that the row stands for. */
  until: number
  isFolded: boolean
  sums: RowSums
}) => {
  const end = isFolded ? until : place + 1
  const cell = (sums: Float64Array, own: Float64Array) => {
    const sum = sumOfSiblings(outline, sums, place, end)
    const isSum = isFolded || (!Number.isNaN(sum) && sum !== own[place])
    return { value: Number.isNaN(sum) ? null : sum, isSum }
  }
  const shown = cell(tokens, outline.tokens)
  const cost = costs === undefined ? undefined : cell(costs, outline.cost)
  let unpriced = 0
  for (let one = place; one < end; one += outline.size[one] ?? 1)
    unpriced += outline.unpriced[one] ?? 0
  return (
    <>
      <span
        className={shown.isSum ? 'right soft' : 'right'}
        role="gridcell"
        title={shown.isSum ? 'With all steps below' : undefined}
      >
        {count(shown.value)}
      </span>
      {cost !== undefined && (
        <span
          className={`right cost-cell${cost.isSum ? ' soft' : ''}`}
          role="gridcell"
          title={titleOf(cost.isSum, unpriced)}
        >
          {atLeast(cost.value === null ? null : cost.value / PICODOLLARS, unpriced > 0)}
        </span>
      )}
    </>
  )
}

const titleOf = (isSum: boolean, unpriced: number): string | undefined => {
  const said = [
    isSum ? 'With all steps below' : '',
    unpriced > 0 ? `${count(unpriced)} without a price for all parts` : '',
  ].filter((part) => part !== '')
  return said.length === 0 ? undefined : said.join('; ')
}
