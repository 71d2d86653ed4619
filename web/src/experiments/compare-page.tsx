import './compare.css'
import { diffWords } from 'diff'
import { useEffect, useMemo, useState } from 'react'
import { Link, useLocation } from 'wouter'
import {
  CompareItemsDocument,
  type CompareItemsQuery,
  DefinitionsDocument,
} from '../../generated/operations.js'
import { useAddress } from '../address/use-address.js'
import { useSegment } from '../address/use-segment.js'
import { plainClient } from '../data/client.js'
import type { Problem } from '../data/problem.js'
import { Failed, read, useData } from '../data/use-data.js'
import { plural, score as showScore, signed } from '../format/number.js'
import { line, visible } from '../format/text.js'
import { useKeys } from '../shell/keys.js'
import { ProblemView } from '../shell/problem-view.js'
import { Top } from '../shell/shell.js'
import { pairedDifference, verdictOf } from '../stats/bootstrap.js'
import { IntervalBar, SignedIntervalText } from '../stats/interval.js'
import { readable, textOf } from '../values/readable.js'
import { type ComparedItem, compareRuns, deltaOf, type Run, scoreNames } from './comparison.js'

const MOST_RUNS = 4
const MOST_SHOWN = 200
const MOST_TEXT = 4000

/** All results of some experiments, page by page. */
const useRuns = (ids: readonly string[]) => {
  const key = ids.join(' ')
  const [runs, setRuns] = useState<Run[]>()
  const [problem, setProblem] = useState<Problem>()
  useEffect(() => {
    let isOld = false
    const load = async (id: string): Promise<Run> => {
      const results: Run['results'][number][] = []
      let name = ''
      for (let after: string | null = null; ; ) {
        const found: Page | null = await readPage(id, after)
        if (found === null) return { id, name: name || 'deleted', results }
        name = found.name
        results.push(...found.items.edges.map(({ node }) => node))
        const { hasNextPage, endCursor } = found.items.pageInfo
        if (!hasNextPage) return { id, name, results }
        after = endCursor
      }
    }
    Promise.all(ids.map(load)).then(
      (loaded) => !isOld && setRuns(loaded),
      (error) => !isOld && error instanceof Failed && setProblem(error.problem),
    )
    return () => {
      isOld = true
    }
  }, [key])
  return { runs, problem }
}

type Page = NonNullable<CompareItemsQuery['datasetExperiment']>

const readPage = async (id: string, after: string | null): Promise<Page | null> =>
  (await read(CompareItemsDocument, { id, after }, plainClient)).datasetExperiment

