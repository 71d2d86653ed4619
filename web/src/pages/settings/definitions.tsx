import { Fragment, type ReactNode, useState } from 'react'
import type { ScoreDirection, ScoreKind } from '../../../../generated/schema.js'
import {
  DefinitionsDocument,
  FacetsDocument,
  RemoveDefinitionDocument,
  SetDefinitionDocument,
} from '../../../generated/operations.js'
import { useMayWrite } from '../../data/project.js'
import { useChange, useData } from '../../data/use-data.js'
import { score as showScore } from '../../format/number.js'
import { visible } from '../../format/text.js'
import type { Definition } from '../../scoring/value-control.js'
import { Label } from '../../table/cells.js'
import { ConfirmButton } from '../../ui/confirm-button.js'
import { Field } from '../../ui/field.js'
import { FormDialog } from '../../ui/forms/form-dialog.js'
import { ProblemView } from '../../ui/problem-view.js'

const BETTER: Record<ScoreDirection, string> = {
  HIGHER: 'higher is better',
  LOWER: 'lower is better',
  NONE: 'neither',
}

const KINDS: Record<ScoreKind, string> = {
  NUMBER: 'a number',
  BOOLEAN: 'true or false',
  CATEGORY: 'a category',
}

/** The meaning of scores: their kind and values, the good direction, and whether others are rejected. */
export const DefinitionsSection = () => {
  const definitions = useData(DefinitionsDocument, {})
  const names = useData(FacetsDocument, { field: 'score', prefix: '' })
  const mayWrite = useMayWrite()
  const remove = useChange(RemoveDefinitionDocument)
  const [edited, setEdited] = useState<Definition | 'new' | null>(null)
  const known = definitions.data?.scoreDefinitions ?? []
  const open = names.data?.facets.filter(({ value }) => !known.some(({ name }) => name === value))
  return (
    <div className="column" style={{ maxWidth: 860, gap: 12 }}>
      {definitions.problem !== undefined && (
        <ProblemView problem={definitions.problem} retry={definitions.refresh} />
      )}
      <table
        className="table stacks"
        aria-label="Score definitions"
        style={{ tableLayout: 'auto' }}
        // Heads without rows say nothing, and narrow pages have no room for them.
        hidden={known.length === 0}
      >
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Kind</th>
            <th scope="col">Values</th>
            <th scope="col">Direction</th>
            <th scope="col">Others</th>
            <th scope="col" style={{ width: 150 }}>
              <span className="visually-hidden">Change</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {known.map((definition) => (
            <tr key={definition.name}>
              <td className="main-cell">
                <bdi>{visible(definition.name)}</bdi>
              </td>
              <td>{KINDS[definition.kind]}</td>
              <td style={{ whiteSpace: 'normal' }}>{valuesOf(definition)}</td>
              <td>{BETTER[definition.better]}</td>
              <td>
                <Label>others</Label>
                {definition.isEnforced ? 'rejected' : 'stored too'}
              </td>
              <td className="right">
                {mayWrite && (
                  <>
                    <button
                      type="button"
                      className="button small"
                      onClick={() => setEdited(definition)}
                    >
                      Edit
                    </button>{' '}
                    <ConfirmButton
                      className="small"
                      label="Remove"
                      confirmLabel="Remove it?"
                      onConfirm={async () => {
                        await remove({ name: definition.name })
                        definitions.refresh()
                      }}
                    />
                  </>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {open !== undefined && open.length > 0 && (
        <p className="soft">
          Used without a definition: {open.map(({ value }) => visible(value)).join(', ')}.
        </p>
      )}
      {mayWrite && (
        <div>
          <button type="button" className="button" onClick={() => setEdited('new')}>
            Define a score
          </button>
        </div>
      )}
      {edited !== null && (
        <DefinitionForm
          definition={edited === 'new' ? undefined : edited}
          onClose={() => setEdited(null)}
          onSaved={definitions.refresh}
        />
      )}
    </div>
  )
}

const valuesOf = ({ labels, min, max }: Definition): ReactNode => {
  if (labels.length > 0)
    return labels.map(({ value, label }, at) => (
      <Fragment key={value}>
        {at > 0 && ', '}
        {showScore(value)} <bdi>{visible(label)}</bdi>
      </Fragment>
    ))
  if (min === null && max === null) return '–'
  if (min === null) return `up to ${showScore(max)}`
  return max === null ? `from ${showScore(min)}` : `${showScore(min)} to ${showScore(max)}`
}

/** A dialog, so that a half-typed definition is never replaced by that of another row. */
const DefinitionForm = ({
  definition,
  onClose,
  onSaved,
}: {
  /** Undefined for a new one. */
  definition: Definition | undefined
  onClose: () => void
  onSaved: () => void
}) => {
  const set = useChange(SetDefinitionDocument)
  const [name, setName] = useState(definition?.name ?? '')
  const [description, setDescription] = useState(definition?.description ?? '')
  const [min, setMin] = useState(definition?.min?.toString() ?? '')
  const [max, setMax] = useState(definition?.max?.toString() ?? '')
  const [labels, setLabels] = useState(
    definition?.labels.map(({ value, label }) => `${value} ${label}`).join('\n') ?? '',
  )
  const [better, setBetter] = useState<ScoreDirection>(definition?.better ?? 'HIGHER')
  const [kind, setKind] = useState<ScoreKind>(definition?.kind ?? 'NUMBER')
  const [isEnforced, setEnforced] = useState(definition?.isEnforced ?? false)
  const isNumber = kind === 'NUMBER'
  const save = async (isOpen: () => boolean) => {
    await set({
      name,
      description: description || null,
      kind,
      min: !isNumber || min === '' ? null : Number(min),
      max: !isNumber || max === '' ? null : Number(max),
      labels: kind === 'CATEGORY' ? readLabels(labels) : [],
      better,
      isEnforced,
    })
    onSaved()
    if (isOpen()) onClose()
  }
  return (
    <FormDialog
      title={definition === undefined ? 'Define a score' : 'Change the definition'}
      send="Save"
      onClose={onClose}
      onSend={save}
    >
      <div className="form-grid">
        <Field label="Name">
          {(control) => (
            <input
              {...control}
              required
              disabled={definition !== undefined}
              value={name}
              onChange={(event) => setName(event.target.value)}
            />
          )}
        </Field>
        <Field label="Kind">
          {(control) => (
            <select
              {...control}
              value={kind}
              onChange={(event) => setKind(event.target.value as ScoreKind)}
            >
              {Object.entries(KINDS).map(([key, title]) => (
                <option key={key} value={key}>
                  {title}
                </option>
              ))}
            </select>
          )}
        </Field>
        {isNumber && (
          <>
            <Field label="Lowest">
              {(control) => (
                <input
                  {...control}
                  type="number"
                  step="any"
                  value={min}
                  onChange={(event) => setMin(event.target.value)}
                />
              )}
            </Field>
            <Field label="Highest">
              {(control) => (
                <input
                  {...control}
                  type="number"
                  step="any"
                  value={max}
                  onChange={(event) => setMax(event.target.value)}
                />
              )}
            </Field>
          </>
        )}
        <Field label="Direction">
          {(control) => (
            <select
              {...control}
              value={better}
              onChange={(event) => setBetter(event.target.value as ScoreDirection)}
            >
              {Object.entries(BETTER).map(([key, title]) => (
                <option key={key} value={key}>
                  {title}
                </option>
              ))}
            </select>
          )}
        </Field>
      </div>
      <Field label="Question that the score answers">
        {(control) => (
          <textarea
            {...control}
            rows={2}
            value={description}
            onChange={(event) => setDescription(event.target.value)}
          />
        )}
      </Field>
      {kind === 'CATEGORY' && (
        <Field label="Labels, one per line: a value and a label">
          {(control) => (
            <textarea
              {...control}
              className="field mono"
              rows={4}
              required
              placeholder={'0 bad\n1 good'}
              value={labels}
              onChange={(event) => setLabels(event.target.value)}
            />
          )}
        </Field>
      )}
      <label className="row">
        <input
          type="checkbox"
          checked={isEnforced}
          onChange={(event) => setEnforced(event.target.checked)}
        />
        Reject scores that do not fit
      </label>
    </FormDialog>
  )
}

/** @throws Error for a line without a value and a word. */
const readLabels = (text: string): { value: number; label: string }[] =>
  text
    .split('\n')
    .map((one) => one.trim())
    .filter((one) => one !== '')
    .map((one) => {
      const [, value, label] = /^([-+]?[\d.]+)\s+(.+)$/.exec(one) ?? []
      if (value === undefined || label === undefined || !Number.isFinite(Number(value)))
        throw new Error(`labels: expected a value and a label, got "${one}"`)
      return { value: Number(value), label }
    })
