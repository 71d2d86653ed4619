import { useState } from 'react'
import { RemoveScoreDocument } from '../../../../generated/operations.js'
import { useAddress } from '../../../address/use-address.js'
import { useSingleFlight } from '../../../browser/use-single-flight.js'
import { useChange } from '../../../data/use-data.js'
import { useToast } from '../../../ui/toasts.js'

export interface StoredScore {
  id: string
  name: string
  value: number
}

/** Scores that were given here: to an item, or to a step in it. */
export interface Judgement {
  itemId: string
  stepId: string | undefined
  scores: readonly StoredScore[]
}

/** The judgements since the page was opened, of which the last can be taken back. */
export const useJudgements = () => {
  const address = useAddress()
  const showToast = useToast()
  const remove = useChange(RemoveScoreDocument)
  const [judgements, setJudgements] = useState<readonly Judgement[]>([])
  const undo = useSingleFlight(async () => {
    const last = judgements.at(-1)
    if (last === undefined) return
    try {
      for (const { id } of last.scores) await remove({ id })
      setJudgements((all) => all.filter((one) => one !== last))
      address.set({ item: last.itemId }, { replace: true })
      showToast('Undone.')
    } catch (error) {
      showToast(error as Error)
    }
  })
  return {
    judgements,
    add: (judgement: Judgement) => setJudgements((all) => [...all, judgement]),
    undo,
  }
}
