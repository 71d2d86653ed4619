import { Redirect, useSearch } from 'wouter'
import { StepLocationDocument } from '../../../generated/operations.js'
import { segment } from '../../address/segment.js'
import { useSegment } from '../../address/use-segment.js'
import { useData } from '../../data/use-data.js'
import { ProblemView } from '../../ui/problem-view.js'
import { Top } from '../../ui/top.js'

/** Leads from the id of a step to its thread or run. */
export const StepLink = () => {
  const search = useSearch()
  const stepId = useSegment(1)
  const found = useData(StepLocationDocument, { id: stepId })
  if (found.problem !== undefined)
    return <ProblemView problem={found.problem} retry={found.refresh} />
  if (found.data === undefined) return <Top title="Step" />
  const { step } = found.data
  if (step === null)
    return (
      <>
        <Top title="No such step" />
        <div className="empty">
          <p>
            There is no step with this id here: it was deleted, or it belongs to another project.
          </p>
        </div>
      </>
    )
  const rest = new URLSearchParams(search)
  rest.set('step', stepId)
  return (
    <Redirect
      to={
        step.threadId === null
          ? `/runs/${segment(step.rootRunId ?? stepId)}?${rest}`
          : `/threads/${segment(step.threadId)}?${rest}`
      }
      replace
    />
  )
}
