import { type ReactNode, useId } from 'react'
import { FailureText } from './failure.js'
import { useFieldFailure } from './forms/field-failures.js'

/** The attributes that a control takes over from its field. */
interface ControlProps {
  id: string
  className: string
  'aria-describedby': string | undefined
  'aria-invalid': true | undefined
}

/** A control of a form with its label, a hint and an error below it. */
export const Field = ({
  label,
  name,
  hint,
  error,
  children,
}: {
  label: ReactNode
  /** The name by which the service knows the field, whose failures are shown here. */
  name?: string
  hint?: ReactNode
  error?: string | undefined
  children: (control: ControlProps) => ReactNode
}) => {
  const id = useId()
  const hintId = hint == null || hint === false || hint === '' ? undefined : `${id}-hint`
  const failure = useFieldFailure(name, id)
  const isFaulty = error !== undefined || failure !== undefined
  const errorId = isFaulty ? `${id}-error` : undefined
  const describedBy = [hintId, errorId].filter((one) => one !== undefined).join(' ')
  return (
    <div className="labelled">
      <label htmlFor={id}>
        {label}
        {children({
          id,
          className: 'field',
          'aria-describedby': describedBy === '' ? undefined : describedBy,
          'aria-invalid': isFaulty ? true : undefined,
        })}
      </label>
      {hintId !== undefined && (
        <p id={hintId} className="quiet">
          {hint}
        </p>
      )}
      {errorId !== undefined && (
        <p id={errorId} className="problem" role="alert">
          {failure === undefined ? error : <FailureText error={failure} />}
        </p>
      )}
    </div>
  )
}
