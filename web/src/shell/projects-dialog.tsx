import { useState } from 'react'
import type { OpenProject } from '../data/known-sessions.js'
import { useProject, useSessions } from '../data/project.js'
import { signOut } from '../data/session.js'
import { at } from '../format/base.js'
import { Dialog } from '../ui/dialog.js'
import { ProjectList } from './project-list.js'

/** Returns true for a project that a person leaves when they sign out of another one. */
const isOf = (person: string | undefined, session: OpenProject): boolean =>
  person !== undefined && session.person === person

/** Switches between the projects that this browser is signed in to, and adds or leaves one. */
export const ProjectsDialog = ({ onClose }: { onClose: () => void }) => {
  const project = useProject()
  const sessions = useSessions()
  const person = sessions.find(({ projectId }) => projectId === project.id)?.person
  const [problem, setProblem] = useState<string>()
  const leave = async (projectId: string | undefined) => {
    try {
      await signOut(projectId)
    } catch (error) {
      setProblem((error as Error).message)
    }
  }
  return (
    <Dialog title="Projects" onClose={onClose}>
      <div className="column">
        <ProjectList sessions={sessions} current={project.id} />
        {problem !== undefined && (
          <p className="problem" role="alert">
            {problem}
          </p>
        )}
        <div className="row wrap">
          <a className="button" href={at('/sign-in')}>
            Sign in to another project
          </a>
          <button type="button" className="button" onClick={() => leave(project.id)}>
            {person === undefined ? 'Sign out of ' : 'Sign out '}
            <bdi>{person ?? project.name}</bdi>
          </button>
          {sessions.some((one) => one.projectId !== project.id && !isOf(person, one)) && (
            <button type="button" className="button" onClick={() => leave(undefined)}>
              Sign out of all
            </button>
          )}
        </div>
      </div>
    </Dialog>
  )
}
