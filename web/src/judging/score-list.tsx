import { useState } from 'react'
import {
  ChangeScoreDocument,
  GiveScoreDocument,
  RemoveScoreDocument,
  type StepWholeQuery,
} from '../../generated/operations.js'
import { useChange } from '../data/use-data.js'
import { score as showScore } from '../format/number.js'
import { visible } from '../format/text.js'
import { useMayWrite } from '../shell/project.js'
import { useToast } from '../shell/toasts.js'
import { Time } from '../table/cells.js'

type Score = NonNullable<StepWholeQuery['step']>['scores'][number]

/** The scores of a step, which can be changed and taken back here. */
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
  const change = useChange(ChangeScoreDocument)
  const remove = useChange(RemoveScoreDocument)
  const give = useChange(GiveScoreDocument)
  const say = useToast()
  const mayWrite = useMayWrite()
  const attempt = async (work: () => Promise<unknown>) => {
    try {
      await work()
      onChanged()
    } catch (error) {
      say((error as Error).message)
    }
  }
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
            <button
              type="button"
              className="button plain small"
              onClick={() =>
                attempt(async () => {
                  await remove({ id: score.id })
                  say(`The score ${score.name} is deleted.`, {
                    label: 'Undo',
                    run: () =>
                      attempt(() =>
                        give({
                          stepId: score.stepId ?? '',
                          name: score.name,
                          value: score.value,
                          label: score.label,
                          comment: score.comment,
                          scorer: score.scorer,
                          type: score.type,
                          tags: score.tags,
                        }),
                      ),
                  })
                })
              }
            >
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
            void attempt(async () => {
              await change({ id: score.id, value: Number(value), comment: comment || null })
              setEditing(false)
            })
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
