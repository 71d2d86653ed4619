import './review.css'
import '../../table/table.css'
import { useEffect, useMemo, useState } from 'react'
import { useLocation } from 'wouter'
import { choiceNotices, missingNotice, noticeOf } from '../../address/notices.js'
import { useAddress } from '../../address/use-address.js'
import { useMayWrite } from '../../data/project.js'
import { parseFilter } from '../../filter/language.js'
import { queryText } from '../../filter/query-text.js'
import { count } from '../../format/number.js'
import { line } from '../../format/text.js'
import { AddToDatasetDialog } from '../../parts/add-to-dataset-dialog.js'
import { reviewer } from '../../scoring/reviewer.js'
import { Notices } from '../../ui/notices.js'
import { ProblemView } from '../../ui/problem-view.js'
import { useToast } from '../../ui/toasts.js'
import { Top } from '../../ui/top.js'
import { ConversationView } from './conversation.js'
import { ScoresForm } from './judging/scores-form.js'
import { useJudgements } from './judging/use-judgements.js'
import { useJudging } from './judging/use-judging.js'
import { useReviewKeys } from './judging/use-review-keys.js'
import { NameForm } from './name-form.js'
import { isOrder, ORDERS, useQueue } from './queue.js'
import { QueueEnd } from './queue-end.js'
import { addressOf, type Item, NOUNS, UNITS, type Unit } from './queue-units.js'
import { DEFAULT_FILTERS, LANGUAGES, ReviewBar } from './review-bar.js'
import { ReviewItem } from './review-item.js'
import { StepContents } from './step-contents.js'
import { isMessage, useConversation } from './use-conversation.js'
import { useScoreNames } from './use-score-names.js'
import { useWholeStep } from './use-whole-step.js'

/**
 * Reviews one step or conversation after the other. The filter is the queue; an item is done when this reviewer gave
 * every score.
 */
