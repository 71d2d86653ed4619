import {
  ChangeScoreDocument,
  GiveScoreDocument,
  RemoveScoreDocument,
  ScoreToRestoreDocument,
  type ScoreToRestoreQuery,
} from '../../generated/operations.js'
import { read, useChange } from '../data/use-data.js'
import { useToast } from '../ui/toasts.js'

type Restored = ScoreToRestoreQuery['scores']['edges'][number]['node']
export type ChangeableScore = Pick<Restored, 'id' | 'name' | 'value' | 'comment'>

/** Changes and deletes a score, given as it was when its change began. Undo creates an equal one. */
export const useScore = (score: ChangeableScore, onChanged: () => void = () => undefined) => {
  const change = useChange(ChangeScoreDocument)
  const remove = useChange(RemoveScoreDocument)
  const give = useChange(GiveScoreDocument)
  const showToast = useToast()
  const { id, name, value, comment } = score
  const giveAgain = async ({ id: _, ...fields }: Restored) => {
    try {
      await give(fields)
      onChanged()
    } catch (error) {
      showToast(error as Error)
    }
  }
  return {
    /** Throws failures. */
    change: async (next: { value: number; label?: string | undefined; comment: string }) => {
      // Only what was changed: another person may have changed the rest. The label of the previous value would be wrong.
      const given = next.value === value ? {} : { value: next.value, label: next.label ?? null }
      const reason = next.comment === (comment ?? '') ? {} : { comment: next.comment || null }
      await change({ id, ...given, ...reason })
      onChanged()
    },
    /** Shows failures as a toast. */
    remove: async () => {
      try {
        // The page may show an older state of it than the one that is deleted.
        const { scores } = await read(ScoreToRestoreDocument, { id })
        const restored = scores.edges[0]?.node
        await remove({ id })
        const undo = restored && { label: 'Undo', act: () => giveAgain(restored) }
        showToast(`The score ${name} is deleted.`, undo)
        onChanged()
      } catch (error) {
        showToast(error as Error)
      }
    },
  }
}
