import { useState } from 'react'
import {
  DatasetTableDocument,
  NewDatasetDocument,
  RemoveItemDocument,
} from '../../../../generated/operations.js'
import { change, useData } from '../../../data/use-data.js'
import { BulkDialog } from '../../../list/bulk/bulk-dialog.js'
import type { Scope } from '../../../list/bulk/scope.js'
import { Field } from '../../../ui/field.js'
import { ProblemView } from '../../../ui/problem-view.js'
import { type Noun, rowsOf } from './words.js'

const NEW = ' new'
const MAX_OFFERED = 200

interface Way<Row> {
  /** The contents of an item, in words. */
  contents: string
  /** The kind of a new dataset. */
  type: 'key_value' | 'generation'
  /** Copies a row; returns the id of the item. */
  copy: (datasetId: string, row: Row) => Promise<string | undefined>
}

/** Copies chosen rows into a dataset, an existing or a new one. */
export const BulkDataset = <Row extends { id: string }>({
  scope,
  noun,
  ways,
  onDone,
}: {
  scope: Scope<Row>
  noun: Noun
  /** The ways to copy a row, the default first. */
  ways: readonly [Way<Row>, ...Way<Row>[]]
  onDone: () => void
}) => {
  const [isOpen, setOpen] = useState(false)
  const [chosen, setChosen] = useState<string>()
  const [name, setName] = useState('')
  const [place, setPlace] = useState(0)
  const way = ways[place] ?? ways[0]
  const datasets = useData(DatasetTableDocument, { first: MAX_OFFERED }, { pause: !isOpen })
  const all = datasets.data?.datasets.edges.map(({ node }) => node) ?? []
  const target = chosen ?? all[0]?.id ?? NEW
  const datasetFor = async (): Promise<string> => {
    if (target !== NEW) return target
    const { createDataset } = await change(NewDatasetDocument, { name, type: way.type })
    if (createDataset == null) throw new Error('The dataset could not be created.')
    return createDataset.id
  }
  return (
    <>
      <button type="button" className="button" onClick={() => setOpen(true)}>
        To a dataset…
      </button>
      {isOpen && (
        <BulkDialog
          title="Add to a dataset"
          send="Add"
          scope={scope}
          noun={noun}
          past="added to the dataset"
          nameOf={({ id }) => id}
          prepare={async () => {
            const datasetId = await datasetFor()
            return async (row) => {
              const item = await way.copy(datasetId, row)
              if (item === undefined) throw new Error('It could not be added.')
              return () => change(RemoveItemDocument, { id: item })
            }
          }}
          onClose={() => setOpen(false)}
          onDone={onDone}
        >
          <p>
            {rowsOf(scope as Scope<never>, noun)}, an item each: {way.contents}.
          </p>
          <Field
            label="Dataset"
            hint={
              datasets.data?.datasets.pageInfo.hasNextPage &&
              `These are the ${MAX_OFFERED} newest datasets.`
            }
          >
            {(control) => (
              <select
                {...control}
                value={target}
                disabled={datasets.isLoading}
                onChange={(event) => setChosen(event.target.value)}
              >
                {all.map((dataset) => (
                  <option key={dataset.id} value={dataset.id}>
                    {dataset.name} ({dataset.type}, {dataset.itemCount})
                  </option>
                ))}
                <option value={NEW}>a new one…</option>
              </select>
            )}
          </Field>
          {datasets.problem !== undefined && (
            <ProblemView
              problem={datasets.problem}
              retry={datasets.refresh}
              note="The existing datasets could not be loaded."
            />
          )}
          {ways.length > 1 && (
            <Field label="Copied contents">
              {(control) => (
                <select
                  {...control}
                  value={place}
                  onChange={(event) => setPlace(Number(event.target.value))}
                >
                  {ways.map(({ contents }, at) => (
                    <option key={contents} value={at}>
                      {contents}
                    </option>
                  ))}
                </select>
              )}
            </Field>
          )}
          {target === NEW && !datasets.isLoading && (
            <Field label="Name of the dataset">
              {(control) => (
                <input
                  {...control}
                  required
                  value={name}
                  onChange={(event) => setName(event.target.value)}
                />
              )}
            </Field>
          )}
        </BulkDialog>
      )}
    </>
  )
}
