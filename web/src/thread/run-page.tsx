import './thread.css'
import { Link } from 'wouter'
import { useSegment } from '../address/use-segment.js'
import { line } from '../format/text.js'
import { ProblemView } from '../shell/problem-view.js'
import { Top } from '../shell/shell.js'
import { Panes } from './panes.js'
import { useOutline } from './use-outline.js'

/** A run that belongs to no thread: the same page without the conversation. */
export const RunPage = () => {
  const rootStepId = useSegment(1)
  const { state, reload } = useOutline(undefined, rootStepId)
  return (
    <div className="thread-page">
      <Top
        title={
          <div className="crumbs">
            <Link href="/steps" className="quiet">
              Steps
            </Link>
            <span className="quiet">/</span>
            <h1 className="clip">
              <bdi>{state.is === 'there' ? line(state.outline.name(0)) || 'Run' : 'Run'}</bdi>
            </h1>
          </div>
        }
      />
      {state.is === 'gone' ? (
        <div className="empty">
          <p>
            There is no run with this id here: it was deleted, or it belongs to another project.
          </p>
        </div>
      ) : state.is === 'failed' ? (
        <ProblemView problem={state.problem} retry={reload} />
      ) : state.is === 'there' ? (
        <Panes outline={state.outline} rootStepId={rootStepId} />
      ) : null}
    </div>
  )
}
