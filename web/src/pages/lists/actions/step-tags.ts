import { BulkStepTagsDocument, StepTagsDocument } from '../../../../generated/operations.js'
import { change, read } from '../../../data/use-data.js'
import type { StoredTags } from '../../../list/bulk/tags.js'

/** The tags of a step, or of the step that a model call belongs to, which has the same id. */
export const STEP_TAGS: StoredTags = {
  read: async (id) => (await read(StepTagsDocument, { id })).step?.tags,
  write: (id, tags) => change(BulkStepTagsDocument, { id, tags: [...tags] }),
}
