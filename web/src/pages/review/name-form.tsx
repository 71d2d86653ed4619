import { useState } from 'react'
import { setReviewer } from '../../scoring/reviewer.js'
import { Top } from '../../ui/top.js'

/** Who judges is asked once. */
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
        <label className="labelled">
          Your name, which is stored with the scores that you give
          <input
            className="field"
            required
            // biome-ignore lint/a11y/noAutofocus: the only thing to say
            autoFocus
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        </label>
        <button type="submit" className="button primary">
          Begin
        </button>
      </form>
    </>
  )
}
