import { useState } from 'react'
import { GiveScoreDocument, RemoveScoreDocument } from '../../../../generated/operations.js'
import { change } from '../../../data/use-data.js'
import { BulkDialog } from '../../../list/bulk/bulk-dialog.js'
import type { Scope } from '../../../list/bulk/scope.js'
import { reviewer } from '../../../scoring/reviewer.js'
import { useGivenScore } from '../../../scoring/use-given-score.js'
import { type Noun, rowsOf } from './words.js'

/** Scores chosen rows, each with the same name and value. */
export const BulkScore = <Row extends { id: string }>({
  scope,
  noun,
  subject,
  onDone,
}: {
  scope: Scope<Row>
  noun: Noun
  subject: 'stepId' | 'threadId'
  onDone: () => void
}) => {
  const [isOpen, setOpen] = useState(false)
  const { given, fields } = useGivenScore(isOpen)
  return (
    <>
      <button type="button" className="button" onClick={() => setOpen(true)}>
        Score…
      </button>
      {isOpen && (
        <BulkDialog
          title="Give a score"
          send="Give the score"
          scope={scope}
          noun={noun}
          past="scored"
          nameOf={({ id }) => id}
          prepare={async () => {
            const score = given()
            return async ({ id }) => {
              const { createScore } = await change(GiveScoreDocument, {
                [subject]: id,
                ...score,
                scorer: reviewer() || null,
              })
              const scoreId = createScore?.id
              if (scoreId === undefined) throw new Error('The score could not be given.')
              return () => change(RemoveScoreDocument, { id: scoreId })
            }
          }}
          onClose={() => setOpen(false)}
          onDone={onDone}
        >
          <p>{rowsOf(scope as Scope<never>, noun)} get one score more each.</p>
          {fields}
        </BulkDialog>
      )}
    </>
  )
}
