import { threadTitle } from '../../../parts/thread-title.js'
import '../thread.css'
import './beside.css'
import { useRef } from 'react'
import { Link } from 'wouter'
import { ThreadPageDocument } from '../../../../generated/operations.js'
import { choiceNotices } from '../../../address/notices.js'
import { useAddress } from '../../../address/use-address.js'
import { useSegment } from '../../../address/use-segment.js'
import { useKeys } from '../../../browser/keys.js'
import { useData } from '../../../data/use-data.js'
import { count, plural } from '../../../format/number.js'
import { line } from '../../../format/text.js'
import { duration } from '../../../format/time.js'
import { besideLink, threadLink } from '../../../parts/thread-link.js'
import { ErrorMark, Started } from '../../../table/cells.js'
import { Breadcrumbs } from '../../../ui/breadcrumbs.js'
import { Notices } from '../../../ui/notices.js'
import { ProblemView } from '../../../ui/problem-view.js'
import { Top } from '../../../ui/top.js'
import { useOutline } from '../outline/use-outline.js'
import { BesideRow } from './beside-row.js'
import { useComparison } from './use-comparison.js'

/** Two threads side by side, aligned by turns, with their differences. */
export const BesidePage = () => {
  const [leftId, rightId] = [useSegment(1), useSegment(3)]
  const address = useAddress()
  const left = useThread(leftId)
  const right = useThread(rightId)
  const comparison = useComparison(left.outline, right.outline)
  const isOnly = address.get('only') === 'differences'
  const box = useRef<HTMLDivElement>(null)
  const { rows } = comparison
  const different = rows.filter(({ differences }) => differences.length > 0)
  const isWhole = rows.length === comparison.count && comparison.count > 0
  const go = (step: 1 | -1) => {
    const frame = box.current
    if (frame === null) return
    const { top } = frame.getBoundingClientRect()
    const found = [...frame.querySelectorAll<HTMLElement>('.beside-row.differs')].map(
      (element) => ({
        element,
        at: Math.round(element.getBoundingClientRect().top - top),
      }),
    )
    const next = step > 0 ? found.find(({ at }) => at > 1) : found.findLast(({ at }) => at < -1)
    next?.element.scrollIntoView({ block: 'start' })
  }
  useKeys({ n: () => go(1), p: () => go(-1) })
  const sides =
    left.outline === undefined || right.outline === undefined
      ? undefined
      : {
          left: { outline: left.outline, contents: comparison.left },
          right: { outline: right.outline, contents: comparison.right },
        }
  const gone = [left, right].filter(({ isGone }) => isGone).length
  return (
    <div className="thread-page">
      <Top
        title={
          <Breadcrumbs parent="Threads" href="/threads">
            Two threads side by side
          </Breadcrumbs>
        }
      >
        <Link href={besideLink(rightId, leftId)} className="button">
          Swap
        </Link>
      </Top>
      {gone > 0 ? (
        <div className="empty">
          <p>
            {gone === 2
              ? 'Neither thread is here: they were deleted, or they belong to another project.'
              : 'One of these threads is not here: it was deleted, or it belongs to another project.'}
          </p>
          <Link href="/threads" className="button">
            All threads
          </Link>
        </div>
      ) : (
        <>
          <div className="beside-bar">
            <span aria-live="polite">
              {rows.length === 0
                ? 'Comparing …'
                : `${isWhole ? '' : `${rows.length} of `}${plural(comparison.count, 'turn')}: ${
                    different.length === 0 ? 'no differences' : `${different.length} differ`
                  }`}
            </span>
            <span className="grow" />
            <button
              type="button"
              className="button"
              aria-pressed={isOnly}
              onClick={() =>
                address.set({ only: isOnly ? null : 'differences' }, { replace: true })
              }
            >
              only differences
            </button>
            <button type="button" className="button" title="p" onClick={() => go(-1)}>
              ↑ <span className="only-wide">previous</span>
            </button>
            <button type="button" className="button" title="n" onClick={() => go(1)}>
              ↓ <span className="only-wide">next difference</span>
            </button>
          </div>
          <div className="beside-heads">
            <Head id={leftId} side="left" thread={left.thread} />
            <Head id={rightId} side="right" thread={right.thread} />
          </div>
          <Notices
            texts={choiceNotices(
              'filter',
              address.get('only'),
              ['differences'],
              'These are all turns.',
            )}
          />
          {[left.problem, right.problem, comparison.problem].map(
            (problem, index) =>
              problem !== undefined && (
                // biome-ignore lint/suspicious/noArrayIndexKey: one each for left, right and both
                <ProblemView key={index} problem={problem} retry={comparison.retry} />
              ),
          )}
          <section className="beside" ref={box} tabIndex={0} aria-label="Turns">
            {sides !== undefined &&
              rows.map(
                (row, index) =>
                  (!isOnly || row.differences.length > 0) && (
                    <BesideRow
                      // biome-ignore lint/suspicious/noArrayIndexKey: turns have no ids, and keep their order
                      key={index}
                      number={index + 1}
                      row={row}
                      ids={[leftId, rightId]}
                      left={sides.left}
                      right={sides.right}
                    />
                  ),
              )}
            {isWhole && isOnly && different.length === 0 && (
              <p className="empty">All turns are the same.</p>
            )}
            {comparison.isPaused && (
              <p className="empty">
                <button type="button" className="button" onClick={comparison.more}>
                  Compare more turns
                </button>
              </p>
            )}
          </section>
        </>
      )}
    </div>
  )
}

const useThread = (id: string) => {
  const page = useData(ThreadPageDocument, { id })
  const { state } = useOutline(id, undefined)
  return {
    thread: page.data?.threadDetail,
    outline: state.is === 'there' ? state.outline : undefined,
    problem: state.is === 'failed' ? state.problem : page.problem,
    isGone: state.is === 'gone',
  }
}

const Head = ({
  id,
  side,
  thread,
}: {
  id: string
  side: 'left' | 'right'
  thread: ReturnType<typeof useThread>['thread']
}) => (
  <div className="beside-head">
    <span className="quiet">{side}</span>
    <Link href={threadLink(id)} className="clip">
      <strong>
        <bdi>
          {(thread != null && threadTitle(thread)) || (thread === undefined ? '…' : line(id))}
        </bdi>
      </strong>
    </Link>
    {thread != null && (
      <span className="beside-facts soft">
        <Started at={thread.startedAt} arrived={thread.createdAt} />
        <span>{duration(thread.duration === null ? null : thread.duration * 1000)}</span>
        <span>{plural(thread.stepCount, 'step')}</span>
        {(thread.tokenCount ?? 0) > 0 && <span>{count(thread.tokenCount)} tok</span>}
        <ErrorMark count={thread.errorCount} />
      </span>
    )}
  </div>
)
