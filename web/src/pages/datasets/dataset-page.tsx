import { Link, useLocation } from 'wouter'
import {
  DatasetPageDocument,
  type DatasetPageQuery,
  RemoveDatasetDocument,
} from '../../../generated/operations.js'
import { choiceNotices } from '../../address/notices.js'
import { segment } from '../../address/segment.js'
import { useAddress } from '../../address/use-address.js'
import { useSegment } from '../../address/use-segment.js'
import { useActions } from '../../browser/actions.js'
import { usePageWidth } from '../../browser/use-width.js'
import { useMayWrite } from '../../data/project.js'
import { useChange, useData } from '../../data/use-data.js'
import { plural } from '../../format/number.js'
import { line } from '../../format/text.js'
import { ExperimentTable } from '../../parts/experiment-table.js'
import { Text, Time } from '../../table/cells.js'
import { Pager, usePage } from '../../table/pager.js'
import { type Column, MOMENT_WIDTH, Table } from '../../table/table.js'
import { Breadcrumbs } from '../../ui/breadcrumbs.js'
import { ConfirmButton } from '../../ui/confirm-button.js'
import { Notices } from '../../ui/notices.js'
import { ProblemView } from '../../ui/problem-view.js'
import { useToast } from '../../ui/toasts.js'
import { Top } from '../../ui/top.js'
import { excerpt } from '../../values/readable.js'
import { ImportDialog } from './import/lazy-import-dialog.js'
import { ItemSheet } from './item-sheet.js'

type Row = NonNullable<DatasetPageQuery['dataset']>['items']['edges'][number]['node']

const columnsFor = (open: (id: string) => string): readonly Column<Row>[] => [
  {
    id: 'input',
    title: 'Input',
    isMain: true,
    cell: (row) => (
      <Link href={open(row.id)}>
        <Text value={excerpt(row.input)} />
      </Link>
    ),
  },
  {
    id: 'expected',
    title: 'Expected',
    isBlank: ({ expectedOutput }) => expectedOutput === null,
    cell: ({ expectedOutput }) => <Text value={excerpt(expectedOutput)} className="soft" />,
  },
  {
    id: 'metadata',
    title: 'Metadata',
    width: 180,
    isBlank: () => true,
    cell: ({ metadata }) => {
      const text = excerpt(metadata)
      return text === '{}' ? (
        <span className="quiet">–</span>
      ) : (
        <Text value={text} className="soft" />
      )
    },
  },
  {
    id: 'from',
    title: 'From',
    width: 96,
    isBlank: ({ stepId }) => stepId === null,
    cell: ({ stepId }) =>
      stepId === null ? (
        <span className="quiet">by hand</span>
      ) : (
        <Link href={`/steps/${segment(stepId)}`}>its run</Link>
      ),
  },
  {
    id: 'added',
    title: 'Added',
    width: MOMENT_WIDTH,
    cell: ({ createdAt }) => <Time at={createdAt} />,
  },
]

const TABS = ['items', 'experiments'] as const

