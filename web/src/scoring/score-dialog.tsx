import { useState } from 'react'
import { GiveScoreDocument } from '../../generated/operations.js'
import { useChange } from '../data/use-data.js'
import { Field } from '../ui/field.js'
import { FormDialog } from '../ui/forms/form-dialog.js'
import { reviewer, setReviewer } from './reviewer.js'
import { useGivenScore } from './use-given-score.js'

/** The subject of a score: a step, or a thread as a whole. */
export type Judged = { stepId: string } | { threadId: string }

/** Scores a step or a thread. */
export const ScoreDialog = ({
  judged,
  onClose,
  onDone,
}: {
  judged: Judged
  onClose: () => void
  onDone: () => void
}) => {
  const { given, fields } = useGivenScore()
  const [comment, setComment] = useState('')
  const [scorer, setScorer] = useState(reviewer())
  const give = useChange(GiveScoreDocument)
  const submit = async () => {
    const score = given()
    setReviewer(scorer)
    await give({
      ...judged,
      ...score,
      comment: comment || null,
      scorer: scorer || null,
    })
    onDone()
  }
  return (
    <FormDialog
      title={'stepId' in judged ? 'Score the step' : 'Score the thread'}
      send="Give the score"
      onClose={onClose}
      onSend={submit}
    >
      {fields}
      <Field name="comment" label="Why">
        {(control) => (
          <textarea
            {...control}
            rows={3}
            value={comment}
            onChange={(event) => setComment(event.target.value)}
          />
        )}
      </Field>
      <Field name="scorer" label="Your name">
        {(control) => (
          <input
            {...control}
            value={scorer}
            autoComplete="name"
            onChange={(event) => setScorer(event.target.value)}
          />
        )}
      </Field>
    </FormDialog>
  )
}
