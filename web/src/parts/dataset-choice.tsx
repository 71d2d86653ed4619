import { useRef, useState } from 'react'
import { DatasetTableDocument, NewDatasetDocument } from '../../generated/operations.js'
import { change, read, useData } from '../data/use-data.js'
import { line } from '../format/text.js'
import { Field } from '../ui/field.js'
import { ProblemView } from '../ui/problem-view.js'

const NEW = ' new'
const MAX_OFFERED = 200

/** Chooses the dataset that a form adds to: an existing or a new one. Reads the datasets once it is active. */
export const useDatasetChoice = (isActive = true) => {
  const datasets = useData(DatasetTableDocument, { first: MAX_OFFERED }, { pause: !isActive })
  const [chosen, setChosen] = useState<string>()
  const [name, setName] = useState('')
  // Another try after a failure does not create another one.
  const made = useRef<string>(undefined)
  const all = datasets.data?.datasets.edges.map(({ node }) => node) ?? []
  const target = chosen ?? all[0]?.id ?? (datasets.isLoading ? undefined : NEW)

  /** Returns the id of the dataset, which is created if it is new. */
  const datasetFor = async (type: 'key_value' | 'generation'): Promise<string> => {
    if (target === undefined) {
      const { datasets: newest } = await read(DatasetTableDocument, { first: 1 })
      const id = newest.edges[0]?.node.id
      if (id === undefined) throw new Error('There is no dataset yet: name a new one.')
      return id
    }
    if (target !== NEW) return target
    if (made.current === undefined) {
      const { createDataset } = await change(NewDatasetDocument, { name, type })
      if (createDataset == null) throw new Error('The dataset could not be created.')
      made.current = createDataset.id
      setChosen(createDataset.id)
    }
    return made.current
  }

  const fields = (
    <>
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
            value={target ?? ''}
            onChange={(event) => setChosen(event.target.value)}
          >
            {target === undefined && <option value="">…</option>}
            {all.map((dataset) => (
              <option key={dataset.id} value={dataset.id}>
                {line(dataset.name) || line(dataset.id)} ({dataset.type}, {dataset.itemCount})
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
      {target === NEW && (
        <Field name="name" label="Name of the dataset">
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
    </>
  )
  return { datasetFor, fields }
}
