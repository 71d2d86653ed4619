import { Link } from 'wouter'
import { ItemHistoryDocument, type ItemHistoryQuery } from '../../../generated/operations.js'
import { segment } from '../../address/segment.js'
import { useSegment } from '../../address/use-segment.js'
import { usePageWidth } from '../../browser/use-width.js'
import { useData } from '../../data/use-data.js'
import { count } from '../../format/number.js'
import { ExperimentState } from '../../parts/experiment-state.js'
import { NameOrId } from '../../parts/name-or-id.js'
import { RESULT_COLUMNS, runOf } from '../../parts/result-columns.js'
import { Scores, Text, Time } from '../../table/cells.js'
import { Pager, usePage } from '../../table/pager.js'
import { type Column, MOMENT_WIDTH, Table } from '../../table/table.js'
import { Breadcrumbs } from '../../ui/breadcrumbs.js'
import { ProblemView } from '../../ui/problem-view.js'
import { Top } from '../../ui/top.js'
import { excerpt } from '../../values/readable.js'
import { ValueView } from '../../values/value-view.js'

type Result = NonNullable<ItemHistoryQuery['datasetItem']>['results']['edges'][number]['node']

const COLUMNS: readonly Column<Result>[] = [
  {
    id: 'experiment',
    title: 'Experiment',
    width: 220,
    cell: ({ experiment }) =>
      experiment === null ? (
        <span className="quiet">deleted</span>
      ) : (
        <>
          <Link href={`/experiments/${segment(experiment.id)}`}>
            <NameOrId name={experiment.name} id={experiment.id} />
          </Link>{' '}
          <ExperimentState experiment={experiment} />
        </>
      ),
  },
  {
    id: 'created',
    title: 'Created',
    width: MOMENT_WIDTH,
    cell: ({ createdAt }) => <Time at={createdAt} />,
  },
  {
    id: 'output',
    title: 'Output',
    isMain: true,
    cell: ({ output, error }) =>
      error === null ? <Text value={excerpt(output)} /> : <Text value={error} className="bad" />,
  },
  {
    id: 'scores',
    title: 'Scores',
    width: 200,
    isBlank: ({ scores }) => scores.length === 0,
    cell: ({ scores }) => <Scores scores={scores} />,
  },
  {
    id: 'repetition',
    title: 'Rep.',
    width: 56,
    align: 'right',
    isBlank: ({ repetition }) => repetition === null || repetition === 1,
    cell: ({ repetition }) => count(repetition),
  },
  ...RESULT_COLUMNS,
]

/** An item of a dataset with its results in all experiments, newest first. */
export const ItemPage = () => {
  const datasetId = useSegment(1)
  const page = useData(ItemHistoryDocument, { id: useSegment(3), ...usePage() })
  const width = usePageWidth()
  const item = page.data?.datasetItem
  return (
    <>
      <Top
        title={
          <Breadcrumbs parent="Dataset" href={`/datasets/${segment(datasetId)}`}>
            Item
          </Breadcrumbs>
        }
      />
      {page.problem !== undefined && <ProblemView problem={page.problem} retry={page.refresh} />}
      {item === null && (
        <div className="empty">
          <p>
            There is no item with this id here: it was deleted, or it belongs to another project.
          </p>
        </div>
      )}
      {item != null && (
        <div className="page">
          <div style={{ padding: '12px 16px' }}>
            <ValueView level={2} title="Input" value={item.input} />
            {item.expectedOutput !== null && (
              <ValueView level={2} title="Expected output" value={item.expectedOutput} />
            )}
          </div>
          {item.results.edges.length === 0 ? (
            <div className="empty">
              <p>No experiment has run on it yet.</p>
            </div>
          ) : (
            <Table
              label="Results in all experiments"
              columns={COLUMNS}
              rows={item.results.edges.map(({ node }) => node)}
              keyOf={({ id }) => id}
              hrefOf={runOf}
              isDimmed={page.isPrevious}
              width={width}
            />
          )}
          <Pager info={item.results.pageInfo} />
        </div>
      )}
    </>
  )
}
