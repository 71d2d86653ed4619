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

/** Changes and deletes a score. Undo creates an equal one. */
export const useScore = (score: ChangeableScore, onChanged: () => void = () => undefined) => {
  const change = useChange(ChangeScoreDocument)
  const remove = useChange(RemoveScoreDocument)
  const give = useChange(GiveScoreDocument)
  const showToast = useToast()
  const { id, name, value } = score
  const giveAgain = async ({ id: _, ...fields }: Restored) => {
    try {
      await give(fields)
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
        // The page may show an older state of it than the one that is deleted.
        const { scores } = await read(ScoreToRestoreDocument, { id })
        const restored = scores.edges[0]?.node
        await remove({ id })
        const undo = restored && { label: 'Undo', act: () => giveAgain(restored) }
        showToast(`The score ${name} is deleted.`, undo)
        onChanged()
      } catch (error) {
        showToast((error as Error).message)
      }
    },
  }
}
