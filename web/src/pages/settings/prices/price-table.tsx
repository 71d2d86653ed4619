import { DeletePriceDocument, type PricesSectionQuery } from '../../../../generated/operations.js'
import { useMayWrite } from '../../../data/project.js'
import { useChange } from '../../../data/use-data.js'
import { count } from '../../../format/number.js'
import { line } from '../../../format/text.js'
import { Label } from '../../../table/cells.js'
import { ConfirmButton } from '../../../ui/confirm-button.js'

type Price = PricesSectionQuery['prices'][number]

const day = (moment: string): string => moment.slice(0, 10)

/** Its beginning and its end, of which each stays in one line. */
const Period = ({ from, until }: Pick<Price, 'from' | 'until'>) => (
  <>
    <span style={{ whiteSpace: 'nowrap' }}>
      {from.startsWith('1970') ? 'always' : `from ${day(from)}`}
    </span>
    {until !== null && (
      <>
        {' '}
        <span style={{ whiteSpace: 'nowrap' }}>until {day(until)}</span>
      </>
    )}
  </>
)

const others = ({ rates, tiers }: Price): string =>
  [
    ...Object.entries(rates).flatMap(([part, rate]) =>
      typeof rate !== 'number' || part === 'input' || part === 'output' ? [] : [`${part} ${rate}`],
    ),
    ...tiers.map(
      ({ aboveInputTokens, serviceTier }) =>
        serviceTier ?? `above ${count(aboveInputTokens)} tokens in`,
    ),
  ].join(', ')

/** Prices of models; those of the project can be removed. */
export const PriceTable = ({
  label,
  prices,
  onDone,
}: {
  label: string
  prices: readonly Price[]
  onDone?: () => void
}) => {
  const remove = useChange(DeletePriceDocument)
  const mayWrite = useMayWrite()
  return (
    <table className="table stacks" aria-label={label} style={{ tableLayout: 'auto' }}>
      <thead>
        <tr>
          <th scope="col">Model</th>
          <th scope="col">Provider</th>
          <th scope="col">Time</th>
          <th scope="col" className="right">
            $ per million in
          </th>
          <th scope="col" className="right">
            out
          </th>
          <th scope="col">Other parts</th>
          {onDone !== undefined && (
            <th scope="col">
              <span className="visually-hidden">Change</span>
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {prices.map((price) => (
          <tr key={price.id ?? `${price.provider} ${price.models[0]} ${price.from}`}>
            <td className="main-cell breaks">
              <bdi>{line(price.models.join(', '), 80)}</bdi>
            </td>
            <td>{line(price.provider ?? 'any', 24)}</td>
            <td style={{ whiteSpace: 'normal' }}>
              <Period {...price} />
            </td>
            <td className="right">
              <Label>in</Label>
              {price.rates.input ?? '–'}
            </td>
            <td className="right">
              <Label>out</Label>
              {price.rates.output ?? '–'}
            </td>
            <td className="soft" style={{ whiteSpace: 'normal' }}>
              {others(price)}
            </td>
            {onDone !== undefined && (
              <td className="right">
                {mayWrite && price.id !== null && (
                  <ConfirmButton
                    className="small"
                    label="Remove"
                    confirmLabel="Remove it?"
                    onConfirm={async () => {
                      await remove({ id: price.id ?? '' })
                      onDone()
                    }}
                  />
                )}
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
