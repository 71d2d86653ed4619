import { visible } from '../../../format/text.js'
import { type Definition, ValueControl } from '../../../scoring/value-control.js'
import { FailureNote } from '../../../ui/failure.js'
import { Field } from '../../../ui/field.js'
import type { Judging } from './use-judging.js'

/** Shows a control for each score to give, a comment on them, and the buttons to move on. */
export const ScoresForm = ({
  subject,
  names,
  isAsking,
  judging: {
    given,
    give,
    comment,
    setComment,
    commentField,
    active,
    setActive,
    failed,
    isResting,
    save,
  },
  definitions,
  isDeleted,
  onBack,
  onSkip,
  onUndo,
}: {
  /** The judged thing, where it can be chosen. */
  subject: string | undefined
  names: readonly string[]
  /** True when the reviewer has yet to name the scores. */
  isAsking: boolean
  judging: Judging
  definitions: readonly Definition[]
  /** True when there is nothing left to judge. */
  isDeleted: boolean
  onBack: () => void
  onSkip: () => void
  /** Undefined while there is nothing to take back. */
  onUndo: (() => void) | undefined
}) => (
  <form
    className="review-form"
    aria-label="Judge"
    onSubmit={(event) => {
      event.preventDefault()
      save()
    }}
  >
    {subject !== undefined && <h2>{subject}</h2>}
    {/* Keeps the place of the first score while the names are read, so that nothing below moves. */}
    {names.length === 0 && (
      <p className="notice" style={isAsking ? undefined : { visibility: 'hidden' }}>
        Enter the scores to give above.
      </p>
    )}
    <fieldset className={`fields${isResting ? ' is-resting' : ''}`} disabled={isDeleted}>
      {names.map((name, index) => (
        // biome-ignore lint/a11y/noStaticElementInteractions: focus inside of it makes it the active one
        <div
          key={name}
          className={`score-field${index === active ? ' is-active' : ''}`}
          onFocus={() => setActive(index)}
        >
          <strong>
            <bdi>{visible(name)}</bdi>
          </strong>
          <ValueControl
            name={name}
            definition={definitions.find((one) => one.name === name)}
            showsKeys={index === active}
            value={given.get(name)?.value}
            onChange={(value, label) => give(name, { value, label })}
          />
        </div>
      ))}
      <Field
        label={
          <span>
            Comment <kbd>m</kbd>
          </span>
        }
      >
        {(control) => (
          <textarea
            ref={commentField}
            {...control}
            rows={3}
            readOnly={isResting}
            value={comment}
            onChange={(event) => setComment(event.target.value)}
            onKeyDown={(event) => {
              if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) save()
              if (event.key === 'Escape') event.currentTarget.blur()
            }}
          />
        )}
      </Field>
    </fieldset>
    <FailureNote error={failed} />
    <div className="row wrap review-buttons">
      <button type="submit" className="button primary" disabled={isDeleted}>
        Save and next <kbd>⏎</kbd>
      </button>
      <button type="button" className="button" onClick={onBack}>
        ← back
      </button>
      <button type="button" className="button" onClick={onSkip}>
        skip →
      </button>
      <button type="button" className="button" disabled={onUndo === undefined} onClick={onUndo}>
        undo <kbd>u</kbd>
      </button>
    </div>
  </form>
)
