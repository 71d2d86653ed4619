import { useActions } from '../../../browser/actions.js'
import { useKeys } from '../../../browser/keys.js'
import type { Definition } from '../../../scoring/value-control.js'
import { useDigits } from './use-digits.js'
import type { Judging } from './use-judging.js'

/** The keys and the actions of the page: one key judges, one goes on. */
export const useReviewKeys = ({
  judging,
  names,
  definitions,
  isReady,
  messages,
  chosen,
  onChoose,
  onNext,
  onBack,
  onUndo,
  onAdd,
  onOpen,
}: {
  judging: Judging
  names: readonly string[]
  definitions: readonly Definition[]
  /** False until the reviewer is known. */
  isReady: boolean
  /** The messages of a conversation, of which one can be judged; undefined for a step. */
  messages: readonly { id: string }[] | undefined
  /** The id of the message that is judged. */
  chosen: string | undefined
  onChoose: (id: string | undefined) => void
  onNext: () => void
  onBack: () => void
  onUndo: () => void
  onAdd: () => void
  /** Undefined while there is no item. */
  onOpen: (() => void) | undefined
}) => {
  const digits = useDigits(names[judging.active], definitions, (name, value) => {
    judging.give(name, value)
    judging.goDown()
  })
  const chooseMessage = (step: 1 | -1) => {
    if (messages === undefined) return
    const at = messages.findIndex(({ id }) => id === chosen)
    const to = at < 0 ? (step > 0 ? 0 : messages.length - 1) : at + step
    onChoose(messages[to]?.id)
  }
  useActions([
    { name: 'Save and next', key: '⏎', run: judging.save },
    { name: 'Skip', key: '→', run: onNext },
    { name: 'Back', key: '←', run: onBack },
    { name: 'Undo', key: 'u', run: onUndo },
    onOpen !== undefined && { name: 'Add to a dataset…', key: 'd', run: onAdd },
    onOpen !== undefined && { name: 'Open it', key: 'o', run: onOpen },
  ])
  useKeys(
    {
      ...digits,
      ...(messages === undefined
        ? {}
        : {
            j: () => chooseMessage(1),
            k: () => chooseMessage(-1),
            Escape: () => onChoose(undefined),
          }),
      ArrowDown: judging.goDown,
      ArrowUp: judging.goUp,
      m: () => judging.commentField.current?.focus(),
      Enter: judging.save,
      ArrowRight: onNext,
      ArrowLeft: onBack,
      u: onUndo,
      d: onAdd,
      o: () => onOpen?.(),
      '/': () => document.querySelector<HTMLInputElement>('[data-filter]')?.focus(),
    },
    isReady,
  )
}
