import { type FormEvent, useState } from 'react'
import {
  ChangePricesDocument,
  PricesSectionDocument,
  type PricesSectionQuery,
  RemovePriceDocument,
  StartRepricingDocument,
} from '../../../generated/operations.js'
import { useSingleFlight } from '../../browser/use-single-flight.js'
import { useMayWrite } from '../../data/project.js'
import { useChange, useData } from '../../data/use-data.js'
import { count, plural } from '../../format/number.js'
import { line } from '../../format/text.js'
import { Time } from '../../table/cells.js'
import { Field } from '../../ui/field.js'
import { ProblemView } from '../../ui/problem-view.js'
import { useToast } from '../../ui/toasts.js'
import { useRepricing } from './use-repricing.js'

type Price = PricesSectionQuery['prices'][number]

/** The prices of the project, those of the book, and the way to apply them to stored calls. */
export const PricesSection = () => {
  const { data, problem, refresh } = useData(PricesSectionDocument, {})
  const mayWrite = useMayWrite()
  return (
    <div className="column" style={{ maxWidth: 960, gap: 12 }}>
      <p className="soft">
        Costs of model calls in dollars. A cost that the application sends comes first, then a price
        of the project, then the price book. Parts without a price are in no cost, and are shown.
      </p>
      {problem !== undefined && <ProblemView problem={problem} retry={refresh} />}
      {data?.priceBook.isOld && (
        <p role="status" className="problem">
          The price book is of {data.priceBook.asOf}, {data.priceBook.ageDays} days ago. Prices have
          probably changed since: set those that did, or update the service.
        </p>
      )}
      {data !== undefined && (
        <>
          <h2>Prices of the project</h2>
          {data.prices.length === 0 ? (
            <p className="soft">None: all calls have the prices of the book.</p>
          ) : (
            <PriceTable label="Prices of the project" prices={data.prices} onDone={refresh} />
          )}
          {mayWrite && <PriceForm onDone={refresh} />}
          <Repricing last={data.repricing} />
          <Book book={data.priceBook} />
        </>
      )}
    </div>
  )
}

const day = (moment: string): string => moment.slice(0, 10)

const timeOf = ({ from, until }: Price): string =>
  `${from.startsWith('1970') ? 'always' : `from ${day(from)}`}${until === null ? '' : ` until ${day(until)}`}`

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

const PriceTable = ({
  label,
  prices,
  onDone,
}: {
  label: string
  prices: readonly Price[]
  onDone?: () => void
}) => {
  const remove = useChange(RemovePriceDocument)
  const showToast = useToast()
  const mayWrite = useMayWrite()
  return (
    <table className="table" aria-label={label}>
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
            <td>
              <bdi>{line(price.models.join(', '), 80)}</bdi>
            </td>
            <td>{price.provider ?? 'any'}</td>
            <td>{timeOf(price)}</td>
            <td className="right">{price.rates.input ?? '–'}</td>
            <td className="right">{price.rates.output ?? '–'}</td>
            <td className="soft">{others(price)}</td>
            {onDone !== undefined && (
              <td className="right">
                {mayWrite && price.id !== null && (
                  <button
                    type="button"
                    className="button small"
                    onClick={async () => {
                      await remove({ id: price.id ?? '' }).catch((error) =>
                        showToast(error.message),
                      )
                      onDone()
                    }}
                  >
                    Remove
                  </button>
                )}
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** The parts that the form asks for; others are set by the command line. */
const ASKED = {
  input: '$ per million tokens in',
  cached: 'from a cache',
  output: 'out',
} as const

const PriceForm = ({ onDone }: { onDone: () => void }) => {
  const [model, setModel] = useState('')
  const [provider, setProvider] = useState('')
  const [from, setFrom] = useState('')
  const [rates, setRates] = useState<Partial<Record<keyof typeof ASKED, string>>>({})
  const [problem, setProblem] = useState<string>()
  const change = useChange(ChangePricesDocument)
  const showToast = useToast()
  const save = useSingleFlight(async () => {
    try {
      setProblem(undefined)
      const given = Object.entries(rates).filter(([, rate]) => rate !== '')
      await change({
        prices: [
          {
            model,
            provider: provider === '' ? null : provider,
            from: from === '' ? null : from,
            rates: Object.fromEntries(given.map(([part, rate]) => [part, Number(rate)])),
          },
        ],
      })
      showToast('The price holds for calls from now on.')
      setModel('')
      setRates({})
      onDone()
    } catch (error) {
      setProblem((error as Error).message)
    }
  })
  return (
    <form
      className="panel column"
      style={{ padding: 12 }}
      onSubmit={(event: FormEvent) => {
        event.preventDefault()
        void save()
      }}
    >
      <div className="row" style={{ flexWrap: 'wrap', gap: 12 }}>
        <Field label="Model">
          {(control) => (
            <input
              {...control}
              required
              value={model}
              onChange={(event) => setModel(event.target.value)}
            />
          )}
        </Field>
        <Field label="Provider, empty for any">
          {(control) => (
            <input
              {...control}
              value={provider}
              onChange={(event) => setProvider(event.target.value)}
            />
          )}
        </Field>
        <Field label="From, empty for always">
          {(control) => (
            <input
              {...control}
              type="date"
              value={from}
              onChange={(event) => setFrom(event.target.value)}
            />
          )}
        </Field>
        {Object.entries(ASKED).map(([part, label]) => (
          <Field key={part} label={label}>
            {(control) => (
              <input
                {...control}
                type="number"
                min={0}
                step="any"
                required={part !== 'cached'}
                value={rates[part as keyof typeof ASKED] ?? ''}
                onChange={(event) => setRates({ ...rates, [part]: event.target.value })}
              />
            )}
          </Field>
        ))}
      </div>
      {problem !== undefined && (
        <p className="problem" role="alert">
          {problem}
        </p>
      )}
      <div>
        <button type="submit" className="button primary">
          Set price
        </button>{' '}
        <span className="soft">
          All parts, tiers and lists of prices: <code>stepwell prices</code>
        </span>
      </div>
    </form>
  )
}

const Repricing = ({ last }: { last: PricesSectionQuery['repricing'] }) => {
  const { run, refresh } = useRepricing(last)
  const start = useChange(StartRepricingDocument)
  const showToast = useToast()
  const mayWrite = useMayWrite()
  const isRunning = run !== null && run.endedAt === null
  return (
    <section aria-label="Stored calls">
      <h2>Stored calls</h2>
      <p className="soft">
        They keep the cost of the prices that held when they arrived, until all are computed anew.
      </p>
      <p role="status">
        {run !== null &&
          (isRunning ? (
            <>
              <progress max={Math.max(run.total, 1)} value={run.done} aria-label="Priced anew" />{' '}
              {count(run.done)} of {plural(run.total, 'call')}
            </>
          ) : (
            <>
              {plural(run.done, 'call')} priced anew, ended <Time at={run.endedAt} />
            </>
          ))}
      </p>
      {mayWrite && (
        <button
          type="button"
          className="button"
          disabled={isRunning}
          onClick={async () => {
            await start({}).catch((error) => showToast(error.message))
            refresh()
          }}
        >
          Compute all costs anew
        </button>
      )}
    </section>
  )
}

const Book = ({ book }: { book: PricesSectionQuery['priceBook'] }) => {
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
