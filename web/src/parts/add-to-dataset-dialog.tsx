import { useRef, useState } from 'react'
import {
  CopyGenerationDocument,
  CopyStepDocument,
  CopyThreadDocument,
} from '../../generated/operations.js'
import { useChange } from '../data/use-data.js'
import { Field } from '../ui/field.js'
import { FormDialog } from '../ui/forms/form-dialog.js'
import { useDatasetChoice } from './dataset-choice.js'

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
  const { datasetFor, fields } = useDatasetChoice()
  const [as, setAs] = useState<'step' | 'generation'>(
    steps.length > 0 && steps.every(({ isGeneration }) => isGeneration) ? 'generation' : 'step',
  )
  const [isUpToStep, setUpToStep] = useState(thread?.upToStepId !== undefined)
  const copyThread = useChange(CopyThreadDocument)
  const copyStep = useChange(CopyStepDocument)
  const copyGeneration = useChange(CopyGenerationDocument)
  // Another try after a failure repeats nothing that succeeded.
  const added = useRef(new Map<string, Set<string>>())
  const submit = async () => {
    const datasetId = await datasetFor(as === 'generation' ? 'generation' : 'key_value')
    if (thread !== undefined) {
      const { threadId, upToStepId } = thread
      await copyThread({ datasetId, threadId, upToStepId: (isUpToStep && upToStepId) || null })
      return onDone(datasetId, 1)
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
        { cause: error },
      )
    }
    onDone(datasetId, done.size)
  }
  return (
    <FormDialog
      title="Add to a dataset"
      send={`Add ${steps.length > 1 ? steps.length : ''}`}
      onClose={onClose}
      onSend={submit}
    >
      {fields}
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
