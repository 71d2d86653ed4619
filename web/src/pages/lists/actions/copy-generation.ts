import { CopyGenerationDocument } from '../../../../generated/operations.js'
import { change } from '../../../data/use-data.js'

/** Copies a model call into a dataset. */
export const COPY_GENERATION = {
  contents: 'the model call: messages, and the answer as the expected output',
  type: 'generation',
  copy: async (datasetId: string, { id }: { id: string }) =>
    (await change(CopyGenerationDocument, { datasetId, generationId: id })).addGenerationToDataset
      ?.id,
} as const
