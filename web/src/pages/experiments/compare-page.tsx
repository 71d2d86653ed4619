import './compare.css'
import '../../table/table.css'
import { useMemo } from 'react'
import { Link, useLocation } from 'wouter'
import {
  DefinitionsDocument,
  ExperimentTableDocument,
  type ExperimentTableQuery,
} from '../../../generated/operations.js'
import { segment } from '../../address/segment.js'
import { type Address, useAddress } from '../../address/use-address.js'
import { useChoice } from '../../address/use-choice.js'
import { useSegment } from '../../address/use-segment.js'
import { useKeys } from '../../browser/keys.js'
import { useData } from '../../data/use-data.js'
import { plural, score as showScore, signed } from '../../format/number.js'
import { line } from '../../format/text.js'
import { ExperimentState } from '../../parts/experiment-state.js'
import { showMeasure, signedMeasure } from '../../parts/measures.js'
import { NameOrId } from '../../parts/name-or-id.js'
import { MEASURES, type Measure } from '../../stats/statistics.js'
import { Breadcrumbs } from '../../ui/breadcrumbs.js'
import { Notices } from '../../ui/notices.js'
import { ProblemView } from '../../ui/problem-view.js'
import { Top } from '../../ui/top.js'
import { QuantityChoice, RowsBar } from './compare-bar.js'
import { compareNotices } from './compare-notices.js'
import { CompareRow, type Shows } from './compare-row.js'
import { type Better, directionOf } from './comparing/direction.js'
import type { Chosen, Shown, View } from './comparing/messages.js'
import { FILTERS, type Only, type Order } from './comparing/rows.js'
import { useComparison } from './comparing/use-comparison.js'
import { DifferenceSummary } from './difference-summary.js'
import { ExperimentChoice, MAX_OFFERED } from './experiment-choice.js'
import { RefusedScores } from './refused-scores.js'
import { RuleVerdict } from './rule-verdict.js'
import { useDetails } from './use-details.js'

/** A base, and four beside it. */
const MAX_EXPERIMENTS = 5
const PAGE_SIZE = 25

