import { type DefinitionsQuery, SeenValuesDocument } from '../../generated/operations.js'
import { useData } from '../data/use-data.js'
import { score as showScore } from '../format/number.js'

export type Definition = DefinitionsQuery['scoreDefinitions'][number]

const MAX_BUTTONS = 11

/** Returns the digit that chooses a value: the value itself if all are digits, else its place from 1. */
export const digitOf = (choices: readonly { value: number }[], place: number): string => {
  const isPlain = choices.every(({ value }) => Number.isInteger(value) && value >= 0 && value <= 9)
  return String(isPlain ? choices[place]?.value : place + 1)
}

/** Parts of a range that get a button, with its ends. */
const RANGE_PARTS = 4

/** Returns the values of a range to choose from: whole numbers if there are a few, else quarters of the range. */
const valuesOfRange = (min: number, max: number): number[] => {
  const isWhole = Number.isInteger(min) && Number.isInteger(max) && max - min > 1
  if (isWhole && max - min < MAX_BUTTONS)
    return Array.from({ length: max - min + 1 }, (_, index) => min + index)
  if (isWhole) return []
  const part = (max - min) / RANGE_PARTS
  // Without the noise of binary fractions, which would be stored.
  return Array.from({ length: RANGE_PARTS + 1 }, (_, index) =>
    Number((min + index * part).toPrecision(12)),
  )
}

/** Returns true when any number of a range can be given, and not only the values to choose from. */
const takesNumbers = (definition: Definition | undefined): boolean =>
  definition?.kind === 'NUMBER' && definition.labels.length === 0

/** Returns the values to choose from: the defined ones, else the ones given so far, if they are few. */
export const choicesOf = (
  definition: Definition | undefined,
  seen: readonly { value: number; label: string | null }[],
): { value: number; label: string }[] => {
  if (definition !== undefined && definition.labels.length > 0) return definition.labels
  if (definition?.kind === 'BOOLEAN')
    return [
      { value: 0, label: 'false' },
      { value: 1, label: 'true' },
    ]
  if (definition?.min != null && definition.max != null)
    return valuesOfRange(definition.min, definition.max).map((value) => ({
      value,
      label: showScore(value),
    }))
  const values = [...new Set(seen.map(({ value }) => value))].sort((a, b) => a - b)
  const isBinary = values.every((value) => value === 0 || value === 1)
  if (definition === undefined && isBinary)
    return [0, 1].map((value) => ({
      value,
      label:
        seen.find((one) => one.value === value && one.label)?.label ??
        (value === 1 ? '1 good' : '0 bad'),
    }))
  const [low = 0] = values
  const high = values.at(-1) ?? low
  return values.length >= 2 && values.every(Number.isInteger) && high - low < MAX_BUTTONS
    ? Array.from({ length: high - low + 1 }, (_, index) => ({
        value: low + index,
        label: String(low + index),
      }))
    : []
}

/**
 * The control for one score: a button per value if they are few, and a number. It begins without a value, whatever
 * other judges have given.
 */
export const ValueControl = ({
  name,
  definition,
  value,
  onChange,
  showsKeys = false,
}: {
  name: string
  definition: Definition | undefined
  showsKeys?: boolean
  value: number | undefined
  onChange: (value: number | undefined, label: string | undefined) => void
}) => {
  const seen = useData(SeenValuesDocument, { name }, { pause: name === '' })
  const choices = choicesOf(definition, seen.data?.scores.edges.map(({ node }) => node) ?? [])
  return (
    <div className="column" style={{ gap: 6 }}>
      {choices.length > 0 && (
        <div className="row wrap" role="group" aria-label={`Value of ${name}`}>
          {choices.map((choice, place) => (
            <button
              type="button"
              key={choice.value}
              className="button"
              aria-pressed={value === choice.value}
              onKeyDown={(event) => {
                const { form } = event.currentTarget
                if (event.key !== 'Enter' || value === undefined || form === null) return
                event.preventDefault()
                if (!event.repeat) form.requestSubmit()
              }}
              onClick={(event) => {
                // Without focus, Enter saves the form instead of pressing the button again. The keyboard keeps its place.
                if (event.detail > 0) event.currentTarget.blur()
                value === choice.value
                  ? onChange(undefined, undefined)
                  : onChange(choice.value, labelOf(definition, choice))
              }}
            >
              {choice.label}
              {showsKeys && <kbd>{digitOf(choices, place)}</kbd>}
            </button>
          ))}
        </div>
      )}
      {(choices.length === 0 || takesNumbers(definition)) && (
        <NumberField
          label={choices.length === 0 ? `Value of ${name}` : `Another value of ${name}`}
          min={definition?.min ?? undefined}
          max={definition?.max ?? undefined}
          hasSlider={choices.length === 0}
          value={value}
          onChange={(next) => onChange(next, undefined)}
        />
      )}
    </div>
  )
}

/** A number, with a slider for a range without buttons. */
const NumberField = ({
  label,
  min,
  max,
  hasSlider,
  value,
  onChange,
}: {
  label: string
  min: number | undefined
  max: number | undefined
  hasSlider: boolean
  value: number | undefined
  onChange: (value: number | undefined) => void
}) => (
  <div className="row">
    <input
      className="field"
      type="number"
      step="any"
      style={{ width: 110 }}
      min={min}
      max={max}
      aria-label={label}
      placeholder={
        min === undefined || max === undefined
          ? 'a number'
          : `${showScore(min)} to ${showScore(max)}`
      }
      value={value ?? ''}
      onChange={(event) =>
        onChange(event.target.value === '' ? undefined : Number(event.target.value))
      }
    />
    {hasSlider && min !== undefined && max !== undefined && (
      <input
        className={`grow${value === undefined ? ' is-unset' : ''}`}
        type="range"
        min={min}
        max={max}
        step={(max - min) / 100}
        aria-label={`${label}, as a slider`}
        aria-valuetext={value === undefined ? 'none' : showScore(value)}
        // A slider always has a place; the middle is none that anybody chose.
        value={value ?? (min + max) / 2}
        onChange={(event) => onChange(Number(event.target.value))}
      />
    )}
  </div>
)

/** Returns the label of a value if the definition has one. */
export const labelOf = (
  definition: Definition | undefined,
  { value, label }: { value: number; label: string },
): string | undefined => (definition?.labels.some((one) => one.value === value) ? label : undefined)
