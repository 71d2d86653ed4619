import { useState } from 'react'
import { fromLocal, toLocal } from '../../format/local-time.js'
import { zone } from '../../format/zone.js'
import { Field } from '../../ui/field.js'
import { FormDialog } from '../../ui/forms/form-dialog.js'

/** Returns the moment of a field. One that was left alone keeps its seconds, and its place in an hour that clocks repeat. */
const momentOf = (text: string, before: Date): Date | undefined =>
  text === toLocal(before) ? before : fromLocal(text)

/** Chooses a range by two moments, with the calendar of the browser. */
export const RangeDialog = ({
  from,
  to,
  onChange,
  onClose,
}: {
  from: Date
  to: Date
  /** Called with the two moments, separated by `..`. */
  onChange: (range: string) => void
  onClose: () => void
}) => {
  const [first, setFirst] = useState(() => toLocal(from))
  const [last, setLast] = useState(() => toLocal(to))
  return (
    <FormDialog
      title="Range of time"
      send="Show"
      onClose={onClose}
      onSend={async () => {
        const [start, end] = [momentOf(first, from), momentOf(last, to)]
        if (start === undefined || end === undefined) throw new Error('Choose two moments.')
        if (start >= end) throw new Error('The end has to come after the start.')
        onChange(`${start.toISOString()}..${end.toISOString()}`)
      }}
    >
      <Field label="From" hint={`Times of ${zone()}`}>
        {(control) => (
          <input
            {...control}
            type="datetime-local"
            required
            value={first}
            onChange={(event) => setFirst(event.target.value)}
          />
        )}
      </Field>
      <Field label="Until">
        {(control) => (
          <input
            {...control}
            type="datetime-local"
            required
            value={last}
            onChange={(event) => setLast(event.target.value)}
          />
        )}
      </Field>
    </FormDialog>
  )
}
