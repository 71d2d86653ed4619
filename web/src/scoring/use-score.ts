import {
  ChangeScoreDocument,
  GiveScoreDocument,
  RemoveScoreDocument,
  type ScoreTableQuery,
} from '../../generated/operations.js'
import { useChange } from '../data/use-data.js'
import { useToast } from '../ui/toasts.js'

export type ChangeableScore = Pick<
  ScoreTableQuery['scores']['edges'][number]['node'],
  'id' | 'name' | 'type' | 'value' | 'label' | 'comment' | 'scorer' | 'tags' | 'stepId'
> & { datasetExperimentItemId?: string | null }

/** Changes and deletes a score. Undo creates an equal one. */
export const useScore = (score: ChangeableScore, onChanged: () => void = () => undefined) => {
  const change = useChange(ChangeScoreDocument)
  const remove = useChange(RemoveScoreDocument)
  const give = useChange(GiveScoreDocument)
  const showToast = useToast()
  const { id, name, type, value, label, comment, scorer, tags, stepId } = score
  const giveAgain = async () => {
    try {
      const target = { stepId, datasetExperimentItemId: score.datasetExperimentItemId ?? null }
      await give({ ...target, name, type, value, label, comment, scorer, tags })
      onChanged()
    } catch (error) {
      showToast((error as Error).message)
    }
  }
  return {
    /** Throws failures. */
    change: async (next: { value: number; label?: string | undefined; comment: string }) => {
      // The label of the previous value would be wrong now.
      const word = next.value === value ? {} : { label: next.label ?? null }
      await change({ id, value: next.value, comment: next.comment || null, ...word })
      onChanged()
    },
    /** Shows failures as a toast. */
    remove: async () => {
      try {
        await remove({ id })
        showToast(`The score ${name} is deleted.`, { label: 'Undo', act: giveAgain })
        onChanged()
      } catch (error) {
        showToast((error as Error).message)
      }
    },
  }
}
