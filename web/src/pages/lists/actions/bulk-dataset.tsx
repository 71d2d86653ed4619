import { useState } from 'react'
import { RemoveItemDocument } from '../../../../generated/operations.js'
import { change } from '../../../data/use-data.js'
import { BulkDialog } from '../../../list/bulk/bulk-dialog.js'
import type { Scope } from '../../../list/bulk/scope.js'
import { useDatasetChoice } from '../../../parts/dataset-choice.js'
import { Field } from '../../../ui/field.js'
import { type Noun, rowsOf } from './words.js'

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
  const [place, setPlace] = useState(0)
  const way = ways[place] ?? ways[0]
  const { datasetFor, fields } = useDatasetChoice(isOpen)
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
            const datasetId = await datasetFor(way.type)
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
          {fields}
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
        </BulkDialog>
      )}
    </>
  )
}
