import { useMemo, useState } from 'react'
import { Field } from '../../ui/field.js'
import { Messages } from '../../values/messages.js'
import { messagesOf } from './messages-of.js'
import { namesIn, readValue, renderText } from './template.js'

/** Shows a template with its variables filled in, as the model would get it. */
export const Preview = ({
  template,
  defaults,
}: {
  template: unknown
  defaults: Record<string, unknown>
}) => {
  const messages = messagesOf(template)
  const names = useMemo(() => namesIn(messages.map(({ text }) => text)), [messages])
  const [values, setValues] = useState<Record<string, string>>({})
  const valueFor = (name: string): unknown =>
    values[name] === undefined ? defaults[name] : readValue(values[name])
  const missing = names.filter((name) => valueFor(name) === undefined || values[name] === '')
  const rendered = messages.map(({ role, text }) => {
    try {
      return {
        role,
        content: renderText(text, Object.fromEntries(names.map((name) => [name, valueFor(name)]))),
      }
    } catch (error) {
      return { role, content: `${text}\n\n[${(error as Error).message}]` }
    }
  })
  return (
    <div className="column">
      {names.length > 0 && (
        <div className="form-grid">
          {names.map((name) => (
            <Field key={name} label={name}>
              {(control) => (
                <input
                  {...control}
                  placeholder={
                    defaults[name] === undefined ? 'text, or JSON' : JSON.stringify(defaults[name])
                  }
                  value={values[name] ?? ''}
                  onChange={(event) => setValues({ ...values, [name]: event.target.value })}
                />
              )}
            </Field>
          ))}
        </div>
      )}
      {missing.length > 0 && <p className="notice">Without a value: {missing.join(', ')}</p>}
      <Messages messages={rendered} />
    </div>
  )
}
