import { Link, useLocation } from 'wouter'
import {
  ExperimentPageDocument,
  type ExperimentPageQuery,
  ExperimentTableDocument,
  RemoveExperimentDocument,
} from '../../../generated/operations.js'
import { segment } from '../../address/segment.js'
import { useSegment } from '../../address/use-segment.js'
import { usePageWidth } from '../../browser/use-width.js'
import { useMayWrite } from '../../data/project.js'
import { useChange, useData } from '../../data/use-data.js'
import { plural, score as showScore } from '../../format/number.js'
import { line } from '../../format/text.js'
import { ExperimentState } from '../../parts/experiment-state.js'
import { MEASURE_TITLES, showMeasure } from '../../parts/measures.js'
import { NameOrId } from '../../parts/name-or-id.js'
import { experimentItemLink, RESULT_COLUMNS, runOf } from '../../parts/result-columns.js'
import { IntervalText } from '../../stats/interval.js'
import { intervalOfMean, MEASURES } from '../../stats/statistics.js'
import { Said, Scores, Text, Time } from '../../table/cells.js'
import { Pager, usePage } from '../../table/pager.js'
import { type Column, Table } from '../../table/table.js'
import { Breadcrumbs } from '../../ui/breadcrumbs.js'
import { ConfirmButton } from '../../ui/confirm-button.js'
import { ProblemView } from '../../ui/problem-view.js'
import { useToast } from '../../ui/toasts.js'
import { Top } from '../../ui/top.js'
import { excerpt } from '../../values/readable.js'
import { ValueView } from '../../values/value-view.js'
import { CompareWith } from './compare-with.js'

type Row = NonNullable<ExperimentPageQuery['datasetExperiment']>['items']['edges'][number]['node']

const COLUMNS: readonly Column<Row>[] = [
  {
    id: 'input',
    title: 'Input',
    isMain: true,
    cell: ({ input }) => <Text value={excerpt(input)} />,
  },
  {
    id: 'output',
    title: 'Output',
    cell: ({ output, error }, shows) => (
      <Said text={excerpt(output)} error={error} isErrorFirst={!shows('error')} />
    ),
  },
  {
    id: 'error',
    title: 'Error',
    width: 180,
    // The cost and the run matter more, as the output tells an error, too.
    drops: 1,
    isBlank: ({ error }) => error === null,
    cell: ({ error }) => <Text value={error} className="bad" />,
  },
  {
    id: 'scores',
    title: 'Scores',
    width: 190,
    isBlank: ({ scores }) => scores.length === 0,
    cell: ({ scores }) => <Scores scores={scores} />,
  },
  ...RESULT_COLUMNS,
]

/** Experiments that are offered to compare with: the newest ones. */
const MAX_OFFERED = 100

/** One pass over a dataset, or a loose set of results. */
export const ExperimentPage = () => {
  const experimentId = useSegment(1)
  const page = useData(ExperimentPageDocument, { id: experimentId, ...usePage() })
  const experiment = page.data?.datasetExperiment
  const datasetId = experiment?.dataset?.id ?? null
  const others = useData(
    ExperimentTableDocument,
    { datasetId, first: MAX_OFFERED },
    { pause: experiment == null },
  )
  const offered = others.data?.datasetExperiments.edges
    .map(({ node }) => node)
    .filter(({ dataset }) => (dataset?.id ?? null) === datasetId)
  const width = usePageWidth()
  const mayWrite = useMayWrite()
  const remove = useChange(RemoveExperimentDocument)
  const showToast = useToast()
  const [, navigate] = useLocation()
  return (
    <>
      <Top
        title={
          <Breadcrumbs parent="Experiments" href="/experiments">
            {line(experiment?.name) || 'Experiment'}
          </Breadcrumbs>
        }
      >
        {experiment != null && (
          <span className="soft only-wide">
            {experiment.dataset !== null && (
              <>
                on{' '}
                <Link href={`/datasets/${segment(experiment.dataset.id)}`}>
                  <NameOrId {...experiment.dataset} most={40} />
                </Link>{' '}
                ·{' '}
              </>
            )}
            {plural(experiment.itemCount, 'item')} · <Time at={experiment.createdAt} />
          </span>
        )}
        {experiment != null && (
          <CompareWith experiment={experiment} datasetId={datasetId} experiments={offered ?? []} />
        )}
        {mayWrite && experiment != null && (
          <ConfirmButton
            label="Delete…"
            confirmLabel="Delete it with its results"
            onConfirm={async (isThere) => {
              await remove({ id: experimentId })
              showToast('The experiment is deleted.')
              if (isThere()) navigate('/experiments')
            }}
          />
        )}
      </Top>
      {page.problem !== undefined && <ProblemView problem={page.problem} retry={page.refresh} />}
      {others.problem !== undefined && (
        <ProblemView
          problem={others.problem}
          retry={others.refresh}
          note="It can’t be compared with others here."
        />
      )}
      {experiment === null && (
        <div className="empty">
          <p>
            There is no experiment with this id here: it was deleted, or it belongs to another
            project.
          </p>
        </div>
      )}
      {experiment != null && (
        <div className="page">
          <div className="row" style={{ padding: '0 16px' }}>
            <ExperimentState experiment={experiment} />
            {experiment.problem !== null && (
              <span className="soft">{line(experiment.problem, 300)}</span>
            )}
          </div>
          {experiment.scores.length + experiment.measures.length > 0 && (
            <div className="figures">
              {experiment.scores.map(({ name, mean, deviation, count }) => (
                <div className="figure" key={name}>
                  <bdi className="soft">{line(name, 60)}</bdi>
                  <strong>{showScore(mean)}</strong>
                  <span>
                    <IntervalText interval={intervalOfMean(mean, deviation, count)} />{' '}
                    <span className="quiet">n {count}</span>
                  </span>
                </div>
              ))}
              {experiment.measures.map(({ name, mean, deviation, count: n }) => {
                const measure = MEASURES.find((one) => one === name)
                if (measure === undefined || (mean === 0 && measure !== 'errors')) return null
                const interval = intervalOfMean(mean, deviation, n)
                return (
                  <div className="figure" key={`measure ${name}`}>
                    <span className="soft">{MEASURE_TITLES[measure]}</span>
                    <strong>{showMeasure(measure, mean)}</strong>
                    <span>
                      {interval !== null && measure !== 'errors' && (
                        <span className="soft">
                          ({showMeasure(measure, interval.low)} –{' '}
                          {showMeasure(measure, interval.high)})
                        </span>
                      )}{' '}
                      <span className="quiet">n {n}</span>
                    </span>
                  </div>
                )
              })}
            </div>
          )}
          {experiment.params !== null && (
            <div style={{ padding: '12px 16px' }}>
              <ValueView level={2} title="Parameters" value={experiment.params} />
            </div>
          )}
          {experiment.items.edges.length === 0 ? (
            <div className="empty">
              <p>No results yet.</p>
            </div>
          ) : (
            <Table
              label="Results"
              columns={COLUMNS}
              rows={experiment.items.edges.map(({ node }) => node)}
              keyOf={(row) => row.id}
              hrefOf={(row) =>
                // A row whose run was not recorded leads to its item in all experiments.
                runOf(row) ??
                (row.datasetItemId === null
                  ? undefined
                  : experimentItemLink({ ...row, experiment }))
              }
              width={width}
            />
          )}
          <Pager info={experiment.items.pageInfo} />
        </div>
      )}
    </>
  )
}
