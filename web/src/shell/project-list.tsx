import { segment } from '../address/segment.js'
import type { OpenProject } from '../data/known-sessions.js'
import { at } from '../format/base.js'

export const projectLink = (projectId: string): string => at(`/projects/${segment(projectId)}`)

/** Lists the projects that this browser is signed in to, each of which opens anew. */
export const ProjectList = ({
  sessions,
  current,
}: {
  sessions: readonly OpenProject[]
  current?: string | undefined
}) => (
  <ul className="projects">
    {sessions.map(({ projectId, name }) => (
      <li key={projectId}>
        {/* Not a link of the router: a page loaded anew holds nothing of the project before. */}
        <a
          className="button plain grow"
          href={projectLink(projectId)}
          aria-current={projectId === current ? 'true' : undefined}
        >
          <span className="clip">
            <bdi>{name}</bdi>
          </span>
          {sessions.some((one) => one.projectId !== projectId && one.name === name) && (
            <code className="quiet">{projectId.slice(0, 8)}</code>
          )}
        </a>
      </li>
    ))}
  </ul>
)
