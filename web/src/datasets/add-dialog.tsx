import { type FormEvent, useState } from 'react'
import {
  CopyGenerationDocument,
  CopyStepDocument,
  DatasetTableDocument,
  NewDatasetDocument,
} from '../../generated/operations.js'
import { useChange, useData } from '../data/use-data.js'
import { useOnce } from '../data/use-once.js'
import { Dialog } from '../shell/dialog.js'

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
  const [problem, setProblem] = useState<string>()
  const create = useChange(NewDatasetDocument)
  const copyStep = useChange(CopyStepDocument)
  const copyGeneration = useChange(CopyGenerationDocument)
  const all = datasets.data?.datasets.edges.map(({ node }) => node) ?? []
  const target = chosen ?? all[0]?.id ?? NEW
  const attempt = useOnce(async () => {
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
      setProblem(
        `${(error as Error).message}${done > 0 ? ` (${done} of ${steps.length} were added)` : ''}`,
      )
    }
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void attempt()
  }
  return (
    <Dialog title={`Add to a dataset`} onClose={onClose}>
      <form className="column" onSubmit={submit} style={{ width: 'min(440px, 80vw)' }}>
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
              <option value="generation">
                the model call: messages, and the answer as expected
              </option>
              <option value="step">
                the step: input, output as expected, and what ran below it
              </option>
            </select>
          </label>
        )}
        {problem !== undefined && (
          <p className="problem" role="alert">
            {problem}
          </p>
        )}
        <div className="row">
          <button type="submit" className="button primary">
            Add {steps.length > 1 ? steps.length : ''}
          </button>
          <button type="button" className="button" onClick={onClose}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  )
}
