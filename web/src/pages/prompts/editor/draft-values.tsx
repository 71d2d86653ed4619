import { Field } from '../../../ui/field.js'
import { Editor } from '../../../values/lazy-editor.js'
import type { Draft } from '../new-version/draft.js'
import { NUMBERS, readSettings, withNumber } from '../new-version/settings.js'

/** Edits the settings and the tools of a draft, which are JSON. */
export const DraftValues = ({
  draft,
  onChange,
}: {
  draft: Draft
  onChange: (draft: Draft) => void
}) => (
  <>
    <h2>Settings</h2>
    <Numbers text={draft.settings} onChange={(settings) => onChange({ ...draft, settings })} />
    <Editor
      className="editor short"
      label="Settings"
      text={draft.settings}
      onChange={(settings) => onChange({ ...draft, settings })}
    />
    <h2>Tools</h2>
    <Editor
      className="editor short"
      label="Tools"
      text={draft.tools}
      onChange={(tools) => onChange({ ...draft, tools })}
    />
  </>
)

/** Fields of the settings that most calls have; they change the same text. */
const Numbers = ({ text, onChange }: { text: string; onChange: (text: string) => void }) => {
  const settings = readSettings(text)
  return (
    <div className="form-grid">
      {NUMBERS.map(({ name, title, step }) => (
        <Field key={name} label={title}>
          {(control) => (
            <input
              {...control}
              type="number"
              min={0}
              step={step}
              disabled={settings === undefined}
              value={typeof settings?.[name] === 'number' ? settings[name] : ''}
              onChange={({ target }) =>
                onChange(
                  withNumber(text, name, target.value === '' ? undefined : target.valueAsNumber),
                )
              }
            />
          )}
        </Field>
      ))}
    </div>
  )
}
