import { type RefObject, useEffect, useId, useRef, useState } from 'react'
import { FacetsDocument } from '../../generated/operations.js'
import { useFocusInside, useFocusOfOpener } from '../browser/kept-focus.js'
import { useData } from '../data/use-data.js'
import { line } from '../format/text.js'
import { Icon } from '../ui/icons.js'
import type { ShownField, ShownLanguage } from './fields.js'
import {
  type Condition as AnyCondition,
  type Node as AnyNode,
  isGroup,
  isInstant,
  parseFilter,
  type Sign,
  showFilter,
  signsOf,
} from './language.js'
import { WORDS } from './suggest.js'

type Condition = AnyCondition<ShownField>
type Entry = AnyNode<ShownField>

/** Edits a filter as rows of fields; writes the text of the language. */
export const Builder = ({
  language,
  text,
  opener,
  onChange,
  onClose,
}: {
  language: ShownLanguage
  text: string
  /** The button that opened it. */
  opener: RefObject<HTMLElement | null>
  onChange: (text: string) => void
  onClose: () => void
}) => {
  const box = useRef<HTMLDivElement>(null)
  useFocusInside(box)
  useFocusOfOpener(box, opener)
  const { fields } = language
  const { nodes } = parseFilter(text, language)
  const [draft, setDraft] = useState<Entry[]>(
    nodes.length > 0 ? nodes : [emptyOf(fields[0] as ShownField)],
  )
  useEffect(() => {
    const close = (event: PointerEvent) => {
      if (!box.current?.parentElement?.contains(event.target as Node)) onClose()
    }
    document.addEventListener('pointerdown', close)
    return () => document.removeEventListener('pointerdown', close)
  }, [onClose])
  const change = (next: Entry[]) => {
    setDraft(next)
    onChange(showFilter(next.filter(isWhole)))
  }
  const put = (index: number, condition: Condition) =>
    change(draft.map((one, place) => (place === index ? condition : one)))
  return (
    <div
      className="builder"
      ref={box}
      role="group"
      aria-label="Conditions"
      onKeyDown={(event) => event.key === 'Escape' && onClose()}
    >
      {draft.map((condition, index) => {
        const remove = () => change(draft.filter((_, place) => place !== index))
        return isGroup(condition) ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: conditions have no ids
          <GroupRow key={index} node={condition} onRemove={remove} />
        ) : (
          <Row
            // biome-ignore lint/suspicious/noArrayIndexKey: conditions have no ids
            key={index}
            fields={fields}
            condition={condition}
            onChange={(next) => put(index, next)}
            onRemove={remove}
          />
        )
      })}
      <div className="row">
        <button
          type="button"
          className="button small"
          onClick={() => setDraft([...draft, emptyOf(fields[0] as ShownField)])}
        >
          <Icon name="plus" /> condition
        </button>
        <span className="grow quiet">All of them must hold.</span>
        <button type="button" className="button small" onClick={onClose}>
          Done
        </button>
      </div>
    </div>
  )
}

const emptyOf = (field: ShownField): Condition => ({
  field,
  path: undefined,
  sign: signsOf(field)[0] ?? '=',
  values: [''],
})

const isWhole = (node: Entry): boolean => {
  if (isGroup(node) || node.values === null) return true
  const { values, field, sign } = node
  if (!values.some((value) => value !== '')) return false
  if (sign === '~' || sign === '!~') return true
  return values.every((value) =>
    field.kind === 'number'
      ? Number.isFinite(Number(value)) && value !== ''
      : field.kind !== 'instant' || isInstant(value),
  )
}

/** Shows conditions that the rows of fields have no form for. */
const GroupRow = ({ node, onRemove }: { node: Entry; onRemove: () => void }) => (
  <div className="condition">
    <span className="mono group">{showFilter([node])}</span>
    <button
      type="button"
      className="button plain"
      aria-label="Remove the condition"
      onClick={onRemove}
    >
      <Icon name="close" />
    </button>
  </div>
)

const Row = ({
  fields,
  condition,
  onChange,
  onRemove,
}: {
  fields: readonly ShownField[]
  condition: Condition
  onChange: (condition: Condition) => void
  onRemove: () => void
}) => {
  const { field, path, sign, values } = condition
  const listId = useId()
  const facets = useData(
    FacetsDocument,
    { field: field.facet ?? 'name', prefix: '' },
    { pause: field.facet === undefined },
  )
  const choices =
    field.values ??
    (field.facet === undefined ? [] : (facets.data?.facets.map(({ value }) => value) ?? []))
  const isListed = sign === ':' || sign === '!:'
  return (
    <div className="condition">
      <select
        className="field"
        aria-label="Field"
        value={field.name}
        onChange={(event) => {
          const next = fields.find(({ name }) => name === event.target.value)
          if (next !== undefined) onChange(emptyOf(next))
        }}
      >
        {fields.map(({ name, title }) => (
          <option key={name} value={name}>
            {title}
          </option>
        ))}
      </select>
      {field.hasPath ? (
        <input
          className="field"
          aria-label="Path"
          placeholder={field.kind === 'json' ? 'key' : 'name'}
          value={path ?? ''}
          onChange={(event) => onChange({ ...condition, path: event.target.value || undefined })}
        />
      ) : (
        <span />
      )}
      <select
        className="field"
        aria-label="Operator"
        value={values === null ? (sign === ':' ? 'none' : 'any') : sign}
        onChange={(event) => {
          const { value } = event.target
          onChange(
            value === 'none' || value === 'any'
              ? { ...condition, sign: value === 'none' ? ':' : '!:', values: null }
              : { ...condition, sign: value as Sign, values: values ?? [''] },
          )
        }}
      >
        {signsOf(field)
          .filter((one) => field.kind === 'list' || (one !== ':' && one !== '!:'))
          .map((one) => (
            <option key={one} value={one}>
              {WORDS[one]}
            </option>
          ))}
        {field.isNullable && (
          <>
            <option value="none">is missing</option>
            <option value="any">is there</option>
          </>
        )}
      </select>
      {values === null ? (
        <span className="value" />
      ) : (
        <>
          <input
            className="field value"
            aria-label="Value"
            list={choices.length > 0 ? listId : undefined}
            value={isListed ? values.join(',') : (values[0] ?? '')}
            onChange={(event) =>
              onChange({
                ...condition,
                values: isListed ? event.target.value.split(',') : [event.target.value],
              })
            }
          />
          <datalist id={listId}>
            {choices.map((choice) => (
              <option key={choice} value={choice}>
                {line(choice, 60)}
              </option>
            ))}
          </datalist>
        </>
      )}
      <button
        type="button"
        className="button plain"
        aria-label="Remove the condition"
        onClick={onRemove}
      >
        <Icon name="close" />
      </button>
    </div>
  )
}
