import type { StepColumn } from '../../storage/ingestion/columns.js'
import type { AttachmentDraft, ScoreDraft } from './nested-drafts.js'
import type { StepPatch } from './step-patch.js'

/**
 * Merges the patches of a step, later ones over earlier ones, by the rules that the database applies to a stored step
 * and a patch: an absent value keeps the stored one, an empty list of tags changes nothing, the first environment
 * stays. Does not change the patches: a batch that fails is tried again in halves, with the patches as they came.
 */
export const mergeStepPatches = (parts: readonly StepPatch[]): StepPatch => {
  const [first] = parts
  if (first === undefined) throw new Error('a step has at least one patch')
  const scores: ScoreDraft[] = []
  const attachments: AttachmentDraft[] = []
  const merged: StepPatch = {
    ...first,
    values: {},
    cleared: [],
    scores,
    attachments,
    size: 0,
    continues: parts.every(({ continues }) => continues),
  }
  const { values } = merged
  const cleared = new Set<StepColumn>()
  for (const part of parts) {
    for (const field in part.values) {
      const column = field as StepColumn
      const value = part.values[column] as string
      const isNoTag = (column === 'tags' || column === 'genTags') && value === '[]'
      if (values[column] === undefined || !(isNoTag || column === 'environment'))
        values[column] = value
      if (!isNoTag) cleared.delete(column)
    }
    for (const column of part.cleared) {
      delete values[column]
      cleared.add(column)
    }
    merged.threadId =
      part.threadId ?? (part.cleared.includes('threadId') ? undefined : merged.threadId)
    for (const score of part.scores) scores.push(score)
    for (const attachment of part.attachments) attachments.push(attachment)
    merged.size += part.size
  }
  merged.cleared = [...cleared]
  return merged
}
