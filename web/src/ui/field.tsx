import { type ReactNode, useId } from 'react'

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
  hint,
  error,
  children,
}: {
  label: ReactNode
  hint?: ReactNode
  error?: string | undefined
  children: (control: ControlProps) => ReactNode
}) => {
  const id = useId()
  const hintId = hint == null || hint === false || hint === '' ? undefined : `${id}-hint`
  const errorId = error === undefined ? undefined : `${id}-error`
  const describedBy = [hintId, errorId].filter((one) => one !== undefined).join(' ')
  return (
    <div className="labelled">
      <label htmlFor={id}>
        {label}
        {children({
          id,
          className: 'field',
          'aria-describedby': describedBy === '' ? undefined : describedBy,
          'aria-invalid': error === undefined ? undefined : true,
        })}
      </label>
      {hintId !== undefined && (
        <p id={hintId} className="quiet">
          {hint}
        </p>
      )}
      {errorId !== undefined && (
        <p id={errorId} className="problem" role="alert">
          {error}
        </p>
      )}
    </div>
  )
}
