import { useState } from 'react'
import {
  DefinitionsDocument,
  FacetsDocument,
  GiveScoreDocument,
} from '../../generated/operations.js'
import { useChange, useData } from '../data/use-data.js'
import { Field } from '../ui/field.js'
import { FormDialog } from '../ui/form-dialog.js'
import { reviewer, setReviewer } from './reviewer.js'
import { ValueControl } from './value-control.js'

/** The subject of a score: a step, or a thread as a whole. */
export type Judged = { stepId: string } | { threadId: string }

/** Scores a step or a thread. */
export const ScoreDialog = ({
  judged,
  onClose,
  onDone,
}: {
  judged: Judged
  onClose: () => void
  onDone: () => void
}) => {
  const [name, setName] = useState('')
  const [value, setValue] = useState<number>()
  const [label, setLabel] = useState<string>()
  const [comment, setComment] = useState('')
  const [scorer, setScorer] = useState(reviewer())
  const definitions = useData(DefinitionsDocument, {})
  const names = useData(FacetsDocument, { field: 'score', prefix: '' })
  const give = useChange(GiveScoreDocument)
  const known = [
    ...new Set([
      ...(definitions.data?.scoreDefinitions.map((one) => one.name) ?? []),
      ...(names.data?.facets.map((one) => one.value) ?? []),
    ]),
  ]
  const definition = definitions.data?.scoreDefinitions.find((one) => one.name === name)
  const submit = async () => {
    if (value === undefined) throw new Error('Choose a value.')
    setReviewer(scorer)
    await give({
      ...judged,
      name,
      value,
      label: label ?? null,
      comment: comment || null,
      scorer: scorer || null,
    })
    onDone()
    onClose()
  }
  return (
    <FormDialog
      title={'stepId' in judged ? 'Score the step' : 'Score the thread'}
      send="Give the score"
      onClose={onClose}
      onSend={submit}
    >
      <Field label="Name of the score" hint={definition?.description}>
        {(control) => (
          <input
            {...control}
            required
            // biome-ignore lint/a11y/noAutofocus: the dialog's first field
            autoFocus
            list="score-names"
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
      <datalist id="score-names">
        {known.map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
      <ValueControl
        name={name}
        definition={definition}
        value={value}
        onChange={(next, word) => {
          setValue(next)
          setLabel(word)
        }}
      />
      <Field label="Why">
        {(control) => (
          <textarea
            {...control}
            rows={3}
            value={comment}
            onChange={(event) => setComment(event.target.value)}
          />
        )}
      </Field>
      <Field label="Your name">
        {(control) => (
          <input
            {...control}
            value={scorer}
            autoComplete="name"
            onChange={(event) => setScorer(event.target.value)}
          />
        )}
      </Field>
    </FormDialog>
  )
}
