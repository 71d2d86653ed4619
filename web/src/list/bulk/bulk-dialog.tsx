import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useIsThere } from '../../browser/use-is-there.js'
import { useUnloadGuard } from '../../browser/use-unload-guard.js'
import { plural } from '../../format/number.js'
import { Dialog } from '../../ui/dialog.js'
import { FormDialog } from '../../ui/forms/form-dialog.js'
import { useToast } from '../../ui/toasts.js'
import { Failures } from './failures.js'
import { type Outcome, runBulk, type Undo } from './run.js'
import { MAX_ROWS, type Scope } from './scope.js'

interface Progress {
  kind: 'running' | 'ended'
  total: number
  done: number
  failed: readonly { name: string; error: Error }[]
  /** The reason that ended it before its end. */
  problem: Error | undefined
  undos: readonly Undo[]
  isUndo: boolean
  /** Goes on with the rows that are left; absent while it runs, and when none are. */
  goOn?: (() => void) | undefined
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
  const isThere = useIsThere()
  useUnloadGuard(state.kind === 'running')
  const told = (
    { done, failed, total, isUndo }: Pick<Progress, 'done' | 'failed' | 'total' | 'isUndo'>,
    isRunning = false,
  ) => {
    const others = isRunning || done + failed.length >= total ? '' : '; the others are as they were'
    return `${plural(done, one, many)} of ${plural(total, one, many)} ${isUndo ? 'as before' : past}${others}.`
  }
  const run = async <Item,>(
    rows: readonly Item[],
    given: {
      // biome-ignore lint/suspicious/noConfusingVoidType: as above
      act: (row: Item) => Promise<Undo | void>
      nameOf: (row: Item) => string
      isUndo: boolean
      total: number
    },
    before: Pick<Outcome<Item>, 'done' | 'failed' | 'undos'> = { done: 0, failed: [], undos: [] },
  ) => {
    const { signal } = ended.current
    const { act, nameOf, isUndo, total } = given
    const progressOf = (
      kind: Progress['kind'],
      { done, failed, undos, left, problem }: Readonly<Outcome<Item>>,
    ): Progress => ({
      kind,
      total,
      done,
      failed: failed.map(({ row, error }) => ({ name: nameOf(row), error })),
      // With no row left it has ended nothing, and is said with the rows that failed.
      problem: left.length === 0 ? undefined : problem,
      undos,
      isUndo,
    })
    const onProgress = (soFar: Readonly<Outcome<Item>>) => setState(progressOf('running', soFar))
    onProgress({ ...before, left: [] })
    const outcome = await runBulk(rows, act, { signal, onProgress, before })
    const progress = progressOf('ended', outcome)
    const { done, failed, undos, left } = outcome
    if (!isUndo && done === total && (undos.length === 0 || !isThere())) {
      showToast(`${plural(done, one, many)} ${past}.`)
      // Closing it has said so already, and another dialog may be open.
      if (signal.aborted) return
      onDone()
      onClose()
    } else if (!isThere()) {
      const failures = failed.length === 0 ? '' : ` ${plural(failed.length, one, many)} failed.`
      showToast(`${told(progress)}${failures}`)
    } else {
      const goOn = () => {
        ended.current = new AbortController()
        void run(left, given, outcome)
      }
      setState({ ...progress, goOn: left.length === 0 ? undefined : goOn })
    }
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
            await run(rows, { act, nameOf, isUndo: false, total: rows.length })
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
  const { done, failed, problem, undos, total, isUndo, goOn } = state
  const isRunning = state.kind === 'running'
  return (
    <Dialog title={title} onClose={close}>
      <div className="column" style={{ width: 'min(440px, 80vw)' }}>
        <progress
          max={total}
          value={done + failed.length}
          aria-label="Progress"
          style={{ width: '100%' }}
        />
        <p role="status">{told(state, isRunning)}</p>
        <Failures noun={[one, many]} failed={failed} problem={isRunning ? undefined : problem} />
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
          {goOn !== undefined && (
            <button type="button" className="button" onClick={goOn}>
              Go on
            </button>
          )}
          {!isRunning && !isUndo && undos.length > 0 && (
            <button
              type="button"
              className="button"
              onClick={() => {
                ended.current = new AbortController()
                void run(undos, {
                  act: async (undo) => void (await undo()),
                  nameOf: () => '',
                  isUndo: true,
                  total: undos.length,
                })
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
