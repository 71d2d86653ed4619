import { useState } from 'react'
import { MakeKeyDocument } from '../../../generated/operations.js'
import { useFocusOfContent } from '../../browser/kept-focus.js'
import { useSingleFlight } from '../../browser/use-single-flight.js'
import { useProject } from '../../data/project.js'
import { useChange } from '../../data/use-data.js'
import { FailureNote } from '../../ui/failure.js'

/** Creates a key for the lines below, so that they work as they are copied. */
export const ConnectKey = ({
  hasKey,
  onMade,
}: {
  hasKey: boolean
  onMade: (key: string) => void
}) => {
  useFocusOfContent(hasKey)
  const { scopes } = useProject()
  const make = useChange(MakeKeyDocument)
  const [problem, setProblem] = useState<Error>()
  const create = useSingleFlight(async () => {
    try {
      const { createApiKey } = await make({ name: 'made by Connect', scopes: ['read', 'write'] })
      onMade(createApiKey.key)
    } catch (error) {
      setProblem(error as Error)
    }
  })
  if (hasKey)
    return (
      <p className="notice" role="status">
        The lines below have a new key, which is shown on this page only, and never again. Keys
        lists it as “made by Connect”.
      </p>
    )
  if (!scopes.includes('admin')) return null
  return (
    <>
      <div>
        <button type="button" className="button" onClick={create}>
          Create a key and put it into these lines
        </button>
      </div>
      <FailureNote error={problem} />
    </>
  )
}
