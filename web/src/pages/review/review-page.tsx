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
import { useKeys } from '../../browser/keys.js'
import { useSingleFlight } from '../../browser/use-single-flight.js'
import { useChange, useData } from '../../data/use-data.js'
import { STEP_FIELDS, wordsOf } from '../../filter/fields.js'
import { parseFilter } from '../../filter/parse.js'
import { toFilters } from '../../filter/to-filters.js'
import { count } from '../../format/number.js'
import { line } from '../../format/text.js'
import { AddToDatasetDialog } from '../../parts/add-to-dataset-dialog.js'
import { reviewer } from '../../scoring/reviewer.js'
import { choicesOf, digitOf, labelOf } from '../../scoring/value-control.js'
import { TypeIcon, typeName } from '../../ui/icons.js'
import { ProblemView } from '../../ui/problem-view.js'
import { useToast } from '../../ui/toasts.js'
import { Top } from '../../ui/top.js'
import { NameForm } from './name-form.js'
import { type Item, useQueue } from './queue.js'
import { QueueEnd } from './queue-end.js'
import { ReviewBar } from './review-bar.js'
import { type ChosenValue, ScoresForm } from './scores-form.js'
import { StepContents } from './step-contents.js'
import { useWholeStep } from './use-whole-step.js'

const DEFAULT_FILTER = 'type=llm'

