import { useState } from 'react'
import { DefinitionsDocument } from '../../generated/operations.js'
import { useMayWrite } from '../data/project.js'
import { useData } from '../data/use-data.js'
import { line } from '../format/text.js'
import { Field } from '../ui/field.js'
import { FormDialog } from '../ui/forms/form-dialog.js'
import { Icon } from '../ui/icons.js'
import { type ChangeableScore, useScore } from './use-score.js'
import { ValueControl } from './value-control.js'

/** Changes or deletes a score where it is listed. Shows nothing to keys that may only read. */
export const EditScore = ({ score }: { score: ChangeableScore }) => {
  const [isOpen, setOpen] = useState(false)
  if (!useMayWrite()) return null
  return (
    <>
      <button
        type="button"
        className="button plain small"
        aria-label={`Edit ${line(score.name, 40)}`}
        onClick={() => setOpen(true)}
      >
        <Icon name="more" />
      </button>
      {isOpen && <EditScoreDialog score={score} onClose={() => setOpen(false)} />}
    </>
  )
}

const EditScoreDialog = ({
  score: given,
  onClose,
}: {
  score: ChangeableScore
  onClose: () => void
}) => {
  const [score] = useState(given)
  const [value, setValue] = useState<number | undefined>(score.value)
  const [label, setLabel] = useState<string>()
  const [comment, setComment] = useState(score.comment ?? '')
  const definitions = useData(DefinitionsDocument, {})
  const { change, remove } = useScore(score)
  return (
    <FormDialog
      title={`The score ${line(score.name, 40)}`}
      send="Save"
      onClose={onClose}
      onSend={async () => {
        if (value === undefined) throw new Error('Choose a value.')
        await change({ value, label, comment })
      }}
    >
      <ValueControl
        name={score.name}
        definition={definitions.data?.scoreDefinitions.find(({ name }) => name === score.name)}
        value={value}
        onChange={(next, word) => {
          setValue(next)
          setLabel(word)
        }}
      />
      <Field name="comment" label="Why">
        {(control) => (
          <textarea
            {...control}
            rows={3}
            value={comment}
            onChange={(event) => setComment(event.target.value)}
          />
        )}
      </Field>
      <button
        type="button"
        className="button danger"
        style={{ alignSelf: 'start' }}
        onClick={async () => {
          onClose()
          await remove()
        }}
      >
        Delete
      </button>
    </FormDialog>
  )
}
