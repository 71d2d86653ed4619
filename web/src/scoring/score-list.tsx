import { useState } from 'react'
import type { StepWholeQuery } from '../../generated/operations.js'
import { useMayWrite } from '../data/project.js'
import { score as showScore } from '../format/number.js'
import { visible } from '../format/text.js'
import { Time } from '../table/cells.js'
import { useToast } from '../ui/toasts.js'
import { useScore } from './use-score.js'

type Score = NonNullable<StepWholeQuery['step']>['scores'][number]

/** Lists the scores of a step; changes and deletes them. */
export const ScoreList = ({
  scores,
  onChanged,
}: {
  scores: readonly Score[]
  onChanged: () => void
}) => {
  if (scores.length === 0) return <p className="quiet">No scores yet.</p>
  return (
    <div className="column">
      {scores.map((score) => (
        <ScoreEntry key={score.id} score={score} onChanged={onChanged} />
      ))}
    </div>
  )
}

const ScoreEntry = ({ score, onChanged }: { score: Score; onChanged: () => void }) => {
  const [isEditing, setEditing] = useState(false)
  const [value, setValue] = useState(String(score.value))
  const [comment, setComment] = useState(score.comment ?? '')
  const { change, remove } = useScore(score, onChanged)
  const showToast = useToast()
  const mayWrite = useMayWrite()
  return (
    <div className="panel" style={{ padding: 8 }}>
      <div className="row wrap">
        <strong>
          <bdi>{visible(score.name)}</bdi>
        </strong>
        <span>
          {score.label
            ? `${visible(score.label)} (${showScore(score.value)})`
            : showScore(score.value)}
        </span>
        <span className="tag">{score.type}</span>
        {score.scorer && (
          <span className="soft">
            by <bdi>{visible(score.scorer)}</bdi>
          </span>
        )}
        <span className="quiet">
          <Time at={score.createdAt} />
        </span>
        <span className="grow" />
        {mayWrite && !isEditing && (
          <>
            <button type="button" className="button plain small" onClick={() => setEditing(true)}>
              Edit
            </button>
            <button type="button" className="button plain small" onClick={remove}>
              Delete
            </button>
          </>
        )}
      </div>
      {isEditing ? (
        <form
          className="row wrap"
          onSubmit={(event) => {
            event.preventDefault()
            change({ value: Number(value), comment }).then(
              () => setEditing(false),
              (error: Error) => showToast(error.message),
            )
          }}
        >
          <input
            className="field"
            type="number"
            step="any"
            required
            aria-label="Value"
            style={{ width: 90 }}
            value={value}
            onChange={(event) => setValue(event.target.value)}
          />
          <input
            className="field grow"
            aria-label="Comment"
            placeholder="Why"
            value={comment}
            onChange={(event) => setComment(event.target.value)}
          />
          <button type="submit" className="button">
            Save
          </button>
          <button type="button" className="button plain" onClick={() => setEditing(false)}>
            Cancel
          </button>
        </form>
      ) : (
        score.comment && (
          <p className="soft" dir="auto">
            {visible(score.comment)}
          </p>
        )
      )}
    </div>
  )
}