export const ReviewPage = () => {
  const address = useAddress()
  const [, navigate] = useLocation()
  const showToast = useToast()
  const mayWrite = useMayWrite()
  const unit: Unit = address.get('of') === 'threads' ? 'threads' : 'steps'
  const text = address.getText('q') ?? DEFAULT_FILTERS[unit]
  const { nodes, mistakes } = useMemo(() => parseFilter(text, LANGUAGES[unit]), [text, unit])
  const { definitions, known, names, isKnown } = useScoreNames(address.get('give'))
  const [scorer, setScorer] = useState(reviewer())
  const [isNamed, setNamed] = useState(reviewer() !== '')
  const query = useMemo(() => queryText(nodes), [nodes])
  const { judgements, add, undo } = useJudgements()
  const done = judgements.filter(({ stepId }) => stepId === undefined)
  const isOwn = ({ type, scorer: by }: { type: string; scorer: string | null }) =>
    type === 'HUMAN' && (by ?? '') === scorer
  const [deleted, setDeleted] = useState<ReadonlySet<string>>(new Set())
  /** True for items that need no judgement any more. */
  const isDone = (item: Item): boolean =>
    deleted.has(item.id) ||
    done.some(({ itemId }) => itemId === item.id) ||
    (names.length > 0 &&
      names.every((name) => item.scores.some((score) => score.name === name && isOwn(score))))
  const asked = address.get('item')
  const order = address.get('order')
  const queue = useQueue(unit, query, order, { pause: mistakes.length > 0, asked, isDone })
  const { items, open } = queue
  const current = items.find(({ id }) => id === asked) ?? open[0]
  const place = current === undefined ? -1 : items.indexOf(current)
  const following = items.slice(place + 1).find((item) => !isDone(item))?.id
  const isThreads = unit === 'threads'
  const whole = useWholeStep(...(isThreads ? [] : [current?.id, following]))
  const talk = useConversation(...(isThreads ? [current?.id, following] : []))
  const { value: step } = whole
  const { value: conversation } = talk
  const { problem, retry, isDeleted } = isThreads ? talk : whole
  const [chosen, setChosen] = useState<string>()
  const [isAdding, setAdding] = useState(false)
  useEffect(() => setChosen(undefined), [current?.id])
  useEffect(() => {
    if (!isDeleted || current === undefined) return
    // It stays on the screen until the reviewer goes on, though the queue no longer has it.
    address.set({ item: current.id }, { replace: true })
    setDeleted((all) => new Set(all).add(current.id))
  }, [isDeleted, current?.id])
  const go = (to: number) => {
    const item = items[Math.max(0, Math.min(items.length - 1, to))]
    if (item !== undefined) address.set({ item: item.id }, { replace: true })
  }
  const next = () => {
    const rest = items.slice(place + 1).find((item) => !isDone(item))
    const first = open.find((item) => item !== current)
    address.set({ item: (rest ?? first)?.id ?? null }, { replace: true })
  }
  const judging = useJudging({
    unit,
    current,
    chosen,
    onChoose: setChosen,
    names,
    scorer,
    isDeleted,
    onReread: retry,
    onJudged: add,
    onNext: next,
  })
  useReviewKeys({
    judging,
    names,
    definitions: definitions.data?.scoreDefinitions ?? [],
    isReady: isNamed,
    messages: isThreads ? (conversation?.steps.filter(isMessage) ?? []) : undefined,
    chosen,
    onChoose: setChosen,
    onNext: next,
    onBack: () => go(place - 1),
    onUndo: undo,
    onAdd: () => setAdding(true),
    onOpen: current === undefined ? undefined : () => navigate(addressOf(unit, current.id)),
  })
  if (!mayWrite)
    return (
      <>
        <Top title="Review" />
        <div className="empty">
          <p>Reviewing gives scores, for which a key that may write is needed.</p>
        </div>
      </>
    )
  if (!isNamed)
    return (
      <NameForm
        onNamed={(name) => {
          setScorer(name)
          setNamed(true)
        }}
      />
    )
  return (
    <>
      <Top title="Review">
        <span className="soft">
          {queue.isThere
            ? count(items.filter((item) => isDone(item) && !deleted.has(item.id)).length)
            : '…'}{' '}
          done · {queue.isThere ? count(queue.left) : '…'} left · as <bdi>{line(scorer, 30)}</bdi>
        </span>
      </Top>
      <ReviewBar unit={unit} text={text} names={names} known={known} order={order} />
      <Notices
        texts={[
          ...choiceNotices('kind of things', address.get('of'), UNITS, 'These are steps.'),
          ...(order === undefined || isOrder(order)
            ? []
            : [noticeOf('order', order, ORDERS, 'The newest come first.')]),
        ]}
      />
      {definitions.problem !== undefined && (
        <ProblemView
          problem={definitions.problem}
          retry={definitions.refresh}
          note="Without it, the meaning of scores is unknown."
        />
      )}
      {queue.problem !== undefined && <ProblemView problem={queue.problem} retry={queue.goOn} />}
      {queue.missing !== undefined && queue.missing === asked && !deleted.has(asked) && (
        <Notices texts={[missingNotice(NOUNS[unit], asked)]} />
      )}
      {queue.isThere && current === undefined ? (
        <QueueEnd queue={queue} doneCount={done.length} names={names} noun={NOUNS[unit]} />
      ) : (
        <div className="review">
          <ReviewItem unit={unit} item={current}>
            {problem !== undefined && <ProblemView problem={problem} retry={retry} />}
            {isDeleted && <p className="notice">This {NOUNS[unit]} has been deleted.</p>}
            {step !== undefined && <StepContents step={step} />}
            {conversation !== undefined && current !== undefined && (
              <ConversationView
                conversation={conversation}
                scores={[
                  ...current.partScores.filter(isOwn),
                  ...judgements.flatMap(({ stepId, scores }) =>
                    stepId === undefined
                      ? []
                      : scores.map((score) => ({ ...score, stepId, type: 'HUMAN', scorer })),
                  ),
                ]}
                chosen={chosen}
                onChoose={setChosen}
              />
            )}
          </ReviewItem>
          <ScoresForm
            subject={
              isThreads ? (chosen === undefined ? 'The conversation' : 'A message') : undefined
            }
            names={names}
            isAsking={isKnown && names.length === 0}
            judging={judging}
            definitions={definitions.data?.scoreDefinitions ?? []}
            isDeleted={isDeleted}
            onBack={() => go(place - 1)}
            onSkip={next}
            onUndo={judgements.length === 0 ? undefined : undo}
          />
        </div>
      )}
      {isAdding && current !== undefined && (
        <AddToDatasetDialog
          {...(isThreads
            ? { thread: { threadId: current.id, upToStepId: chosen } }
            : { steps: [{ id: current.id, isGeneration: step?.generation != null }] })}
          onClose={() => setAdding(false)}
          onDone={() => showToast('Added to the dataset.')}
        />
      )}
    </>
  )
}
