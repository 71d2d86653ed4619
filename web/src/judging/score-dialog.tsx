import { type FormEvent, useState } from 'react'
import {
  DefinitionsDocument,
  FacetsDocument,
  GiveScoreDocument,
} from '../../generated/operations.js'
import { useChange, useData } from '../data/use-data.js'
import { useOnce } from '../data/use-once.js'
import { Dialog } from '../shell/dialog.js'
import { ValueControl } from './controls.js'
import { reviewer, setReviewer } from './reviewer.js'

/** Gives a score to a step. */
export const ScoreDialog = ({
  stepId,
  onClose,
  onDone,
}: {
  stepId: string
  onClose: () => void
  onDone: () => void
}) => {
  const [name, setName] = useState('')
  const [value, setValue] = useState<number>()
  const [label, setLabel] = useState<string>()
  const [comment, setComment] = useState('')
  const [scorer, setScorer] = useState(reviewer())
  const [problem, setProblem] = useState<string>()
  const definitions = useData(DefinitionsDocument, {})
  const names = useData(FacetsDocument, { field: 'score', prefix: '' })
  const give = useChange(GiveScoreDocument)
  const known = [
    ...new Set([
      ...(definitions.data?.scoreDefinitions.map((one) => one.name) ?? []),
      ...(names.data?.facets.map((one) => one.value) ?? []),
    ]),
  ]
  const definition = definitions.data?.scoreDefinitions.find((one) => one.name === name)
  const attempt = useOnce(async () => {
    if (value === undefined) return setProblem('Choose a value.')
    setReviewer(scorer)
    try {
      await give({
        stepId,
        name,
        value,
        label: label ?? null,
        comment: comment || null,
        scorer: scorer || null,
      })
      onDone()
      onClose()
    } catch (error) {
      setProblem((error as Error).message)
    }
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void attempt()
  }
  return (
    <Dialog title="Score the step" onClose={onClose}>
      <form className="column" onSubmit={submit} style={{ width: 'min(440px, 80vw)' }}>
        <label className="labelled">
          What is judged
          <input
            className="field"
            required
            autoFocus
            list="score-names"
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        </label>
        <datalist id="score-names">
          {known.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
        {definition?.description && <p className="quiet">{definition.description}</p>}
        <ValueControl
          name={name}
          definition={definition}
          value={value}
          onChange={(next, word) => {
            setValue(next)
            setLabel(word)
          }}
        />
        <label className="labelled">
          Why
          <textarea
            className="field"
            rows={3}
            value={comment}
            onChange={(event) => setComment(event.target.value)}
          />
        </label>
        <label className="labelled">
          Your name
          <input
            className="field"
            value={scorer}
            autoComplete="name"
            onChange={(event) => setScorer(event.target.value)}
          />
        </label>
        {problem !== undefined && (
          <p className="problem" role="alert">
            {problem}
          </p>
        )}
        <div className="row">
          <button type="submit" className="button primary">
            Give the score
          </button>
          <button type="button" className="button" onClick={onClose}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  )
}