/** Experiments on the same items side by side: what got worse or better, by how much, and how sure that is. */
export const ComparePage = () => {
  const datasetId = useSegment(1)
  const address = useAddress()
  const ids = [address.get('base') ?? '', ...(address.get('with') ?? '').split(',')]
    .filter((one) => one !== '')
    .slice(0, MOST_RUNS)
  const { runs, problem } = useRuns(ids)
  const definitions = useData(DefinitionsDocument, {})
  const names = useMemo(() => scoreNames(runs ?? []), [runs])
  const scoreName = address.get('score') ?? names[0] ?? ''
  const better =
    definitions.data?.scoreDefinitions.find(({ name }) => name === scoreName)?.better ?? 'HIGHER'
  const items = useMemo(() => compareRuns(runs ?? [], scoreName), [runs, scoreName])
  const order = address.get('sort') === 'better' ? 'better' : 'worse'
  const onlyChanged = address.get('only') === 'changed'
  const marksWords = address.get('diff') !== 'off'
  const sign = (better === 'LOWER' ? -1 : 1) * (order === 'worse' ? 1 : -1)
  const shown = useMemo(
    () =>
      items
        .filter(
          (item) => !onlyChanged || item.cells.some((_, run) => run > 0 && deltaOf(item, run)),
        )
        .toSorted((a, b) => sign * (extreme(a, sign) - extreme(b, sign)))
        .slice(0, MOST_SHOWN),
    [items, onlyChanged, sign],
  )
  const active = address.get('item')
  const place = shown.findIndex((item) => item.id === active)
  const go = (to: number) => {
    const item = shown[Math.max(0, Math.min(shown.length - 1, to))]
    if (item === undefined) return
    address.set({ item: item.id }, { replace: true })
    document.getElementById(`item-${item.id}`)?.scrollIntoView({ block: 'nearest' })
  }
  const [, navigate] = useLocation()
  useKeys({
    j: () => go(place + 1),
    k: () => go(place - 1),
    w: () => address.set({ sort: order === 'worse' ? 'better' : null }),
    o: () => {
      const run = shown[place]?.cells.at(-1)?.runId
      if (run != null) navigate(`/steps/${encodeURIComponent(run)}`)
    },
  })
  return (
    <>
      <Top
        title={
          <div className="crumbs">
            <Link
              href={`/datasets/${encodeURIComponent(datasetId)}?tab=experiments`}
              className="quiet"
            >
              Dataset
            </Link>
            <span className="quiet">/</span>
            <h1 className="clip">Compare</h1>
          </div>
        }
      >
        <select
          className="field"
          aria-label="Score"
          value={scoreName}
          onChange={(event) => address.set({ score: event.target.value })}
        >
          {names.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
        <span className="soft only-wide">
          {better === 'NONE' ? 'neither is better' : `${better.toLowerCase()} is better`}
        </span>
      </Top>
      {problem !== undefined && <ProblemView problem={problem} />}
      {ids.length < 2 && (
        <div className="empty">
          <p>Choose two to four experiments on the dataset, then Compare.</p>
        </div>
      )}
      {runs !== undefined && ids.length >= 2 && (
        <div className="page">
          <div className="verdicts">
            {runs.slice(1).map((run, index) => (
              <Verdict
                key={run.id}
                base={runs[0]}
                run={run}
                index={index + 1}
                items={items}
                better={better}
              />
            ))}
            <div className="row wrap">
              <button
                type="button"
                className="button small"
                title="w"
                onClick={() => address.set({ sort: order === 'worse' ? 'better' : null })}
              >
                {order} first
              </button>
              <label className="row" style={{ gap: 4 }}>
                <input
                  type="checkbox"
                  checked={onlyChanged}
                  onChange={() => address.set({ only: onlyChanged ? null : 'changed' })}
                />
                only changed
              </label>
              <label className="row" style={{ gap: 4 }}>
                <input
                  type="checkbox"
                  checked={marksWords}
                  onChange={() => address.set({ diff: marksWords ? 'off' : null })}
                />
                mark words
              </label>
              {shown.length < items.length && (
                <span className="quiet">
                  {shown.length} of {plural(items.length, 'item')} shown
                </span>
              )}
            </div>
          </div>
          {items.length === 0 ? (
            <div className="empty">
              <p>
                These experiments share no item:{' '}
                {runs.map(({ name, results }) => `${name} has ${results.length}`).join(', ')}.
              </p>
            </div>
          ) : (
            <div className="compare" style={{ ['--runs' as string]: runs.length }}>
              <div className="compare-row head">
                <span>Item</span>
                <span className="expected-cell">Expected</span>
                {runs.map(({ id: runId, name }, index) => (
                  <span key={runId}>
                    {index === 0 && 'base: '}
                    <Link href={`/experiments/${encodeURIComponent(runId)}`}>
                      <bdi>{line(name)}</bdi>
                    </Link>
                  </span>
                ))}
              </div>
              {shown.map((item) => (
                <Row
                  key={item.id}
                  item={item}
                  better={better}
                  isActive={item.id === active}
                  marksWords={marksWords}
                />
              ))}
            </div>
          )}
        </div>
      )}
    </>
  )
}

/** The largest change of an item in the direction that is looked for. */
const extreme = (item: ComparedItem, sign: number): number => {
  const deltas = item.cells.flatMap((_, run) => (run === 0 ? [] : [deltaOf(item, run) ?? 0]))
  return sign > 0 ? Math.min(...deltas) : Math.max(...deltas)
}

const Verdict = ({
  base,
  run,
  index,
  items,
  better,
}: {
  base: Run | undefined
  run: Run
  index: number
  items: readonly ComparedItem[]
  better: 'HIGHER' | 'LOWER' | 'NONE'
}) => {
  const deltas = items.flatMap((item) => {
    const delta = deltaOf(item, index)
    return delta === undefined ? [] : [delta]
  })
  const missing = items.filter(
    ({ cells }) => (cells[0] === undefined) !== (cells[index] === undefined),
  ).length
  if (deltas.length === 0)
    return (
      <p>
        <bdi>{line(run.name)}</bdi>: no item has a score in both. Base has{' '}
        {base?.results.length ?? 0} results, this one {run.results.length}.
      </p>
    )
  const difference = pairedDifference(deltas)
  const verdict = verdictOf(difference, better)
  const mean = (which: number) => {
    const values = items
      .filter((item) => deltaOf(item, index) !== undefined)
      .map(({ cells }) => cells[which]?.score ?? 0)
    return values.reduce((sum, value) => sum + value, 0) / values.length
  }
  const up = deltas.filter((delta) => delta > 0).length
  const down = deltas.filter((delta) => delta < 0).length
  const [good, bad] = better === 'LOWER' ? [down, up] : [up, down]
  return (
    <p className="row wrap">
      <strong>
        <bdi>{line(run.name)}</bdi>
      </strong>
      <span>
        {showScore(mean(0))} → {showScore(mean(index))}
      </span>
      <strong>{signed(difference.mean)}</strong>
      {difference.interval !== undefined && (
        <>
          <IntervalBar
            low={difference.interval[0]}
            high={difference.interval[1]}
            mean={difference.mean}
          />
          <SignedIntervalText interval={difference.interval} />
        </>
      )}
      <strong className={verdict === 'better' ? 'good' : verdict === 'worse' ? 'bad' : ''}>
        {verdict === 'better' ? '▲ better' : verdict === 'worse' ? '▼ worse' : verdict}
      </strong>
      <span className="soft">
        {plural(difference.pairs, 'pair')} · {bad} worse · {good} better ·{' '}
        {deltas.length - up - down} same · {missing} missing
      </span>
    </p>
  )
}

/** A text where it is one, else what people read of it. */
const shownText = (value: unknown): string =>
  (value == null ? '' : (textOf(value) ?? readable(value))).slice(0, MOST_TEXT)

const Row = ({
  item,
  better,
  isActive,
  marksWords,
}: {
  item: ComparedItem
  better: 'HIGHER' | 'LOWER' | 'NONE'
  isActive: boolean
  marksWords: boolean
}) => {
  const base = shownText(item.cells[0]?.output)
  return (
    <div className={`compare-row${isActive ? ' is-active' : ''}`} id={`item-${item.id}`}>
      <div className="item-cell" dir="auto">
        {visible(shownText(item.input)) || <span className="quiet">the item was deleted</span>}
      </div>
      <div className="expected-cell soft" dir="auto">
        {visible(shownText(item.expectedOutput)) || <span className="quiet">–</span>}
      </div>
      {item.cells.map((cell, index) => {
        const delta = index === 0 ? undefined : deltaOf(item, index)
        const isGood = delta !== undefined && delta !== 0 && delta > 0 === (better !== 'LOWER')
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: cells are in the order of the runs
          <div key={index} dir="auto">
            {cell === undefined ? (
              <span className="quiet">not run</span>
            ) : (
              <>
                <div className="compare-score">
                  <span>{showScore(cell.score)}</span>
                  {delta !== undefined && delta !== 0 && better !== 'NONE' && (
                    <span className={isGood ? 'good' : 'bad'}>
                      {isGood ? '▲' : '▼'} {signed(delta)} {isGood ? 'better' : 'worse'}
                    </span>
                  )}
                  {cell.repeats > 1 && <span className="quiet">mean of {cell.repeats}</span>}
                  {cell.runId !== null && (
                    <Link href={`/steps/${encodeURIComponent(cell.runId)}`} className="soft">
                      run
                    </Link>
                  )}
                </div>
                <Output
                  text={shownText(cell.output)}
                  base={index > 0 && marksWords ? base : undefined}
                />
              </>
            )}
          </div>
        )
      })}
    </div>
  )
}

/** What came out, with the words marked that are not the base's. */
const Output = ({ text, base }: { text: string; base: string | undefined }) => {
  const parts = useMemo(
    () =>
      base === undefined || base === text ? undefined : diffWords(base, text, { timeout: 100 }),
    [text, base],
  )
  if (parts === undefined) return <>{visible(text)}</>
  return (
    <>
      {parts.map(({ value, added, removed }, index) => {
        // biome-ignore lint/suspicious/noArrayIndexKey: parts have no names
        if (added) return <ins key={index}>{visible(value)}</ins>
        // biome-ignore lint/suspicious/noArrayIndexKey: parts have no names
        if (removed) return <del key={index}>{visible(value)}</del>
        // biome-ignore lint/suspicious/noArrayIndexKey: parts have no names
        return <span key={index}>{visible(value)}</span>
      })}
    </>
  )
}