/** Reviews one step after the other. The filter is the queue; an item is done when this reviewer gave every score. */
export const ReviewPage = () => {
  const address = useAddress()
  const [, navigate] = useLocation()
  const showToast = useToast()
  const text = address.get('q') ?? DEFAULT_FILTER
  const { conditions, mistakes } = useMemo(
    () => parseFilter(text, STEP_FIELDS, wordsOf(STEP_FIELDS)),
    [text],
  )
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
  const names = (address.get('give')?.split(',') ?? known.slice(0, 1)).filter((name) => name !== '')
  const [scorer, setScorer] = useState(reviewer())
  const [isNamed, setNamed] = useState(reviewer() !== '')
  const filters = useMemo(() => toFilters(conditions), [conditions])
  const [done, setDone] = useState<ReadonlyMap<string, readonly string[]>>(new Map())
  const isDone = (item: Item): boolean =>
    done.has(item.id) ||
    (names.length > 0 &&
      names.every((name) =>
        item.scores.some(
          (score) =>
            score.name === name && score.type === 'HUMAN' && (score.scorer ?? '') === scorer,
        ),
      ))
  const asked = address.get('item')
  const order = address.get('order')
  const queue = useQueue(filters, order, { pause: mistakes.length > 0, asked, isDone })
  const { items, open } = queue
  const current = items.find(({ id }) => id === asked) ?? open[0]
  const place = current === undefined ? -1 : items.indexOf(current)
  const { step, problem, retry } = useWholeStep(current?.id)
  // The next step is read while this one is judged.
  useWholeStep(items.slice(place + 1).find((item) => !isDone(item))?.id)
  const [given, setGiven] = useState<ReadonlyMap<string, ChosenValue>>(new Map())
  const [comment, setComment] = useState('')
  const [active, setActive] = useState(0)
  const [failed, setFailed] = useState<string>()
  const [isAdding, setAdding] = useState(false)
  const stored = useRef(new Map<string, string>())
  const give = useChange(GiveScoreDocument)
  const remove = useChange(RemoveScoreDocument)
  const commentField = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    setGiven(new Map())
    setComment('')
    setActive(0)
    setFailed(undefined)
    stored.current.clear()
  }, [current?.id])
  const go = (to: number) => {
    const item = items[Math.max(0, Math.min(items.length - 1, to))]
    if (item !== undefined) address.set({ item: item.id }, { replace: true })
  }
  const next = () => {
    const rest = items.slice(place + 1).find((item) => !isDone(item))
    const first = open.find((item) => item !== current)
    address.set({ item: (rest ?? first)?.id ?? null }, { replace: true })
  }
  const save = useSingleFlight(async () => {
    if (current === undefined) return
    const entries = [...given].flatMap(([name, { value, label }]) =>
      value === undefined ? [] : [{ name, value, label }],
    )
    if (entries.length === 0) return setFailed('Choose a value, or skip with →.')
    try {
      for (const { name, value, label } of entries) {
        // Another try stores no score twice.
        if (stored.current.has(name)) continue
        const { createScore } = await give({
          stepId: current.id,
          name,
          value,
          label: label ?? null,
          comment: comment || null,
          scorer: scorer || null,
        })
        if (createScore != null) stored.current.set(name, createScore.id)
      }
      const ids = [...stored.current.values()]
      setDone((all) => new Map(all).set(current.id, ids))
      next()
    } catch (error) {
      // The choices stay on the screen.
      setFailed((error as Error).message)
    }
  })
  const undo = async () => {
    const last = [...done].at(-1)
    if (last === undefined) return
    const [id, scores] = last
    try {
      for (const score of scores) await remove({ id: score })
      setDone((all) => {
        const rest = new Map(all)
        rest.delete(id)
        return rest
      })
      address.set({ item: id }, { replace: true })
      showToast('Undone.')
    } catch (error) {
      showToast((error as Error).message)
    }
  }
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
        setGiven((all) => new Map(all).set(name, { value: choice.value, label }))
        setActive(Math.min(active + 1, names.length - 1))
      },
    ]),
  )
  useKeys(
    {
      ...digits,
      ArrowDown: () => setActive(Math.min(active + 1, names.length - 1)),
      ArrowUp: () => setActive(Math.max(active - 1, 0)),
      m: () => commentField.current?.focus(),
      Enter: save,
      ArrowRight: next,
      ArrowLeft: () => go(place - 1),
      u: undo,
      d: () => setAdding(true),
      o: () => current !== undefined && navigate(`/steps/${segment(current.id)}`),
      '/': () => document.querySelector<HTMLInputElement>('[data-filter]')?.focus(),
    },
    isNamed,
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
          {count(items.length - open.length)} done · {count(queue.left)} left · as{' '}
          <bdi>{line(scorer, 30)}</bdi>
        </span>
      </Top>
      <ReviewBar text={text} names={names} known={known} order={order} />
      {definitions.problem !== undefined && (
        <ProblemView
          problem={definitions.problem}
          retry={definitions.refresh}
          note="Without it, the meaning of scores is unknown."
        />
      )}
      {queue.problem !== undefined && <ProblemView problem={queue.problem} retry={queue.goOn} />}
      {queue.isThere && current === undefined ? (
        <QueueEnd queue={queue} doneCount={done.size} names={names} />
      ) : (
        <div className="review">
          <div className="review-item" tabIndex={0} role="region" aria-label="The step to judge">
            {current !== undefined && (
              <h2>
                <TypeIcon type={current.type} />{' '}
                <bdi>{line(current.name) || typeName(current.type)}</bdi>{' '}
                <Link href={`/steps/${segment(current.id)}`} className="soft">
                  in its thread
                </Link>
              </h2>
            )}
            {problem !== undefined && <ProblemView problem={problem} retry={retry} />}
            {step !== undefined && <StepContents step={step} />}
          </div>
          <ScoresForm
            names={names}
            active={active}
            onActive={setActive}
            definitions={definitions.data?.scoreDefinitions ?? []}
            given={given}
            onGive={(name, value) => setGiven((all) => new Map(all).set(name, value))}
            comment={comment}
            onComment={setComment}
            commentField={commentField}
            failed={failed}
            onSave={save}
            onBack={() => go(place - 1)}
            onSkip={next}
            onUndo={done.size === 0 ? undefined : undo}
          />
        </div>
      )}
      {isAdding && current !== undefined && (
        <AddToDatasetDialog
          steps={[{ id: current.id, isGeneration: step?.generation != null }]}
          onClose={() => setAdding(false)}
          onDone={() => showToast('Added to the dataset.')}
        />
      )}
    </>
  )
}
