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

/** Returns the values to choose from: the defined ones, else the ones given so far, if they are few. */
export const choicesOf = (
  definition: Definition | undefined,
  seen: readonly { value: number; label: string | null }[],
): { value: number; label: string }[] => {
  if (definition !== undefined && definition.labels.length > 0) return definition.labels
  if (definition?.min != null && definition.max != null) {
    const { min, max } = definition
    if (Number.isInteger(min) && Number.isInteger(max) && max - min < MAX_BUTTONS)
      return Array.from({ length: max - min + 1 }, (_, index) => ({
        value: min + index,
        label: String(min + index),
      }))
    return []
  }
  const values = [...new Set(seen.map(({ value }) => value))].sort((a, b) => a - b)
  const isBinary = values.every((value) => value === 0 || value === 1)
  if (definition === undefined && isBinary)
    return [0, 1].map((value) => ({
      value,
      label:
        seen.find((one) => one.value === value && one.label)?.label ??
        (value === 1 ? '1 good' : '0 bad'),
    }))
  if (values.length >= 2 && values.length <= MAX_BUTTONS && values.every(Number.isInteger)) {
    const [low = 0] = values
    const high = values.at(-1) ?? low
    if (high - low < MAX_BUTTONS)
      return Array.from({ length: high - low + 1 }, (_, index) => ({
        value: low + index,
        label: String(low + index),
      }))
  }
  return []
}

/** The control for one score: a button per value if they are few, else a number. */
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
  if (choices.length > 0)
    return (
      <div className="row wrap" role="group" aria-label={`Value of ${name}`}>
        {choices.map((choice, place) => (
          <button
            type="button"
            key={choice.value}
            className="button"
            aria-pressed={value === choice.value}
            onClick={(event) => {
              // Without focus, Enter saves the form instead of pressing the button again.
              event.currentTarget.blur()
              value === choice.value
                ? onChange(undefined, undefined)
                : onChange(choice.value, labelOf(definition, choice))
            }}
          >
            {choice.label}
            {showsKeys && <kbd>{digitOf(choices, place)}</kbd>}
          </button>
        ))}
        {hasNumbersBetween(definition) && (
          <NumberField name={name} definition={definition} value={value} onChange={onChange} />
        )}
      </div>
    )
  return <NumberField name={name} definition={definition} value={value} onChange={onChange} />
}

/** A range of numbers has others than the whole ones, which have a button each. */
const hasNumbersBetween = (definition: Definition | undefined): boolean =>
  definition?.kind === 'NUMBER' && definition.isEnforced && definition.labels.length === 0

const NumberField = ({
  name,
  definition,
  value,
  onChange,
}: {
  name: string
  definition: Definition | undefined
  value: number | undefined
  onChange: (value: number | undefined, label: string | undefined) => void
}) => (
  <input
    className="field"
    type="number"
    step="any"
    min={definition?.min ?? undefined}
    max={definition?.max ?? undefined}
    aria-label={`Value of ${name}`}
    placeholder={
      definition?.min != null && definition.max != null
        ? `${showScore(definition.min)} to ${showScore(definition.max)}`
        : 'a number'
    }
    value={value ?? ''}
    onChange={(event) =>
      onChange(event.target.value === '' ? undefined : Number(event.target.value), undefined)
    }
  />
)

/** Returns the label of a value if the definition has one. */
export const labelOf = (
  definition: Definition | undefined,
  { value, label }: { value: number; label: string },
): string | undefined => (definition?.labels.some((one) => one.value === value) ? label : undefined)
