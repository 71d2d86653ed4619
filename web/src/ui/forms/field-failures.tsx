import {
  createContext,
  type ReactNode,
  useContext,
  useEffect,
  useLayoutEffect,
  useRef,
} from 'react'
import { FailureNote } from '../failure.js'

/** A failure about one field, in the words that follow its name. */
interface FieldFailure {
  field: string
  error: Error
}

interface Failing {
  failure: FieldFailure | undefined
  /** Announces a field that shows its own failure, until the function it returns is called. */
  claim: (field: string) => () => void
}

const FailingContext = createContext<Failing>({ failure: undefined, claim: () => () => undefined })

/** Messages begin with the field, or with several that do not fit each other: `prices[0].rates.input: expected …`. */
const NAMED = /^([a-z][\w.[\]]*(?:, [a-z][\w.[\]]*)*): (.+)$/is

/** Returns the failure of the first field that a message names, of those that are there. */
const failureOf = (error: Error, fields: readonly string[]): FieldFailure | undefined => {
  const [, names, expected] = NAMED.exec(error.message) ?? []
  if (names === undefined || expected === undefined) return undefined
  for (const path of names.split(', ')) {
    const field = fields.find((one) => path === one || path.endsWith(`.${one}`))
    if (field !== undefined) return { field, error: new Error(expected, { cause: error }) }
  }
  return undefined
}

/** Fields of which the one that a failure is about shows it; a failure of none of them is shown below all. */
export const FieldFailures = ({
  error,
  children,
}: {
  error: Error | undefined
  children: ReactNode
}) => {
  const fields = useRef<string[]>([])
  const failure = error === undefined ? undefined : failureOf(error, fields.current)
  const claim = (field: string) => {
    fields.current.push(field)
    return () => {
      fields.current = fields.current.filter((one) => one !== field)
    }
  }
  return (
    <>
      <FailingContext value={{ failure, claim }}>{children}</FailingContext>
      <FailureNote error={failure === undefined ? error : undefined} />
    </>
  )
}

/** Returns the failure of a field, whose control gets the focus with it. */
export const useFieldFailure = (field: string | undefined, id: string): Error | undefined => {
  const { failure, claim } = useContext(FailingContext)
  useLayoutEffect(() => (field === undefined ? undefined : claim(field)), [field])
  const error = field === undefined || failure?.field !== field ? undefined : failure.error
  // After the focus has returned to where the form was sent from.
  useEffect(() => {
    if (error !== undefined) document.getElementById(id)?.focus()
  }, [error?.cause])
  return error
}
