import { type ReactNode, useEffect, useRef, useState } from 'react'
import { plural } from '../../format/number.js'
import { Dialog } from '../../ui/dialog.js'
import { FormDialog } from '../../ui/forms/form-dialog.js'
import { useToast } from '../../ui/toasts.js'
import { type Outcome, runBulk, type Undo } from './run.js'
import { MAX_ROWS, type Scope } from './scope.js'

/** Failures that are named; more of them would be the same one. */
const MAX_NAMED = 20

interface Progress {
  kind: 'running' | 'ended'
  total: number
  done: number
  failed: { name: string; message: string }[]
  undos: readonly Undo[]
  isUndo: boolean
}

type State = { kind: 'asking'; isReading: boolean } | Progress

/** Applies an action to the rows of a selection: says before what will happen, shows its progress, names what failed. */
export const BulkDialog = <Row,>({
  title,
  send,
  scope,
  noun: [one, many],
  past,
  nameOf,
  prepare,
  onClose,
  onDone,
  children,
}: {
  title: string
  /** The label of its button. */
  send: string
  scope: Scope<Row>
  noun: readonly [one: string, many: string]
  /** The action in the past: `tagged`. */
  past: string
  /** Names a row whose action failed. */
  nameOf: (row: Row) => string
  /** Returns the action, once the form is filled in. */
  // biome-ignore lint/suspicious/noConfusingVoidType: an action that can't be undone returns nothing
  prepare: () => Promise<(row: Row) => Promise<Undo | void>>
  onClose: () => void
  /** Called when rows have changed. */
  onDone: () => void
  /** The form, and what will happen. */
  children: ReactNode
}) => {
  const [state, setState] = useState<State>({ kind: 'asking', isReading: false })
  const ended = useRef(new AbortController())
  const showToast = useToast()
  useEffect(() => () => ended.current.abort(), [])
  const run = async <Item,>(
    rows: readonly Item[],
    // biome-ignore lint/suspicious/noConfusingVoidType: as above
    act: (row: Item) => Promise<Undo | void>,
    nameOfItem: (row: Item) => string,
    { isUndo, signal }: { isUndo: boolean; signal: AbortSignal },
  ) => {
    const show =
      (kind: Progress['kind']) =>
      ({ done, failed, undos }: Readonly<Outcome<Item>>) =>
        setState({
          kind,
          total: rows.length,
          done,
          failed: failed.map(({ row, message }) => ({ name: nameOfItem(row), message })),
          undos,
          isUndo,
        })
    show('running')({ done: 0, failed: [], undos: [] })
    const outcome = await runBulk(rows, act, { signal, onProgress: show('running') })
    const { done, failed, undos } = outcome
    // There is nothing to read or to take back.
    if (!isUndo && failed.length === 0 && undos.length === 0 && done === rows.length) {
      showToast(`${plural(done, one, many)} ${past}.`)
      // Closing it has said so already, and another dialog may be open.
      if (signal.aborted) return
      onDone()
      onClose()
    } else show('ended')(outcome)
  }
  const close = () => {
    ended.current.abort()
    if (state.kind === 'running' || state.kind === 'ended') onDone()
    onClose()
  }
  if (state.kind === 'asking')
    return (
      <FormDialog
        title={title}
        send={send}
        onClose={close}
        onSend={async () => {
          const { signal } = ended.current
          const act = await prepare()
          if (signal.aborted) return
          setState({ kind: 'asking', isReading: true })
          try {
            // Nothing happens to the rows of a dialog that was closed meanwhile.
            const rows = await scope.load(signal)
            await run(rows, act, nameOf, { isUndo: false, signal })
          } catch (error) {
            if (signal.aborted) return
            setState({ kind: 'asking', isReading: false })
            throw error
          }
        }}
      >
        {scope.isAll && scope.size > MAX_ROWS && (
          <p className="problem">
            Only the first {plural(MAX_ROWS, one, many)} are {past}; repeat it for the others, or
            narrow the filter.
          </p>
        )}
        {children}
        {state.isReading && <p role="status">Reading the {many}…</p>}
      </FormDialog>
    )
  const { done, failed, undos, total, isUndo } = state
  const isRunning = state.kind === 'running'
  const gone = done + failed.length
  return (
    <Dialog title={title} onClose={close}>
      <div className="column" style={{ width: 'min(440px, 80vw)' }}>
        <progress max={total} value={gone} aria-label="Progress" style={{ width: '100%' }} />
        <p role="status">
          {plural(done, one, many)} of {plural(total, one, many)} {isUndo ? 'as before' : past}
          {!isRunning && gone < total ? '; the others are as they were' : ''}.
        </p>
        {failed.length > 0 && (
          <div className="problem" role="alert">
            <p>{plural(failed.length, one, many)} failed:</p>
            <ul>
              {failed.slice(0, MAX_NAMED).map(({ name, message }, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: failures are only added
                <li key={at}>
                  <bdi>{name}</bdi> {message}
                </li>
              ))}
            </ul>
            {failed.length > MAX_NAMED && <p>And {failed.length - MAX_NAMED} more.</p>}
          </div>
        )}
        <div className="row">
          {isRunning ? (
            <button type="button" className="button" onClick={() => ended.current.abort()}>
              Stop
            </button>
          ) : (
            <button type="button" className="button primary" onClick={close}>
              Close
            </button>
          )}
          {!isRunning && !isUndo && undos.length > 0 && (
            <button
              type="button"
              className="button"
              onClick={() => {
                ended.current = new AbortController()
                const { signal } = ended.current
                void run(
                  undos,
                  async (undo) => void (await undo()),
                  () => '',
                  { isUndo: true, signal },
                )
              }}
            >
              Undo
            </button>
          )}
        </div>
      </div>
    </Dialog>
  )
}
