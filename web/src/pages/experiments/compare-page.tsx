import './compare.css'
import '../../table/table.css'
import { useMemo } from 'react'
import { Link, useLocation } from 'wouter'
import { DefinitionsDocument } from '../../../generated/operations.js'
import { segment } from '../../address/segment.js'
import { useAddress } from '../../address/use-address.js'
import { useChoice } from '../../address/use-choice.js'
import { useSegment } from '../../address/use-segment.js'
import { useKeys } from '../../browser/keys.js'
import { useData } from '../../data/use-data.js'
import { plural } from '../../format/number.js'
import { line } from '../../format/text.js'
import { Crumbs } from '../../ui/crumbs.js'
import { ProblemView } from '../../ui/problem-view.js'
import { Top } from '../../ui/top.js'
import { CompareRow } from './compare-row.js'
import { type ComparedItem, compareRuns, deltaOf, scoreNames } from './comparison.js'
import { Verdict } from './difference-summary.js'
import { RunChoice } from './experiment-choice.js'
import { useRuns } from './use-results.js'

const MOST_RUNS = 4
const MOST_SHOWN = 200

/** Experiments on the same items side by side: what got worse or better, by how much, and how sure that is. */
export const ComparePage = () => {
  const datasetId = useSegment(1)
  const address = useAddress()
  const ids = [address.get('base') ?? '', ...(address.get('with') ?? '').split(',')]
    .filter((one) => one !== '')
    .slice(0, MOST_RUNS)
  const { runs, problem, retry } = useRuns(ids)
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
  const choice = useChoice('item')
  const active = choice.chosen
  const place = shown.findIndex((item) => item.id === active)
  const go = (to: number) => {
    const item = shown[Math.max(0, Math.min(shown.length - 1, to))]
    if (item === undefined) return
    choice.go(item.id)
    document.getElementById(`item-${item.id}`)?.scrollIntoView({ block: 'nearest' })
  }
  const [, navigate] = useLocation()
  useKeys({
    j: () => go(place + 1),
    k: () => go(place - 1),
    w: () => address.set({ sort: order === 'worse' ? 'better' : null }),
    o: () => {
      const run = shown[place]?.cells.at(-1)?.runId
      if (run != null) navigate(`/steps/${segment(run)}`)
    },
  })
  return (
    <>
      <Top
        title={
          <Crumbs parent="Dataset" href={`/datasets/${segment(datasetId)}?tab=experiments`}>
            Compare
          </Crumbs>
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
          {definitions.data === undefined
            ? ''
            : better === 'NONE'
              ? 'neither is better'
              : `${better.toLowerCase()} is better`}
        </span>
      </Top>
      <div className="list-bar">
        <RunChoice
          datasetId={datasetId}
          ids={ids}
          most={MOST_RUNS}
          onChange={([base, ...others]) =>
            address.set({ base: base ?? null, with: others.join(','), item: null })
          }
        />
      </div>
      {problem !== undefined && <ProblemView problem={problem} retry={retry} />}
      {definitions.problem !== undefined && (
        <ProblemView
          problem={definitions.problem}
          retry={definitions.refresh}
          note="Which direction is better is not known without it."
        />
      )}
      {ids.length < 2 && (
        <div className="empty">
          <p>Choose two to four experiments on the dataset above.</p>
        </div>
      )}
      {runs !== undefined && definitions.data !== undefined && ids.length >= 2 && (
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
                    <Link href={`/experiments/${segment(runId)}`}>
                      <bdi>{line(name)}</bdi>
                    </Link>
                  </span>
                ))}
              </div>
              {shown.map((item) => (
                <CompareRow
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
