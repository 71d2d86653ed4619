import { Link, useLocation } from 'wouter'
import {
  ExperimentPageDocument,
  type ExperimentPageQuery,
  RemoveExperimentDocument,
} from '../../../generated/operations.js'
import { segment } from '../../address/segment.js'
import { useSegment } from '../../address/use-segment.js'
import { usePageWidth } from '../../browser/use-width.js'
import { useMayWrite } from '../../data/project.js'
import { useChange, useData } from '../../data/use-data.js'
import { plural, score as showScore } from '../../format/number.js'
import { line } from '../../format/text.js'
import { IntervalText } from '../../stats/interval.js'
import { intervalOfMean } from '../../stats/statistics.js'
import { Scores, Text, Time } from '../../table/cells.js'
import { Pager, usePage } from '../../table/pager.js'
import { type Column, Table } from '../../table/table.js'
import { Breadcrumbs } from '../../ui/breadcrumbs.js'
import { ConfirmButton } from '../../ui/confirm-button.js'
import { ProblemView } from '../../ui/problem-view.js'
import { useToast } from '../../ui/toasts.js'
import { Top } from '../../ui/top.js'
import { excerpt } from '../../values/readable.js'
import { ValueView } from '../../values/value-view.js'

type Row = NonNullable<ExperimentPageQuery['datasetExperiment']>['items']['edges'][number]['node']

const runOf = ({ experimentRunId }: Row) =>
  experimentRunId === null ? undefined : `/steps/${segment(experimentRunId)}`

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
    cell: ({ output }) => <Text value={excerpt(output)} className="soft" />,
  },
  {
    id: 'scores',
    title: 'Scores',
    width: 200,
    isBlank: ({ scores }) => scores.length === 0,
    cell: ({ scores }) => <Scores scores={scores} />,
  },
  {
    id: 'run',
    title: 'Run',
    width: 90,
    cell: (row) => {
      const run = runOf(row)
      return run === undefined ? (
        <span className="quiet">not recorded</span>
      ) : (
        <Link href={run}>its run</Link>
      )
    },
  },
]

/** One pass over a dataset, or a loose set of results. */
export const ExperimentPage = () => {
  const experimentId = useSegment(1)
  const page = useData(ExperimentPageDocument, { id: experimentId, ...usePage() })
  const width = usePageWidth()
  const mayWrite = useMayWrite()
  const remove = useChange(RemoveExperimentDocument)
  const showToast = useToast()
  const [, navigate] = useLocation()
  const experiment = page.data?.datasetExperiment
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
                  <bdi>{line(experiment.dataset.name)}</bdi>
                </Link>{' '}
                ·{' '}
              </>
            )}
            {plural(experiment.itemCount, 'item')} · <Time at={experiment.createdAt} />
          </span>
        )}
        {mayWrite && experiment != null && (
          <ConfirmButton
            label="Delete…"
            confirmLabel="Delete it with its results"
            onConfirm={async () => {
              await remove({ id: experimentId })
              showToast('The experiment is deleted.')
              navigate('/experiments')
            }}
          />
        )}
      </Top>
      {page.problem !== undefined && <ProblemView problem={page.problem} retry={page.refresh} />}
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
          {experiment.scores.length > 0 && (
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
            </div>
          )}
          {experiment.params !== null && (
            <div style={{ padding: '12px 16px' }}>
              <ValueView title="Parameters" value={experiment.params} />
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
              hrefOf={runOf}
              width={width}
            />
          )}
          <Pager info={experiment.items.pageInfo} />
        </div>
      )}
    </>
  )
}
