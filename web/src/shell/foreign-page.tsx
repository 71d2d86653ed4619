import { segment } from '../address/segment.js'
import type { OpenProject } from '../data/known-sessions.js'
import { at, ownPath } from '../format/base.js'
import { ProjectList } from './project-list.js'

/** Stands in for a page of a project that this browser is not signed in to. */
export const ForeignPage = ({
  asked,
  sessions,
}: {
  asked: string
  sessions: readonly OpenProject[]
}) => (
  <main className="sign-in">
    <div className="column panel" style={{ padding: 24 }}>
      <h1>This page belongs to another project</h1>
      <p>
        It belongs to <code>{asked}</code>, to which you are not signed in.
      </p>
      <div>
        <a
          className="button primary"
          href={at(
            `/sign-in?next=${segment(ownPath(window.location.pathname) + window.location.search)}`,
          )}
        >
          Sign in to it
        </a>
      </div>
      <h2>Your projects</h2>
      <ProjectList sessions={sessions} />
    </div>
  </main>
)
