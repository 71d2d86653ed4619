import type { Problem } from '../../../data/problem.js'
import { ProblemView } from '../../../ui/problem-view.js'

/** Marks a thread whose later steps are not known as long as the service gives no answer; it is asked again and again. */
export const BehindMark = ({ behind }: { behind: Problem | undefined }) =>
  behind === undefined ? null : (
    <span className="soft" role="status" title={behind.message}>
      not up to date
    </span>
  )

/** Says of a thread whose session is over that it is not up to date: waiting does not help there. */
export const BehindView = ({
  behind,
  retry,
}: {
  behind: Problem | undefined
  retry: () => void
}) =>
  behind?.code === 'UNAUTHENTICATED' ? (
    <ProblemView problem={behind} retry={retry} note="The steps below are not up to date." />
  ) : null
