import { useState } from 'react'
import { setReviewer } from '../../scoring/reviewer.js'
import { Field } from '../../ui/field.js'
import { Top } from '../../ui/top.js'

/** Asks once for the name of the reviewer. */
export const NameForm = ({ onNamed }: { onNamed: (name: string) => void }) => {
  const [name, setName] = useState('')
  return (
    <>
      <Top title="Review" />
      <form
        className="empty"
        onSubmit={(event) => {
          event.preventDefault()
          setReviewer(name)
          onNamed(name.trim())
        }}
      >
        <Field label="Your name, stored with your scores">
          {(control) => (
            <input
              {...control}
              required
              // biome-ignore lint/a11y/noAutofocus: the only field
              autoFocus
              value={name}
              onChange={(event) => setName(event.target.value)}
            />
          )}
        </Field>
        <button type="submit" className="button primary">
          Begin
        </button>
      </form>
    </>
  )
}
