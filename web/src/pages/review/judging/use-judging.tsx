import { useEffect, useRef, useState } from 'react'
import { GiveScoreDocument } from '../../../../generated/operations.js'
import { useUnloadGuard } from '../../../browser/use-unload-guard.js'
import { useChange } from '../../../data/use-data.js'
import { line } from '../../../format/text.js'
import { FailureText } from '../../../ui/failure.js'
import { useToast } from '../../../ui/toasts.js'
import { type Item, nameOf, SOURCES, type Unit } from '../queue-units.js'
import type { Judgement, StoredScore } from './use-judgements.js'

/** A value that is chosen, but not stored yet. */
export interface ChosenValue {
  value: number | undefined
  label?: string | undefined
}

type Given = ReadonlyMap<string, ChosenValue>

export type Judging = ReturnType<typeof useJudging>

/** Keeps the choices and the comment about one item, or about a message in it, until they are stored. */
export const useJudging = ({
  unit,
  current,
  chosen,
  onChoose,
  names,
  scorer,
  isDeleted,
  onReread,
  onJudged,
  onNext,
}: {
  unit: Unit
  current: Item | undefined
  /** The id of the message that is judged instead of the whole item. */
  chosen: string | undefined
  onChoose: (id: string | undefined) => void
  names: readonly string[]
  scorer: string
  isDeleted: boolean
  /** Reads the item again. */
  onReread: () => void
  onJudged: (judgement: Judgement) => void
  /** Goes on to the next item. */
  onNext: () => void
}) => {
  const showToast = useToast()
  const store = useChange(GiveScoreDocument)
  const [given, setGiven] = useState<Given>(new Map())
  const [comment, setComment] = useState('')
  const [active, setActive] = useState(0)
  const [failed, setFailed] = useState<Error>()
  const commentField = useRef<HTMLTextAreaElement>(null)
  /** The scores of judgements under way, by what they are of: another try stores none twice. */
  const underWay = useRef(new Map<string, Map<string, StoredScore>>())
  const saving = useRef(new Set<string>())
  /** The same, for the form: what is chosen or typed while it is stored would be lost. */
  const [resting, setResting] = useState<ReadonlySet<string>>(new Set())
  const subject = `${current?.id} ${chosen ?? ''}`
  /** Choices and comments about things that the reviewer went on from, until they are stored. */
  const unsaved = useRef(new Map<string, { given: Given; comment: string }>())
  const change = (part: { given?: Given; comment?: string }) => {
    const next = { given, comment, ...part }
    setGiven(next.given)
    setComment(next.comment)
    unsaved.current.set(subject, next)
  }
  useUnloadGuard(comment !== '')
  const shown = useRef(subject)
  shown.current = subject
  // A judgement that is stored after the page was left leads nowhere, and says why when it fails.
  useEffect(
    () => () => {
      shown.current = ''
    },
    [],
  )
  useEffect(() => {
    const { given = new Map(), comment = '' } = unsaved.current.get(subject) ?? {}
    setGiven(given)
    setComment(comment)
    setActive(0)
    setFailed(undefined)
  }, [current?.id, chosen])
  const isResting = resting.has(subject)
  const save = async () => {
    // The next item may be judged while this one is being stored.
    if (current === undefined || saving.current.has(subject)) return
    if (isDeleted) return onNext()
    // Values of scores that are no longer to be given are left out.
    const entries = names.flatMap((name) => {
      const { value, label } = given.get(name) ?? {}
      return value === undefined ? [] : [{ name, value, label }]
    })
    if (entries.length === 0) return setFailed(new Error('Choose a value, or skip with →.'))
    const stored = underWay.current.get(subject) ?? new Map<string, StoredScore>()
    underWay.current.set(subject, stored)
    saving.current.add(subject)
    setResting(new Set(saving.current))
    try {
      // The service stores scores of steps that it has not received yet, and can't tell those from deleted ones.
      if (!(await isThere(unit, current.id, chosen))) {
        if (shown.current !== subject) throw new Error('it has been deleted.')
        onReread()
        if (chosen === undefined) return
        onChoose(undefined)
        return showToast('The message has been deleted.')
      }
      for (const { name, value, label } of entries) {
        if (stored.has(name)) continue
        const { createScore } = await store({
          ...(unit === 'threads' && chosen === undefined
            ? { threadId: current.id }
            : { stepId: chosen ?? current.id }),
          name,
          value,
          label: label ?? null,
          comment: comment || null,
          scorer: scorer || null,
        })
        if (createScore != null) stored.set(name, { id: createScore.id, name, value })
      }
      underWay.current.delete(subject)
      unsaved.current.delete(subject)
      onJudged({ itemId: current.id, stepId: chosen, scores: [...stored.values()] })
      if (chosen !== undefined) showToast('The message is judged.')
      // The reviewer may have gone on.
      if (shown.current !== subject) return
      if (chosen === undefined) onNext()
      else onChoose(undefined)
    } catch (error) {
      // The choices stay on the screen, unless the reviewer has gone on.
      if (shown.current === subject) setFailed(error as Error)
      else
        showToast(
          <>
            “{line(current.name, 40) || nameOf(current)}” is not judged:{' '}
            <FailureText error={error as Error} />
          </>,
        )
    } finally {
      saving.current.delete(subject)
      setResting(new Set(saving.current))
    }
  }
  return {
    given,
    give: (name: string, value: ChosenValue) => {
      if (!isResting) change({ given: new Map(given).set(name, value) })
    },
    comment,
    setComment: (comment: string) => change({ comment }),
    commentField,
    /** The place of the score that digits apply to. */
    active,
    setActive,
    goUp: () => setActive(Math.max(active - 1, 0)),
    goDown: () => setActive(Math.min(active + 1, names.length - 1)),
    failed,
    /** True while the judgement is stored. The focus stays: keys go on to the next item. */
    isResting,
    save,
  }
}

/** Returns false once the item, or the message in it, has been deleted. */
const isThere = async (unit: Unit, id: string, messageId: string | undefined): Promise<boolean> => {
  const found = [SOURCES[unit].readOne(id)]
  if (messageId !== undefined) found.push(SOURCES.steps.readOne(messageId))
  return (await Promise.all(found)).every((item) => item != null)
}
