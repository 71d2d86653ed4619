import type { Address } from '../../address/use-address.js'
import { plural } from '../../format/number.js'
import { line } from '../../format/text.js'
import { MEASURE_TITLES } from '../../parts/measures.js'
import type { Measure } from '../../stats/statistics.js'
import type { Chosen, Shown } from './comparing/messages.js'
import { FILTERS, type Only, type Order } from './comparing/rows.js'

const FILTER_TITLES: Readonly<Record<Only, string>> = {
  all: 'all items',
  flips: 'flips',
  lost: 'passed → failed',
  won: 'failed → passed',
  changed: 'changed',
  errors: 'with errors',
  missing: 'not in all',
}

/** Chooses the score and the margin: both are part of the address. */
export const QuantityChoice = ({
  address,
  chosen,
  margin,
  names,
  measures,
}: {
  address: Address
  chosen: Chosen | undefined
  /** The one that verdicts go by: of the address, else of the run's rule. */
  margin: number
  names: readonly string[]
  measures: readonly Measure[]
}) => {
  const shownMargin = margin === 0 ? '' : String(margin)
  return (
    <>
      <select
        className="field"
        aria-label="Score or measure"
        value={chosen === undefined ? '' : JSON.stringify(chosen)}
        onChange={({ target: { value } }) => {
          const { score, measure } = JSON.parse(value) as { score?: string; measure?: string }
          address.set({
            score: score ?? null,
            measure: measure ?? null,
            // A margin is in the unit of its score.
            margin: null,
            page: null,
            item: null,
          })
        }}
      >
        {names.length > 0 && (
          <optgroup label="Scores">
            {names.map((score) => (
              <option key={score} value={JSON.stringify({ score })}>
                {line(score, 60)}
              </option>
            ))}
          </optgroup>
        )}
        {measures.length > 0 && (
          <optgroup label="Measures">
            {measures.map((measure) => (
              <option key={measure} value={JSON.stringify({ measure })}>
                {MEASURE_TITLES[measure]}
              </option>
            ))}
          </optgroup>
        )}
      </select>
      {chosen !== undefined && 'score' in chosen && (
        <label
          className="row"
          style={{ gap: 4 }}
          title="The loss that you accept, in the score's unit"
        >
          <span className="soft">margin</span>
          <input
            // The address may change beside it.
            key={shownMargin}
            className="field"
            type="number"
            min="0"
            step="any"
            style={{ width: 80 }}
            defaultValue={shownMargin}
            placeholder="0"
            onBlur={({ target }) => setMargin(address, target, margin)}
            onKeyDown={(event) => {
              if (event.key === 'Enter') setMargin(address, event.currentTarget, margin)
            }}
          />
        </label>
      )}
    </>
  )
}

const setMargin = (address: Address, field: HTMLInputElement, before: number) => {
  if (!field.reportValidity()) return
  const margin = field.value === '' ? 0 : Number(field.value)
  // 0 is said, too, as it may stand against the margin of a rule.
  if (margin !== before) address.set({ margin: String(margin) })
}

/** Orders and filters items, and pages through them. */
export const RowsBar = ({
  address,
  order,
  only,
  counts,
  page,
  pageSize,
  marksWords,
}: {
  address: Address
  order: Order
  only: Only
  counts: Shown['counts']
  /** From 0 on. */
  page: number
  pageSize: number
  marksWords: boolean
}) => {
  const total = counts[only]
  const last = Math.max(0, Math.ceil(total / pageSize) - 1)
  const go = (to: number) => address.set({ page: to === 0 ? null : String(to + 1), item: null })
  return (
    <div className="row wrap">
      <button
        type="button"
        className="button small"
        title="w"
        onClick={() => address.set({ sort: order === 'worse' ? 'better' : null, page: null })}
      >
        {order} first
      </button>
      <select
        className="field"
        aria-label="Items"
        value={only}
        onChange={({ target: { value } }) =>
          address.set({ only: value === 'all' ? null : value, page: null, item: null })
        }
      >
        {FILTERS.map((filter) => (
          <option key={filter} value={filter}>
            {FILTER_TITLES[filter]} ({counts[filter]})
          </option>
        ))}
      </select>
      <label className="row" style={{ gap: 4 }}>
        <input
          type="checkbox"
          checked={marksWords}
          onChange={() => address.set({ diff: marksWords ? 'off' : null })}
        />
        mark words
      </label>
      {last > 0 && (
        <>
          <button
            type="button"
            className="button small"
            disabled={page === 0}
            onClick={() => go(page - 1)}
          >
            ‹ before
          </button>
          <span className="soft">
            {page * pageSize + 1} – {Math.min(total, (page + 1) * pageSize)} of{' '}
            {plural(total, 'item')}
          </span>
          <button
            type="button"
            className="button small"
            disabled={page >= last}
            onClick={() => go(page + 1)}
          >
            after ›
          </button>
        </>
      )}
    </div>
  )
}
