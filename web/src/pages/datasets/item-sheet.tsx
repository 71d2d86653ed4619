import { useState } from 'react'
import { Link } from 'wouter'
import {
  ChangeItemDocument,
  NewItemDocument,
  RemoveItemDocument,
  StoredItemDocument,
} from '../../../generated/operations.js'
import { segment } from '../../address/segment.js'
import { useMayWrite } from '../../data/project.js'
import { read, useChange } from '../../data/use-data.js'
import { ConfirmButton } from '../../ui/confirm-button.js'
import { Dialog } from '../../ui/dialog.js'
import { FailureNote } from '../../ui/failure.js'
import { Form, SendButton } from '../../ui/forms/form.js'
import { useOwnChanges } from '../../ui/forms/own-changes.js'
import { Editor } from '../../values/lazy-editor.js'
import { Messages, MessageView } from '../../values/messages.js'

export interface Item {
  id: string
  input: unknown
  expectedOutput: unknown
  metadata: unknown
  stepId: string | null
}

const PARTS = { input: 'Input', expectedOutput: 'Expected output', metadata: 'Metadata' } as const
type Part = keyof typeof PARTS

const mistakeIn = (text: string, isOptional: boolean): string | undefined => {
  if (isOptional && text.trim() === '') return undefined
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? undefined
      : isOptional && value === null
        ? undefined
        : 'expected an object'
  } catch (error) {
    return (error as Error).message
  }
}

/** Returns the messages of an input that is a conversation. */
const messagesOf = (input: unknown): readonly unknown[] | undefined => {
  const messages = (input as { messages?: unknown } | null | undefined)?.messages
  return Array.isArray(messages) && messages.length > 0 ? messages : undefined
}

/** Returns the parts of an item as the sheet shows them. */
const textsOf = (item: Omit<Item, 'id' | 'stepId'> | undefined): Record<Part, string> => ({
  input: JSON.stringify(item?.input ?? {}, null, 2),
  expectedOutput: item?.expectedOutput == null ? '' : JSON.stringify(item.expectedOutput, null, 2),
  metadata: JSON.stringify(item?.metadata ?? {}, null, 2),
})

/** Shows and edits an item: JSON that is checked while it is typed. */
export const ItemSheet = ({
  datasetId,
  item,
  onClose,
  onDone,
}: {
  datasetId: string
  /** Undefined for a new one. */
  item: Item | undefined
  onClose: () => void
  onDone: (what: string) => void
}) => {
  const [texts, setTexts] = useState(() => textsOf(item))
  const own = useOwnChanges(texts, PARTS)
  const [problem, setProblem] = useState<Error>()
  const create = useChange(NewItemDocument)
  const change = useChange(ChangeItemDocument)
  const remove = useChange(RemoveItemDocument)
  const mayWrite = useMayWrite()
  const mistakes = Object.fromEntries(
    (Object.keys(PARTS) as Part[]).map((part) => [part, mistakeIn(texts[part], part !== 'input')]),
  ) as Record<Part, string | undefined>
  const messages = messagesOf(item?.input)
  const [isJson, setJson] = useState(messages === undefined)
  const shownParts = isJson ? (Object.keys(PARTS) as Part[]) : []
  const isWrong = Object.values(mistakes).some((mistake) => mistake !== undefined)
  const end = (what: string, isThere: () => boolean) => {
    onDone(what)
    // Another item may be open by then.
    if (isThere()) onClose()
  }
  const erase = async (id: string, isThere: () => boolean) => {
    try {
      // A toast would lie behind the dialog.
      setProblem(undefined)
      await remove({ id })
      end('The item is deleted.', isThere)
    } catch (error) {
      if (!isThere()) throw error
      setProblem(error as Error)
    }
  }
  const save = async (isThere: () => boolean) => {
    const values = {
      input: JSON.parse(texts.input),
      expectedOutput: texts.expectedOutput.trim() === '' ? null : JSON.parse(texts.expectedOutput),
      metadata: texts.metadata.trim() === '' ? {} : JSON.parse(texts.metadata),
    }
    if (item === undefined) {
      await create({ datasetId, ...values })
      return end('The item is added.', isThere)
    }
    const { datasetItem } = await read(StoredItemDocument, { id: item.id })
    // Untouched parts are not sent: they may have changed elsewhere, or hold numbers that JavaScript can't.
    const changed = own.changes(texts, datasetItem == null ? undefined : textsOf(datasetItem))
    const changes = Object.fromEntries(Object.entries(values).filter(([part]) => part in changed))
    await change({ id: item.id, ...changes })
    end('The item is changed.', isThere)
  }
  return (
    <Dialog title={item === undefined ? 'New item' : 'Item'} onClose={onClose} className="sheet">
      <Form
        className="column"
        onSend={save}
        buttons={
          <>
            <FailureNote error={problem} />
            {mayWrite && (
              <div className="row">
                <SendButton label="Save" isDisabled={isWrong} />
                <span className="grow" />
                {item !== undefined && (
                  <ConfirmButton
                    label="Delete…"
                    confirmLabel="Delete it for good"
                    onConfirm={(isThere) => erase(item.id, isThere)}
                  />
                )}
              </div>
            )}
          </>
        }
      >
        {item !== undefined && (
          <p>
            <Link href={`/datasets/${segment(datasetId)}/items/${segment(item.id)}`}>
              Its results in all experiments
            </Link>
          </p>
        )}
        {item?.stepId != null && (
          <p>
            <Link href={`/steps/${segment(item.stepId)}`}>The run that it came from</Link>
          </p>
        )}
        {messages !== undefined && (
          <>
            <section aria-label="Conversation">
              <h2>Conversation</h2>
              <Messages messages={messages} />
            </section>
            {item?.expectedOutput != null && (
              <section aria-label="Expected answer">
                <h2>Expected answer</h2>
                <MessageView message={item.expectedOutput} />
              </section>
            )}
            <div>
              <button
                type="button"
                className="button"
                aria-expanded={isJson}
                onClick={() => setJson(!isJson)}
              >
                {isJson ? 'Hide the JSON' : 'Show and edit as JSON'}
              </button>
            </div>
          </>
        )}
        {shownParts.map((part) => (
          <section key={part}>
            <h2>{PARTS[part]}</h2>
            <Editor
              className="editor short"
              label={PARTS[part]}
              text={texts[part]}
              onChange={
                mayWrite ? (text) => setTexts((all) => ({ ...all, [part]: text })) : undefined
              }
            />
            {mistakes[part] !== undefined && <p className="bad">{mistakes[part]}</p>}
          </section>
        ))}
      </Form>
    </Dialog>
  )
}