/** Experiments on the same items side by side: the verdicts, and the items that differ. */
export const ComparePage = () => {
  const isOnDataset = useSegment(0) === 'datasets'
  const segmentAfter = useSegment(1)
  // Null for experiments on data that is no dataset.
  const datasetId = isOnDataset ? segmentAfter : null
  const address = useAddress()
  const ids = idsIn(address)
  const definitions = useData(DefinitionsDocument, {})
  const better = useMemo(
    () =>
      definitions.data === undefined
        ? undefined
        : Object.fromEntries(
            definitions.data.scoreDefinitions.flatMap((one): [string, Better][] =>
              one.better === null ? [] : [[one.name, one.better]],
            ),
          ),
    [definitions.data],
  )
  const view = better === undefined ? undefined : viewIn(address, better)
  const { experiments, loading, problem, shown, retry } = useComparison(ids, view)
  const rows = shown?.rows ?? []
  const details = useDetails(
    ids,
    rows.map(({ item }) => item),
  )
  const choice = useChoice('item')
  const place = rows.findIndex(({ item }) => item === choice.chosen)
  const go = (to: number) => {
    const row = rows[Math.max(0, Math.min(rows.length - 1, to))]
    if (row === undefined) return
    choice.go(row.item)
    document.getElementById(`item-${row.item}`)?.scrollIntoView({ block: 'nearest' })
  }
  const [, navigate] = useLocation()
  // The answer that the choice above the table reads.
  const known = useData(ExperimentTableDocument, { datasetId, first: MAX_OFFERED })
  useKeys({
    j: () => go(place + 1),
    k: () => go(place - 1),
    w: () => address.set({ sort: address.get('sort') === 'better' ? null : 'better', page: null }),
    o: () => {
      const run = details.details?.get(rows[place]?.item ?? '')?.results.at(-1)?.experimentRunId
      if (run != null) navigate(`/steps/${segment(run)}`)
    },
  })
  return (
    <>
      <Top
        title={
          <Breadcrumbs
            parent={
              datasetId === null ? (
                'Experiments'
              ) : (
                <DatasetName experiments={known.data?.datasetExperiments} />
              )
            }
            href={
              datasetId === null
                ? '/experiments'
                : `/datasets/${segment(datasetId)}?tab=experiments`
            }
          >
            {titleOf(experiments)}
          </Breadcrumbs>
        }
      >
        {shown !== undefined && <span className="soft only-wide">{directionTitle(shown)}</span>}
      </Top>
      <div className="list-bar">
        <ExperimentChoice
          datasetId={datasetId}
          ids={ids}
          most={MAX_EXPERIMENTS}
          onChange={([base, ...others]) =>
            address.set({ base: base ?? null, with: others.join(','), item: null, page: null })
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
          <p>Choose two to five experiments{datasetId !== null && ' on the dataset'} above.</p>
        </div>
      )}
      {ids.length >= 2 && shown === undefined && problem === undefined && (
        <div className="empty" role="status">
          <p>
            {loading === undefined
              ? 'Reading the results …'
              : `${loading.read.toLocaleString('en')} of ${plural(loading.total, 'result')} read …`}
          </p>
        </div>
      )}
      {experiments !== undefined && shown !== undefined && (
        <div className="page">
          <Notices texts={compareNotices(address)} />
          {experiments.some((one) => one === undefined) && (
            <Notices
              texts={[
                `${plural(experiments.filter((one) => one === undefined).length, 'experiment')} of this address ${experiments.filter((one) => one === undefined).length === 1 ? 'is' : 'are'} not here: deleted, or of another project.`,
              ]}
            />
          )}
          <div className="differences">
            <div className="row wrap">
              <QuantityChoice
                address={address}
                chosen={shown.chosen}
                margin={shown.margin}
                names={shown.names}
                measures={MEASURES.filter((measure) =>
                  shown.differences.some(({ measures }) => measures[measure] !== undefined),
                )}
              />
            </div>
            {shown.differences.map((differences, index) => {
              const experiment = experiments[index + 1]
              return (
                <DifferenceSummary
                  key={experiment?.id ?? index}
                  title={<ExperimentTitle experiment={experiment} />}
                  differences={differences}
                  decision={
                    <RuleVerdict
                      experiment={experiment}
                      decision={shown.decisions[index]}
                      better={shown.better}
                    />
                  }
                  first={
                    shown.chosen !== undefined && 'score' in shown.chosen
                      ? shown.chosen.score
                      : undefined
                  }
                  better={shown.better}
                />
              )
            })}
            <RefusedScores
              baseId={ids[0] ?? ''}
              experiments={experiments.slice(1)}
              differences={shown.differences}
            />
            <Together shown={shown} />
            <RowsBar
              address={address}
              order={orderIn(address)}
              only={onlyIn(address)}
              counts={shown.counts}
              page={pageIn(address)}
              pageSize={PAGE_SIZE}
              marksWords={address.get('diff') !== 'off'}
            />
          </div>
          {details.problem !== undefined && (
            <ProblemView
              problem={details.problem}
              retry={details.retry}
              note="Inputs and outputs are missing below."
            />
          )}
          {rows.length === 0 ? (
            <div className="empty">
              <p>
                {shown.counts.all === 0
                  ? `These experiments have no result on an item that has a key: ${experiments.map((one, index) => `${line(one?.name)} has ${shown.results[index] ?? 0}`).join(', ')}.`
                  : 'No item is like that. Choose another filter above.'}
              </p>
            </div>
          ) : (
            // It scrolls, and the keyboard must reach that.
            <section className="compare-frame" tabIndex={0} aria-label="Items side by side">
              <div className="compare" style={{ ['--experiments' as string]: ids.length }}>
                <div className="compare-row head">
                  <span>Item</span>
                  <span className="expected-cell">Expected</span>
                  {experiments.map((experiment, index) => (
                    <span key={ids[index]}>
                      {index === 0 && 'base: '}
                      <ExperimentTitle experiment={experiment} />
                    </span>
                  ))}
                </div>
                {rows.map((row) => (
                  <CompareRow
                    key={row.item}
                    row={row}
                    names={experiments.map((one) => one?.name ?? 'deleted')}
                    details={details.details?.get(row.item)}
                    better={betterOf(shown)}
                    shows={showsOf(shown.chosen)}
                    historyHref={
                      datasetId === null
                        ? undefined
                        : `/datasets/${segment(datasetId)}/items/${segment(row.item)}`
                    }
                    isActive={row.item === choice.chosen}
                    marksWords={address.get('diff') !== 'off'}
                    isAwaited={details.details === undefined && details.problem === undefined}
                  />
                ))}
              </div>
            </section>
          )}
        </div>
      )}
    </>
  )
}

