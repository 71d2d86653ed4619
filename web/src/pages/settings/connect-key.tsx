import { useState } from 'react'
import { MakeKeyDocument } from '../../../generated/operations.js'
import { useFocusOfContent } from '../../browser/kept-focus.js'
import { useIsThere } from '../../browser/use-is-there.js'
import { useSingleFlight } from '../../browser/use-single-flight.js'
import { useProject } from '../../data/project.js'
import { useChange } from '../../data/use-data.js'
import { FailureNote } from '../../ui/failure.js'
import { useToast } from '../../ui/toasts.js'
import { LateKey, showMadeKey } from './made-key.js'

const NAME = 'made by Connect'

/** Creates a key for the lines below, so that they work as they are copied. */
export const ConnectKey = ({
  hasKey,
  onMade,
}: {
  hasKey: boolean
  onMade: (key: string) => void
}) => {
  useFocusOfContent(hasKey)
  const { scopes, id: projectId } = useProject()
  const isThere = useIsThere()
  const showToast = useToast()
  const make = useChange(MakeKeyDocument)
  const [problem, setProblem] = useState<Error>()
  const create = useSingleFlight(async () => {
    try {
      const { createApiKey } = await make({ name: NAME, scopes: ['read', 'write'] })
      if (isThere()) return onMade(createApiKey.key)
      showMadeKey({ projectId, name: NAME, key: createApiKey.key })
      showToast(<LateKey name={NAME} />)
    } catch (error) {
      if (isThere()) setProblem(error as Error)
      else showToast(error as Error)
    }
  })
  if (hasKey)
    return (
      <p className="notice" role="status">
        The lines below have a new key, which is shown on this page only, and never again. Keys
        lists it as “{NAME}”.
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
