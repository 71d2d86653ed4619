import { useState } from 'react'
import {
  DefinitionsDocument,
  GiveScoreDocument,
  RemoveScoreDocument,
} from '../../../../generated/operations.js'
import { change, useData } from '../../../data/use-data.js'
import { BulkDialog } from '../../../list/bulk/bulk-dialog.js'
import type { Scope } from '../../../list/bulk/scope.js'
import { reviewer } from '../../../scoring/reviewer.js'
import { ValueControl } from '../../../scoring/value-control.js'
import { Field } from '../../../ui/field.js'
import { type Noun, rowsOf } from './words.js'

/** Scores chosen rows, each with the same name and value. */
export const BulkScore = <Row extends { id: string }>({
  scope,
  noun,
  subject,
  onDone,
}: {
  scope: Scope<Row>
  noun: Noun
  subject: 'stepId' | 'threadId'
  onDone: () => void
}) => {
  const [isOpen, setOpen] = useState(false)
  const [name, setName] = useState('')
  const [value, setValue] = useState<number>()
  const [label, setLabel] = useState<string>()
  const definitions = useData(DefinitionsDocument, {}, { pause: !isOpen })
  const known = definitions.data?.scoreDefinitions ?? []
  return (
    <>
      <button type="button" className="button" onClick={() => setOpen(true)}>
        Score…
      </button>
      {isOpen && (
        <BulkDialog
          title="Give a score"
          send="Give the score"
          scope={scope}
          noun={noun}
          past="scored"
          nameOf={({ id }) => id}
          prepare={async () => {
            if (value === undefined) throw new Error('Choose a value.')
            return async ({ id }) => {
              const { createScore } = await change(GiveScoreDocument, {
                [subject]: id,
                name,
                value,
                label: label ?? null,
                scorer: reviewer() || null,
              })
              const given = createScore?.id
              if (given === undefined) throw new Error('The score could not be given.')
              return () => change(RemoveScoreDocument, { id: given })
            }
          }}
          onClose={() => setOpen(false)}
          onDone={onDone}
        >
          <p>{rowsOf(scope as Scope<never>, noun)} get one score more each.</p>
          <Field label="Name of the score">
            {(control) => (
              <input
                {...control}
                required
                list="bulk-score-names"
                value={name}
                onChange={(event) => {
                  setName(event.target.value)
                  // The values of another score may be others.
                  setValue(undefined)
                  setLabel(undefined)
                }}
              />
            )}
          </Field>
          <datalist id="bulk-score-names">
            {known.map((one) => (
              <option key={one.name} value={one.name} />
            ))}
          </datalist>
          <ValueControl
            name={name}
            definition={known.find((one) => one.name === name)}
            value={value}
            onChange={(next, word) => {
              setValue(next)
              setLabel(word)
            }}
          />
        </BulkDialog>
      )}
    </>
  )
}