export const DatasetPage = () => {
  const datasetId = useSegment(1)
  const address = useAddress()
  const page = useData(DatasetPageDocument, { id: datasetId, ...usePage() })
  const mayWrite = useMayWrite()
  const width = usePageWidth()
  const showToast = useToast()
  const [, navigate] = useLocation()
  const remove = useChange(RemoveDatasetDocument)
  const dataset = page.data?.dataset
  const asked = address.get('tab')
  const tab = asked === 'experiments' ? 'experiments' : 'items'
  const open = address.get('item')
  // Back leads to the page before the sheet, and does not open it again.
  const closeSheet = () => address.set({ item: null }, { replace: true })
  const rows = dataset?.items.edges.map(({ node }) => node) ?? []
  const item = rows.find((row) => row.id === open)
  useActions([
    mayWrite && dataset != null && { name: 'New item…', run: () => address.set({ item: 'new' }) },
    dataset != null && {
      name: tab === 'items' ? 'Show the experiments' : 'Show the items',
      run: () =>
        address.set({ tab: tab === 'items' ? 'experiments' : null, after: null, before: null }),
    },
  ])
  return (
    <>
      <Top
        title={
          <Breadcrumbs parent="Datasets" href="/datasets">
            {line(dataset?.name) || 'Dataset'}
          </Breadcrumbs>
        }
      >
        {dataset != null && (
          <span className="soft only-wide">
            {dataset.type} · {plural(dataset.itemCount, 'item')}
          </span>
        )}
        {mayWrite && dataset != null && (
          <>
            <button type="button" className="button" onClick={() => address.set({ item: 'new' })}>
              New item
            </button>
            <button
              type="button"
              className="button"
              onClick={() => address.set({ item: 'import' })}
            >
              Import…
            </button>
            <ConfirmButton
              label="Delete…"
              confirmLabel="Delete it with its items"
              onConfirm={async (isThere) => {
                await remove({ id: datasetId })
                showToast('The dataset is deleted.')
                if (isThere()) navigate('/datasets')
              }}
            />
          </>
        )}
      </Top>
      {page.problem !== undefined && <ProblemView problem={page.problem} retry={page.refresh} />}
      {dataset === null && (
        <div className="empty">
          <p>
            There is no dataset with this id here: it was deleted, or it belongs to another project.
          </p>
        </div>
      )}
      {dataset != null && (
        <>
          {dataset.description && (
            <p className="soft" style={{ padding: '8px 16px' }}>
              {line(dataset.description, 500)}
            </p>
          )}
          <div className="tabs" role="tablist" aria-label="Parts of the dataset">
            {TABS.map((name) => (
              <button
                type="button"
                key={name}
                role="tab"
                aria-selected={tab === name}
                onClick={() =>
                  address.set({ tab: name === 'items' ? null : name, after: null, before: null })
                }
              >
                {name === 'items'
                  ? `Items ${dataset.itemCount}`
                  : `Experiments ${dataset.experimentCount}`}
              </button>
            ))}
          </div>
          <div className="page">
            <Notices texts={choiceNotices('tab', asked, TABS, 'These are the items.')} />
            {open !== undefined &&
              !['new', 'import'].includes(open) &&
              item === undefined &&
              !page.isRefreshing && (
                <p className="notice" role="status">
                  The item of this address is not among the rows below.{' '}
                  <Link href={`/datasets/${segment(datasetId)}/items/${segment(open)}`}>
                    Look for it
                  </Link>
                </p>
              )}
            {tab === 'experiments' ? (
              <ExperimentTable datasetId={datasetId} />
            ) : rows.length === 0 ? (
              <div className="empty">
                <p>
                  No items yet. <kbd>d</kbd> on any step or generation copies it here; Import reads
                  a CSV or JSONL file.
                </p>
              </div>
            ) : (
              <>
                <Table
                  label="Items"
                  columns={columnsFor((one) => address.link({ item: one }))}
                  rows={rows}
                  keyOf={(row) => row.id}
                  hrefOf={(row) => address.link({ item: row.id })}
                  activeKey={open}
                  isDimmed={page.isRefreshing || page.isPrevious}
                  width={width}
                />
                <Pager info={dataset.items.pageInfo} />
              </>
            )}
          </div>
          {open === 'import' && mayWrite && (
            <ImportDialog
              datasetId={datasetId}
              datasetName={line(dataset.name)}
              onClose={closeSheet}
              onDone={page.refresh}
            />
          )}
          {(open === 'new' || item !== undefined) && (
            <ItemSheet
              key={open}
              datasetId={datasetId}
              item={open === 'new' ? undefined : item}
              onClose={closeSheet}
              onDone={(what) => {
                showToast(what)
                page.refresh()
              }}
            />
          )}
        </>
      )}
    </>
  )
}
