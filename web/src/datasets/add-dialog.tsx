import { useState } from 'react'
import {
  CopyGenerationDocument,
  CopyStepDocument,
  DatasetTableDocument,
  NewDatasetDocument,
} from '../../generated/operations.js'
import { useChange, useData } from '../data/use-data.js'
import { FormDialog } from '../shell/form-dialog.js'

const NEW = ' new'

/** Copies steps or generations into a dataset, an old one or one that is made here. */
export const AddToDatasetDialog = ({
  steps,
  onClose,
  onDone,
}: {
  /** Their ids, and whether each is a generation. */
  steps: readonly { id: string; isGeneration: boolean }[]
  onClose: () => void
  onDone: (datasetId: string, count: number) => void
}) => {
  const datasets = useData(DatasetTableDocument, { first: 200 })
  const [chosen, setChosen] = useState<string>()
  const [name, setName] = useState('')
  const [as, setAs] = useState<'step' | 'generation'>(
    steps.every(({ isGeneration }) => isGeneration) ? 'generation' : 'step',
  )
  const create = useChange(NewDatasetDocument)
  const copyStep = useChange(CopyStepDocument)
  const copyGeneration = useChange(CopyGenerationDocument)
  const all = datasets.data?.datasets.edges.map(({ node }) => node) ?? []
  const target = chosen ?? all[0]?.id ?? NEW
  const submit = async () => {
    let done = 0
    try {
      const datasetId =
        target === NEW
          ? (await create({ name, type: as === 'generation' ? 'generation' : 'key_value' }))
              .createDataset?.id
          : target
      if (datasetId === undefined) throw new Error('the dataset could not be made')
      for (const { id } of steps) {
        if (as === 'generation') await copyGeneration({ datasetId, generationId: id })
        else await copyStep({ datasetId, stepId: id })
        done++
      }
      onDone(datasetId, done)
      onClose()
    } catch (error) {
      if (done === 0) throw error
      throw new Error(`${(error as Error).message} (${done} of ${steps.length} were added)`)
    }
  }
  return (
    <FormDialog
      title="Add to a dataset"
      send={`Add ${steps.length > 1 ? steps.length : ''}`}
      onClose={onClose}
      onSend={submit}
    >
      <label className="labelled">
        Dataset
        <select
          className="field"
          value={target}
          onChange={(event) => setChosen(event.target.value)}
        >
          {all.map((dataset) => (
            <option key={dataset.id} value={dataset.id}>
              {dataset.name} ({dataset.type}, {dataset.itemCount})
            </option>
          ))}
          <option value={NEW}>a new one…</option>
        </select>
      </label>
      {target === NEW && (
        <label className="labelled">
          Its name
          <input
            className="field"
            required
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        </label>
      )}
      {steps.some(({ isGeneration }) => isGeneration) && (
        <label className="labelled">
          What is copied
          <select
            className="field"
            value={as}
            onChange={(event) => setAs(event.target.value as 'step' | 'generation')}
          >
            <option value="generation">the model call: messages, and the answer as expected</option>
            <option value="step">the step: input, output as expected, and what ran below it</option>
          </select>
        </label>
      )}
    </FormDialog>
  )
}
