import { useEffect, useState } from 'react'
import { ThreadScoresDocument } from '../../../generated/operations.js'
import { useStableCallback } from '../../browser/use-stable-callback.js'
import { useMayWrite } from '../../data/project.js'
import { useData } from '../../data/use-data.js'
import { score as showScore } from '../../format/number.js'
import { line } from '../../format/text.js'
import { ScoreDialog } from '../../scoring/score-dialog.js'
import { ScoreList } from '../../scoring/score-list.js'
import { Dialog } from '../../ui/dialog.js'
import { ProblemView } from '../../ui/problem-view.js'
import { useToast } from '../../ui/toasts.js'

/** Scores that the head of the page names; all of them are in the dialog. */
const NAMED = 2

/** The scores of the thread as a whole: shows, gives, changes and deletes them. */
export const ThreadScores = ({
  threadId,
  newest,
}: {
  threadId: string
  /** One that was given while the page is open. */
  newest: string | undefined
}) => {
  const found = useData(ThreadScoresDocument, { id: threadId })
  const refresh = useStableCallback(found.refresh)
  useEffect(() => {
    if (newest !== undefined) refresh()
  }, [newest, refresh])
  const [dialog, setDialog] = useState<'list' | 'give' | null>(null)
  const mayWrite = useMayWrite()
  const showToast = useToast()
  const scores = found.data?.scores.edges.map(({ node }) => node) ?? []
  const more = (found.data?.scores.totalCount ?? 0) - scores.length
  const open = () => setDialog(scores.length === 0 && mayWrite ? 'give' : 'list')
  return (
    <>
      {scores.slice(0, NAMED).map(({ id, name, value, label }) => (
        <span key={id} className="tag">
          <bdi>{line(name, 30)}</bdi>{' '}
          {label === null ? showScore(value) : <bdi>{line(label, 20)}</bdi>}
        </span>
      ))}
      {(mayWrite || scores.length > 0) && (
        <button type="button" className="button plain small" onClick={open}>
          {scores.length === 0 ? 'Score the thread' : `Scores ${scores.length}`}
        </button>
      )}
      {dialog === 'list' && (
        <Dialog title="Scores of the thread" onClose={() => setDialog(null)}>
          <div className="column" style={{ width: 'min(560px, 80vw)' }}>
            {found.problem !== undefined && (
              <ProblemView problem={found.problem} retry={found.refresh} />
            )}
            <ScoreList scores={scores} onChanged={found.refresh} />
            {more > 0 && <p className="quiet">{more} older ones are in the list of scores.</p>}
            {mayWrite && (
              <div>
                <button type="button" className="button" onClick={() => setDialog('give')}>
                  Give a score
                </button>
              </div>
            )}
          </div>
        </Dialog>
      )}
      {dialog === 'give' && (
        <ScoreDialog
          judged={{ threadId }}
          onClose={() => setDialog(null)}
          onDone={() => {
            found.refresh()
            showToast('The score is stored.')
          }}
        />
      )}
    </>
  )
}
