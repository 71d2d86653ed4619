import './review.css'
import '../../table/table.css'
import { useEffect, useMemo, useRef, useState } from 'react'
import { Link, useLocation } from 'wouter'
import {
  DefinitionsDocument,
  FacetsDocument,
  GiveScoreDocument,
  RemoveScoreDocument,
  SeenValuesDocument,
} from '../../../generated/operations.js'
import { segment } from '../../address/segment.js'
import { useAddress } from '../../address/use-address.js'
import { useActions } from '../../browser/actions.js'
import { useKeys } from '../../browser/keys.js'
import { useSingleFlight } from '../../browser/use-single-flight.js'
import { useMayWrite } from '../../data/project.js'
import { useChange, useData } from '../../data/use-data.js'
import { parseFilter } from '../../filter/language.js'
import { queryText } from '../../filter/query-text.js'
import { count } from '../../format/number.js'
import { line } from '../../format/text.js'
import { AddToDatasetDialog } from '../../parts/add-to-dataset-dialog.js'
import { reviewer } from '../../scoring/reviewer.js'
import { choicesOf, digitOf, labelOf } from '../../scoring/value-control.js'
import { FailureText } from '../../ui/failure.js'
import { TypeIcon, typeName } from '../../ui/icons.js'
import { Notices } from '../../ui/notices.js'
import { ProblemView } from '../../ui/problem-view.js'
import { useToast } from '../../ui/toasts.js'
import { Top } from '../../ui/top.js'
import { ConversationView } from './conversation.js'
import { NameForm } from './name-form.js'
import { useQueue } from './queue.js'
import { QueueEnd } from './queue-end.js'
import { type Item, SOURCES, type Unit } from './queue-units.js'
import { DEFAULT_FILTERS, LANGUAGES, ReviewBar } from './review-bar.js'
import { readNames } from './score-names.js'
import { type ChosenValue, ScoresForm } from './scores-form.js'
import { StepContents } from './step-contents.js'
import { isMessage, useConversation } from './use-conversation.js'
import { useWholeStep } from './use-whole-step.js'

const NOUNS: Record<Unit, string> = { steps: 'step', threads: 'conversation' }

