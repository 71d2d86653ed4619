import './values.css'
import { useMemo, useState } from 'react'
import { bytes } from '../format/number.js'
import { browserStore } from '../format/store.js'
import { visible } from '../format/text.js'
import { Icon } from '../ui/icons.js'
import { useCopy } from '../ui/use-copy.js'
import { Editor } from './lazy-editor.js'
import { Markdown } from './markdown.js'
import { readable, textOf } from './readable.js'

/** Longer texts are shown in an editor, which mounts only the visible lines. */
const MAX_PLAIN_LENGTH = 10_000
const MAX_MARKDOWN_LENGTH = 100_000

type Form = 'text' | 'readable' | 'raw'
const FORMS: Record<Form, string> = { text: 'Text', readable: 'Readable', raw: 'Raw' }

/** Shows a recorded value as text, in readable form, or as the JSON that was sent. */
export const ValueView = ({
  title,
  value,
  hint,
  level = 3,
}: {
  title: string
  value: unknown
  hint?: string
  /** The level of its heading: 2 right below the title of a page. */
  level?: 2 | 3
}) => {
  const Heading = `h${level}` as const
  const text = textOf(value)
  const key = `form ${title}`
  const [chosen, setChosen] = useState<Form | null>(browserStore.get(key) as Form | null)
  const forms: Form[] = text === undefined ? ['readable', 'raw'] : ['text', 'readable', 'raw']
  const form = chosen !== null && forms.includes(chosen) ? chosen : (forms[0] as Form)
  const [isCopied, setCopied] = useState(false)
  const copy = useCopy()
  return (
    <section aria-label={title}>
      <div className="value-head">
        <Heading>
          {title}
          {hint !== undefined && <span className="quiet"> {hint}</span>}
        </Heading>
        {forms.map((one) => (
          <button
            type="button"
            key={one}
            className="button plain small"
            aria-label={`${FORMS[one]}: ${title}`}
            aria-pressed={form === one}
            onClick={() => {
              browserStore.set(key, one)
              setChosen(one)
            }}
          >
            {FORMS[one]}
          </button>
        ))}
        <button
          type="button"
          className="button plain small"
          aria-label={isCopied ? 'Copied' : `Copy ${title}`}
          onClick={async () => {
            const done = await copy(
              form === 'text' && text !== undefined ? text : JSON.stringify(value, null, 2),
            )
            setCopied(done)
          }}
        >
          <Icon name={isCopied ? 'review' : 'copy'} />
        </button>
      </div>
      <ValueBody value={value} text={text} form={form} title={title} />
    </section>
  )
}

const ValueBody = ({
  value,
  text,
  form,
  title,
}: {
  value: unknown
  text: string | undefined
  form: Form
  title: string
}) => {
  const shown = useMemo(() => {
    if (form === 'text') return text ?? ''
    return form === 'raw' ? JSON.stringify(value, null, 2) : readable(value)
  }, [form, text, value])
  if (form === 'text' && shown.length <= MAX_MARKDOWN_LENGTH)
    return (
      <div className="value prose">
        <Markdown text={shown} />
      </div>
    )
  if (shown.length <= MAX_PLAIN_LENGTH)
    return (
      <pre className="value" dir="auto" tabIndex={0}>
        {visible(shown)}
      </pre>
    )
  return (
    <>
      <p className="quiet">{bytes(shown.length)}; Ctrl F finds in it</p>
      <Editor text={shown} isJson={form === 'raw'} label={title} />
    </>
  )
}
