import { useState } from 'react'
import type { ScoreDirection, ScoreKind } from '../../../../generated/schema.js'
import { DefinitionsDocument, SetDefinitionDocument } from '../../../generated/operations.js'
import { read, useChange } from '../../data/use-data.js'
import type { Definition } from '../../scoring/value-control.js'
import { Field } from '../../ui/field.js'
import { FormDialog } from '../../ui/forms/form-dialog.js'
import { useOwnChanges } from '../../ui/forms/own-changes.js'

export const BETTER: Record<ScoreDirection, string> = {
  HIGHER: 'higher is better',
  LOWER: 'lower is better',
  NONE: 'neither',
}

export const KINDS: Record<ScoreKind, string> = {
  NUMBER: 'a number',
  BOOLEAN: 'true or false',
  CATEGORY: 'a category',
}

type Parts = Omit<Definition, 'name'>

/** The parts of a definition, as people know them. */
const TITLES: Readonly<Record<keyof Parts, string>> = {
  kind: 'Kind',
  min: 'Lowest',
  max: 'Highest',
  better: 'Direction',
  description: 'Question',
  labels: 'Labels',
  isEnforced: 'Rejection',
}

/** Returns the parts of a definition; of a new one those that it begins with. */
const partsOf = (definition: Parts | undefined): Parts => ({
  kind: definition?.kind ?? 'NUMBER',
  min: definition?.min ?? null,
  max: definition?.max ?? null,
  better: definition?.better ?? 'HIGHER',
  description: definition?.description ?? null,
  labels: definition?.labels.map(({ value, label }) => ({ value, label })) ?? [],
  isEnforced: definition?.isEnforced ?? false,
})

/** A dialog, so that a half-typed definition is never replaced by that of another row. */
export const DefinitionForm = ({
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
  const own = useOwnChanges(partsOf(definition), TITLES)
  const save = async () => {
    const mine = {
      description: description || null,
      kind,
      min: !isNumber || min === '' ? null : Number(min),
      max: !isNumber || max === '' ? null : Number(max),
      labels: kind === 'CATEGORY' ? readLabels(labels) : [],
      better,
      isEnforced,
    }
    const { scoreDefinitions } = await read(DefinitionsDocument, {})
    const stored = scoreDefinitions.find((one) => one.name === name)
    if (definition === undefined && stored !== undefined)
      throw new Error('name: a score of this name is defined already; edit it in the table')
    if (stored === undefined) await set({ name, ...mine })
    else await set({ ...partsOf(stored), ...own.changes(mine, partsOf(stored)), name })
    onSaved()
  }
  return (
    <FormDialog
      title={definition === undefined ? 'Define a score' : 'Change the definition'}
      send="Save"
      onClose={onClose}
      onSend={save}
    >
      <div className="form-grid">
        <Field name="name" label="Name">
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
            <Field name="min" label="Lowest">
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
            <Field name="max" label="Highest">
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
      <Field name="description" label="Question that the score answers">
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
        <Field name="labels" label="Labels, one per line: a value and a label">
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
