import './compare.css'
import '../../table/table.css'
import { useCallback, useMemo } from 'react'
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
import { Breadcrumbs } from '../../ui/breadcrumbs.js'
import { ProblemView } from '../../ui/problem-view.js'
import { Top } from '../../ui/top.js'
import { CompareRow } from './compare-row.js'
import {
  type ComparedItem,
  compareAll,
  compareExperiments,
  deltaOf,
  scoreNames,
} from './comparison.js'
import { DifferenceSummary } from './difference-summary.js'
import { ExperimentChoice } from './experiment-choice.js'
import { useResults } from './use-results.js'

const MAX_EXPERIMENTS = 4
const MAX_ITEMS = 200

/** Experiments on the same items side by side: changes with size and interval. */
export const ComparePage = () => {
  const datasetId = useSegment(1)
  const address = useAddress()
  const ids = [address.get('base') ?? '', ...(address.get('with') ?? '').split(',')]
    .filter((one) => one !== '')
    .slice(0, MAX_EXPERIMENTS)
  const { experiments, problem, retry } = useResults(ids)
  const definitions = useData(DefinitionsDocument, {})
  const names = useMemo(() => scoreNames(experiments ?? []), [experiments])
  const scoreName = address.get('score') ?? names[0] ?? ''
  const betterOf = useCallback(
    (name: string) =>
      definitions.data?.scoreDefinitions.find((one) => one.name === name)?.better ?? 'HIGHER',
    [definitions.data],
  )
  const better = betterOf(scoreName)
  const compared = useMemo(() => compareAll(experiments ?? [], betterOf), [experiments, betterOf])
  const items = useMemo(
    () => compareExperiments(experiments ?? [], scoreName),
    [experiments, scoreName],
  )
  const order = address.get('sort') === 'better' ? 'better' : 'worse'
  const onlyChanged = address.get('only') === 'changed'
  const marksWords = address.get('diff') !== 'off'
  const sign = (better === 'LOWER' ? -1 : 1) * (order === 'worse' ? 1 : -1)
  const shown = useMemo(
    () =>
      items
        .filter(
          (item) =>
            !onlyChanged || item.cells.some((_, place) => place > 0 && deltaOf(item, place)),
        )
        .toSorted((a, b) => sign * (extreme(a, sign) - extreme(b, sign)))
        .slice(0, MAX_ITEMS),
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
          <Breadcrumbs parent="Dataset" href={`/datasets/${segment(datasetId)}?tab=experiments`}>
            Compare
          </Breadcrumbs>
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
        <ExperimentChoice
          datasetId={datasetId}
          ids={ids}
          most={MAX_EXPERIMENTS}
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
          note="Without it, the better direction is unknown."
        />
      )}
      {ids.length < 2 && (
        <div className="empty">
          <p>Choose two to four experiments on the dataset above.</p>
        </div>
      )}
      {experiments !== undefined && definitions.data !== undefined && ids.length >= 2 && (
        <div className="page">
          <div className="differences">
            {compared
              .toSorted((a, b) => Number(b.name === scoreName) - Number(a.name === scoreName))
              .map((one) => {
                const experiment = experiments[one.experiment]
                return experiment === undefined ? null : (
                  <DifferenceSummary
                    key={`${experiment.id} ${one.name}`}
                    base={experiments[0]}
                    experiment={experiment}
                    compared={one}
                    changes={
                      one.name === scoreName
                        ? items.flatMap((item) => deltaOf(item, one.experiment) ?? [])
                        : undefined
                    }
                  />
                )
              })}
            {compared.length > 1 && (
              <p className="soft">
                {plural(compared.length, 'comparison')} together: in 95 of 100 such pages no verdict
                is wrong.
              </p>
            )}
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
                {experiments.map(({ name, results }) => `${name} has ${results.length}`).join(', ')}
                .
              </p>
            </div>
          ) : (
            <div className="compare" style={{ ['--experiments' as string]: experiments.length }}>
              <div className="compare-row head">
                <span>Item</span>
                <span className="expected-cell">Expected</span>
                {experiments.map(({ id, name }, index) => (
                  <span key={id}>
                    {index === 0 && 'base: '}
                    <Link href={`/experiments/${segment(id)}`}>
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

/** Returns the largest change of an item in the direction of the order. */
const extreme = (item: ComparedItem, sign: number): number => {
  const deltas = item.cells.flatMap((_, place) => (place === 0 ? [] : [deltaOf(item, place) ?? 0]))
  return sign > 0 ? Math.min(...deltas) : Math.max(...deltas)
}
