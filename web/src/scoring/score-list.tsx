import { useState } from 'react'
import { DefinitionsDocument, type StepWholeQuery } from '../../generated/operations.js'
import { useMayWrite } from '../data/project.js'
import { useData } from '../data/use-data.js'
import { score as showScore } from '../format/number.js'
import { visible } from '../format/text.js'
import { Time } from '../table/cells.js'
import { Form, LeaveButton, SendButton } from '../ui/forms/form.js'
import { useScore } from './use-score.js'
import { type Definition, ValueControl } from './value-control.js'

type Score = Omit<NonNullable<StepWholeQuery['step']>['scores'][number], 'stepId'>

/** Lists the scores of a step or a thread; changes and deletes them. */
export const ScoreList = ({
  scores,
  onChanged,
}: {
  scores: readonly Score[]
  onChanged: () => void
}) => {
  const definitions = useData(DefinitionsDocument, {})
  if (scores.length === 0) return <p className="quiet">No scores yet.</p>
  return (
    <div className="column">
      {scores.map((score) => (
        <ScoreEntry
          key={score.id}
          score={score}
          definition={definitions.data?.scoreDefinitions.find(({ name }) => name === score.name)}
          onChanged={onChanged}
        />
      ))}
    </div>
  )
}

const ScoreEntry = ({
  score,
  definition,
  onChanged,
}: {
  score: Score
  definition: Definition | undefined
  onChanged: () => void
}) => {
  /** The score as it was when its change began. */
  const [edited, setEdited] = useState<Score>()
  const isEditing = edited !== undefined
  const [value, setValue] = useState<number | undefined>(score.value)
  const [label, setLabel] = useState<string>()
  const [comment, setComment] = useState(score.comment ?? '')
  const { change, remove } = useScore(edited ?? score, onChanged)
  const edit = () => {
    setEdited(score)
    setValue(score.value)
    setLabel(undefined)
    setComment(score.comment ?? '')
  }
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
            <button type="button" className="button plain small" onClick={edit}>
              Edit
            </button>
            <button type="button" className="button plain small" onClick={remove}>
              Delete
            </button>
          </>
        )}
      </div>
      {isEditing ? (
        <Form
          className="row wrap"
          onSend={async (isThere) => {
            if (value === undefined) throw new Error('Choose a value.')
            await change({ value, label, comment })
            if (isThere()) setEdited(undefined)
          }}
          buttons={
            <>
              <SendButton label="Save" className="" />
              <LeaveButton className="plain" onLeave={() => setEdited(undefined)} />
            </>
          }
        >
          {definition === undefined ? (
            <input
              className="field"
              type="number"
              step="any"
              required
              aria-label="Value"
              style={{ width: 90 }}
              value={value ?? ''}
              onChange={({ target }) =>
                setValue(target.value === '' ? undefined : Number(target.value))
              }
            />
          ) : (
            <ValueControl
              name={score.name}
              definition={definition}
              value={value}
              onChange={(next, word) => {
                setValue(next)
                setLabel(word)
              }}
            />
          )}
          <input
            className="field grow"
            aria-label="Comment"
            placeholder="Why"
            value={comment}
            onChange={(event) => setComment(event.target.value)}
          />
        </Form>
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
