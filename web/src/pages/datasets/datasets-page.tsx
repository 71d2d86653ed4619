import { Field } from '../../ui/field.js'
import '../../table/table.css'
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import {
  DatasetTableDocument,
  type DatasetTableQuery,
  NewDatasetDocument,
} from '../../../generated/operations.js'
import { segment } from '../../address/segment.js'
import { usePageWidth } from '../../browser/use-width.js'
import { useMayWrite } from '../../data/project.js'
import { useChange, useData } from '../../data/use-data.js'
import { count, nounOf, total } from '../../format/number.js'
import { NameOrId } from '../../parts/name-or-id.js'
import { Text, Time } from '../../table/cells.js'
import { Pager, usePage } from '../../table/pager.js'
import { type Column, MOMENT_WIDTH, Table } from '../../table/table.js'
import { FormDialog } from '../../ui/forms/form-dialog.js'
import { ProblemView } from '../../ui/problem-view.js'
import { Snippet } from '../../ui/snippet.js'
import { Top } from '../../ui/top.js'

type Row = DatasetTableQuery['datasets']['edges'][number]['node']

const hrefOf = ({ id }: Row) => `/datasets/${segment(id)}`

const COLUMNS: readonly Column<Row>[] = [
  {
    id: 'name',
    title: 'Name',
    isMain: true,
    cell: (row) => (
      <Link href={hrefOf(row)}>
        <NameOrId name={row.name} id={row.id} />
      </Link>
    ),
  },
  { id: 'type', title: 'Type', width: 110, cell: ({ type }) => type },
  {
    id: 'description',
    title: 'Description',
    width: 320,
    isBlank: ({ description }) => description === null,
    cell: ({ description }) => <Text value={description} className="soft" />,
  },
  {
    id: 'items',
    title: 'Items',
    unit: ({ itemCount }) => nounOf(itemCount, 'item'),
    width: 80,
    align: 'right',
    cell: ({ itemCount }) => <>{count(itemCount)}</>,
  },
  {
    id: 'experiments',
    title: 'Experiments',
    unit: ({ experimentCount }) => nounOf(experimentCount, 'experiment'),
    width: 110,
    align: 'right',
    cell: (row) => (
      <Link href={`${hrefOf(row)}?tab=experiments`}>{count(row.experimentCount)}</Link>
    ),
  },
  {
    id: 'created',
    title: 'Created',
    width: MOMENT_WIDTH,
    cell: ({ createdAt }) => <Time at={createdAt} />,
  },
]

const SNIPPET = `const dataset = await stepwell.api.createDataset({ name: 'support-cases' })
await stepwell.api.addStepToDataset(dataset.id, stepId) // or createDatasetItem(dataset.id, { input, expectedOutput })
`

export const DatasetsPage = () => {
  const page = useData(DatasetTableDocument, usePage())
  const [isOpen, setOpen] = useState(false)
  const mayWrite = useMayWrite()
  const width = usePageWidth()
  const connection = page.data?.datasets
  const rows = connection?.edges.map(({ node }) => node) ?? []
  return (
    <>
      <Top title="Datasets">
        <span className="list-count">{total(connection?.totalCount, 'dataset')}</span>
        {mayWrite && (
          <button type="button" className="button" onClick={() => setOpen(true)}>
            New dataset
          </button>
        )}
      </Top>
      <div className="page">
        {page.problem !== undefined && <ProblemView problem={page.problem} retry={page.refresh} />}
        {connection !== undefined && rows.length === 0 ? (
          <div className="empty">
            <p>
              No datasets yet. <kbd>d</kbd> on any step copies it into one. From code:
            </p>
            <Snippet code={SNIPPET} />
          </div>
        ) : (
          <Table
            label="Datasets"
            columns={COLUMNS}
            rows={rows}
            keyOf={({ id }) => id}
            hrefOf={hrefOf}
            skeletonRows={page.isLoading ? 8 : 0}
            width={width}
          />
        )}
        {connection !== undefined && <Pager info={connection.pageInfo} />}
      </div>
      {isOpen && <NewDatasetDialog onClose={() => setOpen(false)} />}
    </>
  )
}

const NewDatasetDialog = ({ onClose }: { onClose: () => void }) => {
  const create = useChange(NewDatasetDocument)
  const [name, setName] = useState('')
  const [description, setDescription] = useState('')
  const [type, setType] = useState<'key_value' | 'generation'>('key_value')
  const [, navigate] = useLocation()
  return (
    <FormDialog
      title="New dataset"
      send="Create"
      onClose={onClose}
      onSend={async (isOpen) => {
        const { createDataset } = await create({ name, description: description || null, type })
        if (createDataset != null && isOpen()) navigate(`/datasets/${segment(createDataset.id)}`)
      }}
    >
      <Field name="name" label="Name">
        {(control) => (
          <input
            {...control}
            required
            // biome-ignore lint/a11y/noAutofocus: the dialog's first field
            autoFocus
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        )}
      </Field>
      <Field name="description" label="Purpose">
        {(control) => (
          <input
            {...control}
            value={description}
            onChange={(event) => setDescription(event.target.value)}
          />
        )}
      </Field>
      <Field label="Kind of items">
        {(control) => (
          <select
            {...control}
            value={type}
            onChange={(event) => setType(event.target.value as typeof type)}
          >
            <option value="key_value">input and expected output</option>
            <option value="generation">model calls</option>
          </select>
        )}
      </Field>
    </FormDialog>
  )
}
