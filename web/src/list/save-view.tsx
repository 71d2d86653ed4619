import { useState } from 'react'
import { Field } from '../ui/field.js'
import { FormDialog } from '../ui/forms/form-dialog.js'

/** Asks for the name of a view. */
export const SaveView = ({
  name: before,
  onSave,
  onClose,
}: {
  /** Empty for a new view. */
  name: string
  onSave: (name: string) => Promise<void>
  onClose: () => void
}) => {
  const [name, setName] = useState(before)
  return (
    <FormDialog
      title={before === '' ? 'Save as a view' : 'Rename the view'}
      send="Save"
      onSend={() => onSave(name.trim())}
      onClose={onClose}
    >
      <Field name="name" label="Name" hint="Everyone in the project sees it.">
        {(control) => (
          <input
            {...control}
            // biome-ignore lint/a11y/noAutofocus: the only field
            autoFocus
            required
            maxLength={200}
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        )}
      </Field>
    </FormDialog>
  )
}
