import '../table/table.css'
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import { ExperimentTableDocument, type ExperimentTableQuery } from '../../generated/operations.js'
import { segment } from '../address/segment.js'
import { usePageWidth } from '../browser/use-width.js'
import { useData } from '../data/use-data.js'
import { count, nounOf, score as showScore } from '../format/number.js'
import { line } from '../format/text.js'
import { IntervalText } from '../stats/interval.js'
import { intervalOfMean } from '../stats/statistics.js'
import { Text, Time } from '../table/cells.js'
import { Pager, usePage } from '../table/pager.js'
import { type Column, MOMENT_WIDTH, Table } from '../table/table.js'
import { ProblemView } from '../ui/problem-view.js'
import { Snippet } from '../ui/snippet.js'
import { readable } from '../values/readable.js'
import { compareLink } from './compare-link.js'
import { ExperimentState } from './experiment-state.js'
import { NameOrId } from './name-or-id.js'

type Row = ExperimentTableQuery['datasetExperiments']['edges'][number]['node']

const experimentLink = ({ id }: { id: string }) => `/experiments/${segment(id)}`

const COLUMNS: readonly Column<Row>[] = [
  {
    id: 'name',
    title: 'Name',
    isMain: true,
    cell: (row) => (
      <>
        <Link href={experimentLink(row)}>
          <NameOrId name={row.name} id={row.id} />
        </Link>{' '}
        <ExperimentState experiment={row} />
      </>
    ),
  },
  {
    id: 'dataset',
    title: 'Dataset',
    width: 180,
    isBlank: ({ dataset }) => dataset === null,
    cell: ({ dataset }) =>
      dataset === null ? (
        <span className="quiet">–</span>
      ) : (
        <Link href={`/datasets/${segment(dataset.id)}`}>
          <NameOrId name={dataset.name} id={dataset.id} />
        </Link>
      ),
  },
  {
    id: 'scores',
    title: 'Scores: mean (95 %)',
    width: 260,
    isBlank: ({ scores }) => scores.length === 0,
    cell: ({ scores }) =>
      scores.length === 0 ? (
        <span className="quiet">–</span>
      ) : (
        scores.slice(0, 3).map(({ name, mean, deviation, count: n }) => (
          <span key={name} title={`n ${n}`} style={{ marginRight: 8 }}>
            <bdi className="soft">{line(name, 30)}</bdi> {showScore(mean)}{' '}
            <IntervalText interval={intervalOfMean(mean, deviation, n)} />
          </span>
        ))
      ),
  },
  {
    id: 'params',
    title: 'Parameters',
    width: 220,
    isBlank: ({ params }) => params === null,
    cell: ({ params }) => (
      <Text value={params === null ? null : readable(params)} className="soft" />
    ),
  },
  {
    id: 'items',
    title: 'Items',
    unit: ({ itemCount }) => nounOf(itemCount, 'item'),
    width: 70,
    align: 'right',
    cell: ({ itemCount }) => count(itemCount),
  },
  {
    id: 'errors',
    title: 'Errors',
    unit: ({ errorCount }) => nounOf(errorCount, 'error'),
    width: 70,
    align: 'right',
    isBlank: ({ errorCount }) => errorCount === 0,
    cell: ({ errorCount }) =>
      errorCount === 0 ? (
        <span className="quiet">–</span>
      ) : (
        <span className="bad">{count(errorCount)}</span>
      ),
  },
  {
    id: 'created',
    title: 'Created',
    width: MOMENT_WIDTH,
    cell: ({ createdAt }) => <Time at={createdAt} />,
  },
]

const SNIPPET = `const experiment = await stepwell.api.createExperiment({ name: 'trial 1', datasetId: dataset.id })
for (const item of dataset.items)
  await stepwell.api.createExperimentItem({
    datasetExperimentId: experiment.id,
    datasetItemId: item.id,
    output: await answer(item.input),
    scores: [{ name: 'reward', type: 'CODE', value: 1 }],
  })
`

/** Lists all experiments, or those on one dataset; up to five on the same data can be compared. */
export const ExperimentTable = ({ datasetId }: { datasetId?: string }) => {
  const page = useData(ExperimentTableDocument, { datasetId: datasetId ?? null, ...usePage() })
  const width = usePageWidth()
  const [, navigate] = useLocation()
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const connection = page.data?.datasetExperiments
  const rows = connection?.edges.map(({ node }) => node) ?? []
  const picked = rows.filter(({ id }) => chosen.has(id))
  const [first] = picked
  // Experiments on data of another kind have no dataset, and are compared by the keys of their items.
  const own = first?.dataset?.id ?? null
  const isShared = picked.every(({ dataset }) => (dataset?.id ?? null) === own)
  if (page.data === undefined && page.problem !== undefined)
    return <ProblemView problem={page.problem} retry={page.refresh} />
  if (connection !== undefined && rows.length === 0 && !page.isPrevious)
    return (
      <div className="empty">
        <p>
          No experiments yet. An experiment is one pass over a dataset, with outputs and scores:
        </p>
        <Snippet code={SNIPPET} />
      </div>
    )
  return (
    <>
      {page.problem !== undefined && <ProblemView problem={page.problem} retry={page.refresh} />}
      <Table
        label="Experiments"
        columns={datasetId === undefined ? COLUMNS : COLUMNS.filter(({ id }) => id !== 'dataset')}
        rows={rows}
        keyOf={({ id }) => id}
        hrefOf={experimentLink}
        chosen={chosen}
        onChoose={(key) => {
          const next = new Set(chosen)
          if (!next.delete(key)) next.add(key)
          setChosen(next)
        }}
        isDimmed={page.isPrevious}
        skeletonRows={page.isLoading ? 8 : 0}
        width={width}
      />
      {connection !== undefined && <Pager info={connection.pageInfo} />}
      {picked.length > 0 && (
        <div className="selection-bar">
          <span>{picked.length} selected</span>
          <button
            type="button"
            className="button primary"
            disabled={picked.length < 2 || picked.length > 5 || !isShared}
            onClick={() => {
              // The oldest one is the base of the comparison.
              navigate(compareLink(own, picked.map(({ id }) => id).reverse()))
            }}
          >
            Compare
          </button>
          <span className="quiet">
            {isShared ? 'Choose two to five.' : 'Only experiments on one dataset can be compared.'}
          </span>
        </div>
      )}
    </>
  )
}
