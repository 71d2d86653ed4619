import { StepCostDocument } from '../../../../generated/operations.js'
import { useData } from '../../../data/use-data.js'
import { atLeast, dollars, exactDollars } from '../../../format/money.js'
import { count } from '../../../format/number.js'
import { line } from '../../../format/text.js'
import { ProblemView } from '../../../ui/problem-view.js'

const SOURCES = {
  BOOK: 'by the price book',
  PROJECT: 'by a price of the project',
  CLIENT: 'sent by the application',
} as const

const REASONS = {
  NO_MODEL: 'no price is known for this model of this provider at that time',
  NO_PRICE: 'the model has no price for it',
  NO_TIER: 'there is no price for the service tier, or the size of the input is unknown',
  NO_TOKENS: 'the number of tokens is unknown',
  TOO_LARGE: 'the cost is too large for one call',
} as const

/** The cost of a model call, part by part, with the parts that are not in it. */
export const CostFacts = ({ stepId }: { stepId: string }) => {
  const { data, problem, refresh } = useData(StepCostDocument, { id: stepId })
  if (problem !== undefined) return <ProblemView problem={problem} retry={refresh} />
  const generation = data?.step?.generation
  const details = generation?.costDetails
  if (generation == null || details == null) return null
  const { parts, unpriced, price, serviceTier, isOutdated } = details
  const named = price !== null && (
    <>
      {' '}
      ({line(price.models[0])}
      {price.asOf !== null && `, as of ${price.asOf}`})
    </>
  )
  return (
    <section aria-label="Cost">
      <h3>Cost</h3>
      <p>
        <strong>{atLeast(generation.cost, generation.isCostPartial === true)}</strong>
        {generation.costSource !== null && (
          <span className="soft"> {SOURCES[generation.costSource]}</span>
        )}
        {serviceTier !== null && <span className="soft">, service tier {serviceTier}</span>}
        {!isOutdated && <span className="soft">{named}</span>}
      </p>
      {isOutdated && (
        <p className="soft">
          Prices have changed since. By those of now{named} it would be {dollars(details.cost)}
          {parts.length > 0 && ', as below'}. Settings, Prices computes all costs anew.
        </p>
      )}
      {parts.length > 0 && (
        <table
          className="table"
          aria-label={isOutdated ? 'Cost by part, by the prices of now' : 'Cost by part'}
        >
          <thead>
            <tr>
              <th scope="col">Part</th>
              <th scope="col" className="right">
                Tokens
              </th>
              <th scope="col" className="right">
                $ per million
              </th>
              <th scope="col" className="right">
                Cost
              </th>
            </tr>
          </thead>
          <tbody>
            {parts.map(({ part, tokens, price: rate, cost }) => (
              <tr key={part}>
                <td>{part}</td>
                <td className="right">{count(tokens)}</td>
                <td className="right">{rate}</td>
                <td className="right">{exactDollars(cost)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {unpriced.map(({ part, tokens, reason }) => (
        <p className="soft" key={part}>
          Not in the cost: {tokens === null ? part : `${count(tokens)} of ${part}`}, as{' '}
          {REASONS[reason]}.
        </p>
      ))}
    </section>
  )
}
