import './thread.css'
import { useEffect, useRef } from 'react'
import { Link } from 'wouter'
import { ThreadPageDocument, type ThreadPageQuery } from '../../../generated/operations.js'
import { segment } from '../../address/segment.js'
import { useAddress } from '../../address/use-address.js'
import { useSegment } from '../../address/use-segment.js'
import { useStableCallback } from '../../browser/use-stable-callback.js'
import { useMayWrite } from '../../data/project.js'
import { useData } from '../../data/use-data.js'
import { atLeast } from '../../format/money.js'
import { count, plural } from '../../format/number.js'
import { choice } from '../../format/text.js'
import { duration } from '../../format/time.js'
import { ToDataset } from '../../parts/add-to-dataset-button.js'
import { threadTitle } from '../../parts/thread-title.js'
import { ErrorMark, Started, Tags, Time } from '../../table/cells.js'
import { Breadcrumbs } from '../../ui/breadcrumbs.js'
import { ProblemView } from '../../ui/problem-view.js'
import { Top } from '../../ui/top.js'
import { NeighbourButtons } from './neighbour-buttons.js'
import { BehindMark, BehindView } from './outline/behind.js'
import { useOutline } from './outline/use-outline.js'
import { Panes } from './panes.js'
import { ThreadMenu } from './thread-menu.js'
import { ThreadScores } from './thread-scores.js'
import { useJudged } from './use-judged.js'

/** A thread: the conversation, the tree of its steps over time, and one step in full. */
export const ThreadPage = () => {
  const threadId = useSegment(1)
  const page = useData(ThreadPageDocument, { id: threadId })
  const thread = page.data?.threadDetail
  const { state, behind, reload } = useOutline(threadId, undefined)
  const judged = useJudged()
  const mayWrite = useMayWrite()
  const chosen = useAddress().get('step')
  const place = state.is === 'there' && chosen !== undefined ? state.outline.placeOf(chosen) : -1
  const isGone = state.is === 'gone' || thread === null
  const revision = state.is === 'there' ? state.revision : undefined
  const read = useRef<string>(undefined)
  const refresh = useStableCallback(page.refresh)
  useEffect(() => {
    // The counts of the head are those of the tree: both are read together.
    if (revision === undefined) return
    if (read.current !== undefined && read.current !== revision) refresh()
    read.current = revision
  }, [revision, refresh])
  return (
    <div className="thread-page">
      <Top
        title={
          <Breadcrumbs parent="Threads" href="/threads">
            {(thread != null && threadTitle(thread)) || (isGone ? 'No such thread' : 'Thread')}
          </Breadcrumbs>
        }
      >
        {/* Stands before its contents arrive, so that nothing below moves. */}
        <div className="thread-facts" hidden={isGone}>
          {thread != null && <Facts thread={thread} newestScore={judged.threads.get(threadId)} />}
        </div>
        <BehindMark behind={behind} />
        {!isGone && mayWrite && (
          <ToDataset
            thread={{
              threadId,
              upToStepId: state.is === 'there' && state.outline.isTurn(place) ? chosen : undefined,
            }}
          />
        )}
        {!isGone && <ThreadMenu id={threadId} thread={thread} onChanged={page.refresh} />}
        <NeighbourButtons />
      </Top>
      {page.problem !== undefined && <ProblemView problem={page.problem} retry={page.refresh} />}
      <BehindView behind={behind} retry={reload} />
      {isGone ? (
        <div className="empty">
          <p>
            There is no thread with this id here: it was deleted, or it belongs to another project.
          </p>
          <Link href="/threads" className="button">
            All threads
          </Link>
        </div>
      ) : state.is === 'failed' ? (
        <ProblemView problem={state.problem} retry={reload} />
      ) : state.is === 'there' ? (
        <Panes
          key={threadId}
          outline={state.outline}
          revision={state.revision}
          threadId={threadId}
          judged={judged.steps}
        />
      ) : (
        <div className="panes" />
      )}
    </div>
  )
}

const Facts = ({
  thread,
  newestScore,
}: {
  thread: NonNullable<ThreadPageQuery['threadDetail']>
  newestScore: string | undefined
}) => (
  <>
    {thread.participant !== null && (
      <Link href={`/users/${segment(thread.participant.id)}`}>
        <bdi>{choice(thread.participant.identifier, 40)}</bdi>
      </Link>
    )}
    <span>{thread.environment}</span>
    <Started at={thread.startedAt} arrived={thread.createdAt} />
    <span>{duration(thread.duration === null ? null : thread.duration * 1000)}</span>
    <span>{plural(thread.stepCount, 'step')}</span>
    {(thread.tokenCount ?? 0) > 0 && <span>{count(thread.tokenCount)} tok</span>}
    {thread.cost !== null && <span>{atLeast(thread.cost, (thread.unpricedCount ?? 0) > 0)}</span>}
    {thread.endedAt !== null && (
      <span>
        ended <Time at={thread.endedAt} />
      </span>
    )}
    <ErrorMark count={thread.errorCount} />
    <ThreadScores threadId={thread.id} newest={newestScore} />
    {/* Last, as they go first where there is no room. */}
    <Tags tags={thread.tags} />
  </>
)
