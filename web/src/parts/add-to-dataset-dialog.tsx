import { useRef, useState } from 'react'
import {
  CopyGenerationDocument,
  CopyStepDocument,
  CopyThreadDocument,
  DatasetTableDocument,
  NewDatasetDocument,
} from '../../generated/operations.js'
import { read, useChange, useData } from '../data/use-data.js'
import { Field } from '../ui/field.js'
import { FormDialog } from '../ui/form-dialog.js'
import { ProblemView } from '../ui/problem-view.js'

const NEW = ' new'
const MAX_OFFERED = 200

/** A conversation to copy, and a step of it up to which it can be copied. */
export interface CopiedThread {
  threadId: string
  upToStepId?: string | undefined
}

/** Copies steps, generations or a conversation into a dataset, an existing or a new one. */
export const AddToDatasetDialog = ({
  steps = [],
  thread,
  onClose,
  onDone,
}: {
  /** Their ids and kinds. */
  steps?: readonly { id: string; isGeneration: boolean }[]
  thread?: CopiedThread | undefined
  onClose: () => void
  onDone: (datasetId: string, count: number) => void
}) => {
  const datasets = useData(DatasetTableDocument, { first: MAX_OFFERED })
  const [chosen, setChosen] = useState<string>()
  const [name, setName] = useState('')
  const [as, setAs] = useState<'step' | 'generation'>(
    steps.length > 0 && steps.every(({ isGeneration }) => isGeneration) ? 'generation' : 'step',
  )
  const [isUpToStep, setUpToStep] = useState(thread?.upToStepId !== undefined)
  const copyThread = useChange(CopyThreadDocument)
  const create = useChange(NewDatasetDocument)
  const copyStep = useChange(CopyStepDocument)
  const copyGeneration = useChange(CopyGenerationDocument)
  const all = datasets.data?.datasets.edges.map(({ node }) => node) ?? []
  const target = chosen ?? all[0]?.id ?? (datasets.isLoading ? undefined : NEW)
  // Another try after a failure repeats nothing that succeeded.
  const made = useRef<string>(undefined)
  const added = useRef(new Map<string, Set<string>>())
  const datasetFor = async (): Promise<string> => {
    if (target === undefined) {
      const { datasets: newest } = await read(DatasetTableDocument, { first: 1 })
      const id = newest.edges[0]?.node.id
      if (id === undefined) throw new Error('There is no dataset yet: name a new one.')
      return id
    }
    if (target !== NEW) return target
    if (made.current === undefined) {
      const type = as === 'generation' ? 'generation' : 'key_value'
      const { createDataset } = await create({ name, type })
      if (createDataset == null) throw new Error('The dataset could not be created.')
      made.current = createDataset.id
      setChosen(createDataset.id)
    }
    return made.current
  }
  const submit = async () => {
    const datasetId = await datasetFor()
    if (thread !== undefined) {
      const { threadId, upToStepId } = thread
      await copyThread({ datasetId, threadId, upToStepId: (isUpToStep && upToStepId) || null })
      onDone(datasetId, 1)
      return onClose()
    }
    const done = added.current.get(datasetId) ?? new Set()
    added.current.set(datasetId, done)
    try {
      for (const { id } of steps) {
        if (done.has(id)) continue
        if (as === 'generation') await copyGeneration({ datasetId, generationId: id })
        else await copyStep({ datasetId, stepId: id })
        done.add(id)
      }
    } catch (error) {
      if (done.size === 0) throw error
      throw new Error(
        `${(error as Error).message} (${done.size} of ${steps.length} were added; another try adds the others)`,
      )
    }
    onDone(datasetId, done.size)
    onClose()
  }
  return (
    <FormDialog
      title="Add to a dataset"
      send={`Add ${steps.length > 1 ? steps.length : ''}`}
      onClose={onClose}
      onSend={submit}
    >
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
      {target === NEW && (
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
      {thread?.upToStepId !== undefined && (
        <Field label="Copied conversation">
          {(control) => (
            <select
              {...control}
              value={isUpToStep ? 'step' : 'all'}
              onChange={(event) => setUpToStep(event.target.value === 'step')}
            >
              <option value="step">up to the chosen step; its answer is the expected output</option>
              <option value="all">all of it; the last answer is the expected output</option>
            </select>
          )}
        </Field>
      )}
      {steps.some(({ isGeneration }) => isGeneration) && (
        <Field label="Copied contents">
          {(control) => (
            <select
              {...control}
              value={as}
              onChange={(event) => setAs(event.target.value as 'step' | 'generation')}
            >
              <option value="generation">
                the model call: messages, and the answer as the expected output
              </option>
              <option value="step">
                the step: input, output as the expected output, and the steps below it
              </option>
            </select>
          )}
        </Field>
      )}
    </FormDialog>
  )
}
