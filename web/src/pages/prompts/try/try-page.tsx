import '../prompts.css'
import './try.css'
import { useMemo } from 'react'
import { Link } from 'wouter'
import { ModelTableDocument, PromptPageDocument } from '../../../../generated/operations.js'
import { useSegment } from '../../../address/use-segment.js'
import { useMayWrite } from '../../../data/project.js'
import { useData } from '../../../data/use-data.js'
import { choice } from '../../../format/text.js'
import { Breadcrumbs } from '../../../ui/breadcrumbs.js'
import { ProblemView } from '../../../ui/problem-view.js'
import { Top } from '../../../ui/top.js'
import { promptLink } from '../prompt-link.js'
import { weekAgo } from '../week.js'
import { Trial } from './trial.js'

/** Tries versions of a prompt with a model: on values that are typed, recorded or in a dataset. */
export const TryPage = () => {
  const name = useSegment(1)
  const since = useMemo(weekAgo, [])
  const page = useData(PromptPageDocument, { name, since })
  const models = useData(ModelTableDocument, {})
  const mayWrite = useMayWrite()
  const lineage = page.data?.promptLineage
  const rows = models.data?.modelEndpoints
  const title = (
    <Breadcrumbs parent={<bdi>{choice(name)}</bdi>} href={promptLink(name)}>
      Try
    </Breadcrumbs>
  )
  const isReady = lineage != null && lineage.versions.length > 0 && rows !== undefined
  if (isReady && mayWrite && rows.length > 0)
    return <Trial title={title} lineage={lineage} models={rows} onSaved={page.refresh} />
  return (
    <>
      <Top title={title} />
      {[page, models].map(
        ({ problem, refresh }, index) =>
          problem !== undefined && (
            // biome-ignore lint/suspicious/noArrayIndexKey: there are always two
            <ProblemView key={index} problem={problem} retry={refresh} />
          ),
      )}
      {lineage === null && (
        <div className="empty">
          <p>There is no prompt with this name here.</p>
        </div>
      )}
      {lineage?.versions.length === 0 && (
        <div className="empty">
          <p>It has no version yet.</p>
        </div>
      )}
      {isReady && !mayWrite && (
        <div className="empty">
          <p>Trying a prompt needs a key that may write, as it may cost something.</p>
        </div>
      )}
      {isReady && mayWrite && rows.length === 0 && (
        <div className="empty">
          <p>There is no model to try it with yet.</p>
          <Link className="button primary" href="/settings/models">
            Set up a model
          </Link>
        </div>
      )}
    </>
  )
}