/** The name of the dataset that the experiments ran on. */
const DatasetName = ({
  experiments,
}: {
  experiments: ExperimentTableQuery['datasetExperiments'] | undefined
}) => <bdi>{line(experiments?.edges[0]?.node.dataset?.name, 60) || 'Dataset'}</bdi>

const titleOf = (experiments: readonly ({ name: string } | undefined)[] | undefined): string => {
  const [base, ...others] = experiments?.map((one) => line(one?.name, 60) || 'deleted') ?? []
  return others.length === 0 ? 'Compare' : `${others.join(', ')} against ${base}`
}

const ExperimentTitle = ({
  experiment,
}: {
  experiment:
    | (Parameters<typeof ExperimentState>[0]['experiment'] & { id: string; name: string })
    | undefined
}) =>
  experiment === undefined ? (
    <span className="quiet">deleted</span>
  ) : (
    <>
      <Link href={`/experiments/${segment(experiment.id)}`}>
        <NameOrId name={experiment.name} id={experiment.id} />
      </Link>{' '}
      <ExperimentState experiment={experiment} />
    </>
  )

/** Says for how many comparisons the verdicts hold at once. */
const Together = ({ shown: { differences, confidence } }: { shown: Shown }) => {
  const sizes = differences.map(({ scores, measures }) => [
    Object.keys(scores).length,
    Object.keys(measures).length,
  ])
  const scores = sizes.reduce((all, [size = 0]) => all + size, 0)
  const measures = sizes.reduce((all, [, size = 0]) => all + size, 0)
  if (scores < 2 && measures === 0) return null
  return (
    <p className="soft">
      {plural(scores, 'comparison')} of scores together: in {Number((confidence * 100).toFixed(2))}{' '}
      of 100 such pages no verdict on a score is wrong.
      {measures > 0 && ` So with the ${plural(measures, 'comparison')} of measures.`}
    </p>
  )
}

const idsIn = (address: Address): string[] =>
  [...new Set([address.get('base') ?? '', ...(address.get('with') ?? '').split(',')])]
    .filter((one) => one !== '')
    .slice(0, MAX_EXPERIMENTS)

const orderIn = (address: Address): Order => (address.get('sort') === 'better' ? 'better' : 'worse')

const onlyIn = (address: Address): Only =>
  FILTERS.find((filter) => filter === address.get('only')) ?? 'all'

const pageIn = (address: Address): number => {
  const page = Number(address.get('page') ?? 1)
  return Number.isInteger(page) && page >= 1 ? page - 1 : 0
}

const viewIn = (address: Address, better: View['better']): View => {
  const margin = Number(address.get('margin') ?? Number.NaN)
  const measure = MEASURES.find((one): one is Measure => one === address.get('measure'))
  const score = address.get('score')
  return {
    chosen: measure !== undefined ? { measure } : score !== undefined ? { score } : undefined,
    better,
    margin: margin >= 0 && Number.isFinite(margin) ? margin : undefined,
    order: orderIn(address),
    only: onlyIn(address),
    from: pageIn(address) * PAGE_SIZE,
    count: PAGE_SIZE,
  }
}

const betterOf = ({ chosen, better }: Shown): Better =>
  chosen !== undefined && 'score' in chosen ? directionOf(better, chosen.score) : 'LOWER'

const directionTitle = (shown: Shown): string => {
  const better = betterOf(shown)
  return better === 'NONE' ? 'neither is better' : `${better.toLowerCase()} is better`
}

const showsOf = (chosen: Chosen | undefined): Shows =>
  chosen !== undefined && 'measure' in chosen
    ? {
        value: (value) => showMeasure(chosen.measure, value),
        signed: (value) => signedMeasure(chosen.measure, value),
      }
    : { value: showScore, signed }
