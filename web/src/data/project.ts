import { createContext, useContext } from 'react'
import type { ProjectQuery } from '../../generated/operations.js'
import type { OpenProject } from './known-sessions.js'

export type Project = ProjectQuery['project']

const ProjectContext = createContext<Project | null>(null)
export const ProjectProvider = ProjectContext.Provider

export const useProject = (): Project => {
  const project = useContext(ProjectContext)
  if (project === null) throw new Error('no project is open here')
  return project
}

const SessionsContext = createContext<readonly OpenProject[]>([])
export const SessionsProvider = SessionsContext.Provider

/** Returns the projects that this browser is signed in to. */
export const useSessions = (): readonly OpenProject[] => useContext(SessionsContext)

/** Returns true if the signed-in key may change things. */
export const useMayWrite = (): boolean => {
  const { scopes } = useProject()
  return scopes.includes('write') || scopes.includes('admin')
}
