import './thread.css'
import { useSegment } from '../../address/use-segment.js'
import { line } from '../../format/text.js'
import { Breadcrumbs } from '../../ui/breadcrumbs.js'
import { ProblemView } from '../../ui/problem-view.js'
import { Top } from '../../ui/top.js'
import { BehindMark, BehindView } from './outline/behind.js'
import { useOutline } from './outline/use-outline.js'
import { Panes } from './panes.js'
import { useJudged } from './use-judged.js'

/** A run that belongs to no thread: the same page without the conversation. */
export const RunPage = () => {
  const rootStepId = useSegment(1)
  const { state, behind, reload } = useOutline(undefined, rootStepId)
  const judged = useJudged()
  return (
    <div className="thread-page">
      <Top
        title={
          <Breadcrumbs parent="Steps" href="/steps">
            {state.is === 'there' ? line(state.outline.name(0)) || 'Run' : 'Run'}
          </Breadcrumbs>
        }
      >
        <BehindMark behind={behind} />
      </Top>
      <BehindView behind={behind} retry={reload} />
      {state.is === 'gone' ? (
        <div className="empty">
          <p>
            There is no run with this id here: it was deleted, or it belongs to another project.
          </p>
        </div>
      ) : state.is === 'failed' ? (
        <ProblemView problem={state.problem} retry={reload} />
      ) : state.is === 'there' ? (
        <Panes
          outline={state.outline}
          revision={state.revision}
          rootStepId={rootStepId}
          judged={judged.steps}
        />
      ) : null}
    </div>
  )
}
