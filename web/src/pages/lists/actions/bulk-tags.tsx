import { useState } from 'react'
import { BulkDialog } from '../../../list/bulk/bulk-dialog.js'
import type { Scope } from '../../../list/bulk/scope.js'
import { readTags, retag, type StoredTags } from '../../../list/bulk/tags.js'
import { Field } from '../../../ui/field.js'
import { type Noun, rowsOf } from './words.js'

/** Adds tags to chosen rows, or removes them. */
export const BulkTags = <Row extends { id: string }>({
  scope,
  noun,
  stored,
  onDone,
}: {
  scope: Scope<Row>
  noun: Noun
  stored: StoredTags
  onDone: () => void
}) => {
  const [isOpen, setOpen] = useState(false)
  const [mode, setMode] = useState<'add' | 'remove'>('add')
  const [text, setText] = useState('')
  return (
    <>
      <button type="button" className="button" onClick={() => setOpen(true)}>
        Tags…
      </button>
      {isOpen && (
        <BulkDialog
          title="Change tags"
          send={mode === 'add' ? 'Add the tags' : 'Remove the tags'}
          scope={scope}
          noun={noun}
          past="tagged"
          nameOf={({ id }) => id}
          prepare={async () => {
            const given = readTags(text)
            if (given.length === 0) throw new Error('Name a tag.')
            return ({ id }) => retag(stored, id, given, mode)
          }}
          onClose={() => setOpen(false)}
          onDone={onDone}
        >
          <p>{rowsOf(scope as Scope<never>, noun)}. Their other tags stay.</p>
          <Field label="Change">
            {(control) => (
              <select
                {...control}
                value={mode}
                onChange={(event) => setMode(event.target.value as 'add' | 'remove')}
              >
                <option value="add">add</option>
                <option value="remove">remove</option>
              </select>
            )}
          </Field>
          <Field label="Tags" hint="With commas between them.">
            {(control) => (
              <input
                {...control}
                required
                value={text}
                onChange={(event) => setText(event.target.value)}
              />
            )}
          </Field>
        </BulkDialog>
      )}
    </>
  )
}