/** Scores that were given here: to an item, or to a step in it. */
interface Judgement {
  itemId: string
  stepId: string | undefined
  scores: { id: string; name: string; value: number }[]
}

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
  const definitions = useData(DefinitionsDocument, {})
  const facets = useData(FacetsDocument, { field: 'score', prefix: '' })
  const known = useMemo(
    () => [
      ...new Set([
        ...(definitions.data?.scoreDefinitions.map(({ name }) => name) ?? []),
        ...(facets.data?.facets.map(({ value }) => value) ?? []),
      ]),
    ],
    [definitions.data, facets.data],
  )
  const isKnown = !definitions.isLoading && !facets.isLoading
  const wanted = address.get('give')
  const names = useMemo(
    () => (wanted !== undefined ? readNames(wanted) : isKnown ? known.slice(0, 1) : []),
    [wanted, isKnown, known],
  )
  const [scorer, setScorer] = useState(reviewer())
  const [isNamed, setNamed] = useState(reviewer() !== '')
  const query = useMemo(() => queryText(nodes), [nodes])
  const [judgements, setJudgements] = useState<readonly Judgement[]>([])
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
  const [given, setGiven] = useState<ReadonlyMap<string, ChosenValue>>(new Map())
  const [comment, setComment] = useState('')
  const [active, setActive] = useState(0)
  const [failed, setFailed] = useState<Error>()
  const [isAdding, setAdding] = useState(false)
  /** The scores of judgements under way, by what they are of: another try stores none twice. */
  const underWay = useRef(new Map<string, Map<string, Judgement['scores'][number]>>())
  const saving = useRef(new Set<string>())
  /** The same, for the form: what is chosen or typed while it is stored would be lost. */
  const [resting, setResting] = useState<ReadonlySet<string>>(new Set())
  const subject = `${current?.id} ${chosen ?? ''}`
  const shown = useRef(subject)
  shown.current = subject
  const give = useChange(GiveScoreDocument)
  const remove = useChange(RemoveScoreDocument)
  const commentField = useRef<HTMLTextAreaElement>(null)
  useEffect(() => setChosen(undefined), [current?.id])
  useEffect(() => {
    if (!isDeleted || current === undefined) return
    // It stays on the screen until the reviewer goes on, though the queue no longer has it.
    address.set({ item: current.id }, { replace: true })
    setDeleted((all) => new Set(all).add(current.id))
  }, [isDeleted, current?.id])
  useEffect(() => {
    setGiven(new Map())
    setComment('')
    setActive(0)
    setFailed(undefined)
  }, [current?.id, chosen])
  const isResting = resting.has(subject)
  const choose = (name: string, value: ChosenValue) => {
    if (!isResting) setGiven((all) => new Map(all).set(name, value))
  }
  const go = (to: number) => {
    const item = items[Math.max(0, Math.min(items.length - 1, to))]
    if (item !== undefined) address.set({ item: item.id }, { replace: true })
  }
  const next = () => {
    const rest = items.slice(place + 1).find((item) => !isDone(item))
    const first = open.find((item) => item !== current)
    address.set({ item: (rest ?? first)?.id ?? null }, { replace: true })
  }
  const save = async () => {
    // The next item may be judged while this one is being stored.
    if (current === undefined || saving.current.has(subject)) return
    if (isDeleted) return next()
    // Values of scores that are no longer to be given are left out.
    const entries = names.flatMap((name) => {
      const { value, label } = given.get(name) ?? {}
      return value === undefined ? [] : [{ name, value, label }]
    })
    if (entries.length === 0) return setFailed(new Error('Choose a value, or skip with →.'))
    const stored = underWay.current.get(subject) ?? new Map()
    underWay.current.set(subject, stored)
    saving.current.add(subject)
    setResting(new Set(saving.current))
    try {
      // The service stores scores of steps that it has not received yet, and can't tell those from deleted ones.
      if (!(await isThere(unit, current.id, chosen))) {
        if (shown.current !== subject) throw new Error('it has been deleted.')
        retry()
        if (chosen === undefined) return
        setChosen(undefined)
        return showToast('The message has been deleted.')
      }
      for (const { name, value, label } of entries) {
        if (stored.has(name)) continue
        const { createScore } = await give({
          ...(isThreads && chosen === undefined
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
      const scores = [...stored.values()]
      underWay.current.delete(subject)
      setJudgements((all) => [...all, { itemId: current.id, stepId: chosen, scores }])
      if (chosen !== undefined) showToast('The message is judged.')
      // The reviewer may have gone on.
      if (shown.current !== subject) return
      if (chosen === undefined) next()
      else setChosen(undefined)
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
  const undo = useSingleFlight(async () => {
    const last = judgements.at(-1)
    if (last === undefined) return
    try {
      for (const { id } of last.scores) await remove({ id })
      setJudgements((all) => all.filter((one) => one !== last))
      address.set({ item: last.itemId }, { replace: true })
      showToast('Undone.')
    } catch (error) {
      showToast(error as Error)
    }
  })
  const seen = useData(
    SeenValuesDocument,
    { name: names[active] ?? '' },
    { pause: names[active] === undefined },
  )
  const choices = choicesOf(
    definitions.data?.scoreDefinitions.find(({ name }) => name === names[active]),
    seen.data?.scores.edges.map(({ node }) => node) ?? [],
  )
  const digits = Object.fromEntries(
    choices.map((choice, place) => [
      digitOf(choices, place),
      () => {
        const name = names[active]
        if (name === undefined) return
        const label = labelOf(
          definitions.data?.scoreDefinitions.find((one) => one.name === name),
          choice,
        )
        choose(name, { value: choice.value, label })
        setActive(Math.min(active + 1, names.length - 1))
      },
    ]),
  )
  const messages = conversation?.steps.filter(isMessage) ?? []
  const chooseMessage = (step: 1 | -1) => {
    const at = messages.findIndex(({ id }) => id === chosen)
    const to = at < 0 ? (step > 0 ? 0 : messages.length - 1) : at + step
    setChosen(messages[to]?.id)
  }
  useActions([
    { name: 'Save and next', key: '⏎', run: save },
    { name: 'Skip', key: '→', run: next },
    { name: 'Back', key: '←', run: () => go(place - 1) },
    { name: 'Undo', key: 'u', run: undo },
    current !== undefined && { name: 'Add to a dataset…', key: 'd', run: () => setAdding(true) },
    current !== undefined && {
      name: 'Open it',
      key: 'o',
      run: () => navigate(addressOf(unit, current.id)),
    },
  ])
  useKeys(
    {
      ...digits,
      ...(isThreads
        ? {
            j: () => chooseMessage(1),
            k: () => chooseMessage(-1),
            Escape: () => setChosen(undefined),
          }
        : {}),
      ArrowDown: () => setActive(Math.min(active + 1, names.length - 1)),
      ArrowUp: () => setActive(Math.max(active - 1, 0)),
      m: () => commentField.current?.focus(),
      Enter: save,
      ArrowRight: next,
      ArrowLeft: () => go(place - 1),
      u: undo,
      d: () => setAdding(true),
      o: () => current !== undefined && navigate(addressOf(unit, current.id)),
      '/': () => document.querySelector<HTMLInputElement>('[data-filter]')?.focus(),
    },
    isNamed,
  )
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
      {definitions.problem !== undefined && (
        <ProblemView
          problem={definitions.problem}
          retry={definitions.refresh}
          note="Without it, the meaning of scores is unknown."
        />
      )}
      {queue.problem !== undefined && <ProblemView problem={queue.problem} retry={queue.goOn} />}
      {queue.missing !== undefined && queue.missing === asked && !deleted.has(asked) && (
        <Notices
          texts={[
            `There is no ${NOUNS[unit]} with the id “${line(asked, 60)}” of this address: it was deleted, or it belongs to another project.`,
          ]}
        />
      )}
      {queue.isThere && current === undefined ? (
        <QueueEnd queue={queue} doneCount={done.length} names={names} noun={NOUNS[unit]} />
      ) : (
        <div className="review">
          <div
            className="review-item"
            tabIndex={0}
            role="region"
            aria-label={`The ${NOUNS[unit]} to judge`}
          >
            {current !== undefined && (
              <h2>
                {current.type !== undefined && <TypeIcon type={current.type} />}{' '}
                <bdi>{line(current.name) || nameOf(current)}</bdi>{' '}
                <Link href={addressOf(unit, current.id)} className="soft">
                  {isThreads ? 'with all its steps' : 'in its thread'}
                </Link>
              </h2>
            )}
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
          </div>
          <ScoresForm
            subject={
              isThreads ? (chosen === undefined ? 'The conversation' : 'A message') : undefined
            }
            names={names}
            isAsking={isKnown && names.length === 0}
            active={active}
            onActive={setActive}
            definitions={definitions.data?.scoreDefinitions ?? []}
            given={given}
            onGive={choose}
            comment={comment}
            onComment={setComment}
            commentField={commentField}
            failed={failed}
            isDeleted={isDeleted}
            isResting={isResting}
            onSave={save}
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

const addressOf = (unit: Unit, id: string): string => `/${unit}/${segment(id)}`

/** Returns false once the item, or the message in it, has been deleted. */
const isThere = async (unit: Unit, id: string, messageId: string | undefined): Promise<boolean> => {
  const found = [SOURCES[unit].readOne(id)]
  if (messageId !== undefined) found.push(SOURCES.steps.readOne(messageId))
  return (await Promise.all(found)).every((item) => item != null)
}

const nameOf = ({ type }: Item): string => (type === undefined ? 'Conversation' : typeName(type))
