import { useRef } from 'react'
import { useFocusInside } from '../../../browser/kept-focus.js'
import { line } from '../../../format/text.js'
import { Icon } from '../../../ui/icons.js'
import { loadedPart } from '../../../ui/loading/part-loader.js'
import type { Draft } from '../new-version/draft.js'
import { namesIn } from '../template.js'

const TemplateEditor = loadedPart(
  async () => (await import('./template-editor.js')).TemplateEditor,
  () => <div className="editor template" />,
)

const ROLES = ['system', 'user', 'assistant', 'tool']

/** Edits the messages of a draft. */
export const DraftMessages = ({
  draft,
  names = [],
  onChange,
}: {
  draft: Draft
  /** Variables to offer besides those of the messages. */
  names?: readonly string[]
  onChange: (draft: Draft) => void
}) => {
  const box = useRef<HTMLDivElement>(null)
  useFocusInside(box)
  const offered = [...new Set([...namesIn(draft.messages.map(({ content }) => content)), ...names])]
  const set = (index: number, change: Partial<Draft['messages'][number]>) =>
    onChange({
      ...draft,
      messages: draft.messages.map((one, place) => (place === index ? { ...one, ...change } : one)),
    })
  return (
    <div ref={box} style={{ display: 'contents' }}>
      {draft.messages.map((message, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: messages have no ids
        <div className="panel column" key={index} style={{ padding: 8 }}>
          <div className="row">
            <select
              className="field"
              aria-label={`Role of message ${index + 1}`}
              value={message.role}
              onChange={(event) => set(index, { role: event.target.value })}
            >
              {[...new Set([...ROLES, message.role])].map((role) => (
                <option key={role} value={role}>
                  {line(role, 60)}
                </option>
              ))}
            </select>
            <span className="grow" />
            <button
              type="button"
              className="button plain small"
              aria-label={`Remove message ${index + 1}`}
              disabled={draft.messages.length === 1}
              onClick={() =>
                onChange({
                  ...draft,
                  messages: draft.messages.filter((_, place) => place !== index),
                })
              }
            >
              <Icon name="close" />
            </button>
          </div>
          <TemplateEditor
            label={`Message ${index + 1}`}
            text={message.content}
            names={offered}
            onChange={(content) => set(index, { content })}
          />
        </div>
      ))}
      <div>
        <button
          type="button"
          className="button"
          onClick={() =>
            onChange({ ...draft, messages: [...draft.messages, { role: 'user', content: '' }] })
          }
        >
          <Icon name="plus" /> message
        </button>
      </div>
    </div>
  )
}
